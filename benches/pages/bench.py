"""How well `taskgen` reads pages, beside pdftotext, mutool and trafilatura on the same files.

Arguments: the folder that corpus.py filled, the program, and how many PDFs of each kind to read. A PDF's words and
triples of words are held against pdftotext's, whose order of reading follows the page (mostly: it reads some columns
row by row, and some lists); an HTML page's against the article's text that comes with it, by runs of four words.
Prints one table each.
"""

import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import time
import unicodedata

import trafilatura

EAST_ASIAN = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# Scripts without spaces: each character is a word.
WORD = re.compile(rf"[{EAST_ASIAN}\u0e00-\u0e7f]|[^\W_{EAST_ASIAN}\u0e00-\u0e7f]+")
SECONDS = 120
LARGEST = 3_000_000
FEWEST_WORDS = 50
# Pages of a PDF that tell whether it is set in two columns.
PAGES = 40
BOX = r'xMin="([-\d.]+)" yMin="[-\d.]+" xMax="([-\d.]+)"'


def words(text):
    # taskgen's mark of a raised number, which the others leave out, ends no word.
    text = text.replace("^", "")
    text = re.sub(r"(\w)-\n(\w)", r"\1\2", unicodedata.normalize("NFKC", text))
    return WORD.findall(text.lower())


def runs(text, length):
    found = words(text)
    return collections.Counter(zip(*(found[start:] for start in range(length))))


def scores(text, truth, length):
    """Precision, recall and F1 of the runs of words of a text."""
    mine, theirs = runs(text, length), runs(truth, length)
    shared = (mine & theirs).total()
    precision, recall = shared / max(1, mine.total()), shared / max(1, theirs.total())
    return precision, recall, 2 * shared / max(1, mine.total() + theirs.total())


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS).stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return ""


def read_page(program, path, kind):
    """The text that taskgen reads, through the process that reads pages for it."""
    question = {"status": 200, "asked": "https://a.org/x", "last": "https://a.org/x", "content_type": kind}
    sent = json.dumps(question).encode() + b"\n" + path.read_bytes()
    try:
        reply = subprocess.run([program, "read-page"], input=sent, capture_output=True, timeout=SECONDS).stdout
        return (json.loads(reply.removeprefix(b"ready\n")).get("extract") or {}).get("text", "")
    except (subprocess.TimeoutExpired, ValueError):
        return ""


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def table(title, head, rows):
    head = [f"{cell:>5}" for cell in head]
    print(f"\n{title}\n")
    print(f"| {'reader':12} | " + " | ".join(head) + " |")
    print(f"|{'-' * 14}|" + "|".join("-" * (len(cell) + 2) for cell in head) + "|")
    for name, cells in rows:
        print(f"| {name:12} | " + " | ".join(f"{cell:>{len(of)}.3f}" for cell, of in zip(cells, head)) + " |")


def timed(read, *arguments):
    began = time.perf_counter()
    return read(*arguments), time.perf_counter() - began


def is_page_of_two(lines):
    """Whether most lines of a page, left and right edges, are as wide as half of it and stand on one side of it."""
    left, right = min(line[0] for line in lines), max(line[1] for line in lines)
    middle, width = (left + right) / 2, right - left
    half = [line for line in lines if line[1] - line[0] > 0.35 * width]
    first = sum(line[1] < middle + 0.02 * width for line in half)
    second = sum(line[0] > middle - 0.02 * width for line in half)
    across = sum(line[1] - line[0] > 0.6 * width for line in lines)
    return min(first, second) >= 8 and first + second > across


def is_in_two_columns(path):
    """Whether half of the pages with text are set in two columns, by the lines that pdftotext finds."""
    found = output("pdftotext", "-q", "-bbox-layout", "-l", str(PAGES), path, "-").split("<page ")[1:]
    pages = [[(float(a), float(b)) for a, b in re.findall(f"<line {BOX}", page)] for page in found]
    texts = [lines for lines in pages if len(lines) >= 10]
    return 0 < len(texts) <= 2 * sum(map(is_page_of_two, texts))


def kind_of(path, found):
    if is_in_two_columns(path):
        return "two columns"
    east_asian = sum(bool(re.match(rf"[{EAST_ASIAN}]", word)) for word in found) * 5 > len(found)
    return "East Asian" if east_asian else "other"


def pdfs(folder, program, most):
    files = [path for path in sorted(folder.glob("debian/**/*.pdf")) if path.stat().st_size < LARGEST]
    # The same files in each run.
    random.Random(7).shuffle(files)
    kinds = {"two columns": [], "East Asian": [], "other": []}
    for path in files:
        if all(len(chosen) >= most for chosen in kinds.values()):
            break
        truth = output("pdftotext", "-q", path, "-")
        found = words(truth)
        if len(found) < FEWEST_WORDS:
            continue
        chosen = kinds[kind_of(path, found)]
        if len(chosen) < most:
            chosen.append((path, truth))
    readers = {
        "taskgen": lambda path: read_page(program, path, "application/pdf"),
        "mutool": lambda path: output("mutool", "draw", "-q", "-F", "txt", path),
    }
    for kind, chosen in kinds.items():
        rows = []
        for name, read in readers.items():
            texts = [timed(read, path) for path, _ in chosen]
            held = [
                (scores(text, truth, 1)[2], scores(text, truth, 3)[2], seconds)
                for (text, seconds), (_, truth) in zip(texts, chosen)
            ]
            rows.append((name, mean(held)))
        table(f"{len(chosen)} PDFs, {kind}, against pdftotext", ["words F1", "triples F1", "seconds"], rows)


def html(folder, program):
    pairs = []
    for page in sorted(folder.glob("python/**/tests/data/html/*.html")):
        truth = page.parent.parent / "txt" / (page.stem + ".txt")
        if truth.exists():
            pairs.append((page, truth.read_text(encoding="utf-8")))
    readers = {
        "taskgen": lambda path: read_page(program, path, "text/html"),
        "trafilatura": lambda path: trafilatura.extract(path.read_bytes()) or "",
    }
    rows = [(name, mean([scores(read(page), truth, 4) for page, truth in pairs])) for name, read in readers.items()]
    table(f"{len(pairs)} HTML pages, against their articles", ["precision", "recall", "F1"], rows)


def main(folder, program, most=60):
    folder = pathlib.Path(folder)
    pdfs(folder, program, int(most))
    html(folder, program)


if __name__ == "__main__":
    main(*sys.argv[1:])
