#!/usr/bin/env bash
# Reading of pages beside pdftotext, mutool and trafilatura, on PDFs of Debian's documentation and HTML pages of Python packages.
#
# An argument is the number of PDFs of each kind (60).
set -euo pipefail
. "$(dirname "$0")/setup.sh"
. scripts/python.sh
for tool in apt-get:apt dpkg-deb:dpkg pdftotext:poppler-utils mutool:mupdf-tools; do
    command -v "${tool%:*}" >/dev/null 2>&1 || die "missing: ${tool%:*} (Debian/Ubuntu: apt-get install ${tool#*:})"
done
home="$PWD/.tools/bench-pages"
python_packages "$home/python" 60 trafilatura==2.3.1 lxml_html_clean
export PYTHONPATH="$home/python"
python3 benches/pages/corpus.py "$home/corpus"
cargo build --locked --bin taskgen
python3 benches/pages/bench.py "$home/corpus" "${TASKGEN:-$BINARIES/taskgen}" "$@"
