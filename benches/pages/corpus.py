"""The pages that bench.py reads, out of packages that others publish; nothing of them is kept in this repository.

PDFs come from Debian's documentation packages, which are fetched and unpacked but not installed: papers, manuals and
templates, those in Chinese, Japanese and Korean and those in two columns among them. HTML pages with their article's
text come from the tests of newspaper4k. Prints how many of each there are.
"""

import pathlib
import subprocess
import sys

DEBIAN = [
    "debian-policy",
    "maint-guide-ja",
    "texlive-humanities-doc",
    "texlive-lang-chinese",
    "texlive-lang-cjk",
    "texlive-lang-japanese",
    "texlive-lang-korean",
    "texlive-publishers-doc",
    "texlive-science-doc",
]
PYTHON = "newspaper4k==0.9.6"


def fetch_debian(folder, name):
    place = folder / "debian" / name
    if place.exists():
        return
    packages = folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-qq", name], cwd=packages, check=True)
    part = folder / "debian" / (name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    (package,) = packages.glob(f"{name}_*.deb")
    subprocess.run(["dpkg-deb", "-x", package, part], check=True)
    package.unlink()
    part.rename(place)


def fetch_python(folder):
    place = folder / "python"
    if place.exists():
        return
    part = folder / "python.part"
    part.mkdir(parents=True, exist_ok=True)
    download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", PYTHON]
    subprocess.run([*download, "-d", part], check=True)
    for archive in part.glob("*.tar.gz"):
        subprocess.run(["tar", "-xzf", archive, "-C", part], check=True)
    part.rename(place)


def main(folder):
    folder = pathlib.Path(folder)
    for name in DEBIAN:
        fetch_debian(folder, name)
    fetch_python(folder)
    pdfs = sum(1 for _ in folder.glob("debian/**/*.pdf"))
    pages = sum(1 for _ in folder.glob("python/**/tests/data/html/*.html"))
    print(f"corpus: {pdfs} PDFs, {pages} HTML pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
