#!/usr/bin/env python3
"""Makes english.txt.gz and chinese.txt.gz from SCOWL's lists and jieba's dictionary: make.py SCOWL-FOLDER DICT.TXT"""

import gzip
import pathlib
import sys

SIZES = (10, 20, 35, 40, 50, 55, 60, 70)
LEAST_COUNT, LEAST_OF_NAMES, LONGEST = 5, 300, 4
HERE = pathlib.Path(__file__).parent


def save(name, lines):
    (HERE / name).write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


def english(folder):
    """Lines of a size and a word, `35 logbook`: the smallest of SCOWL's sizes that has the word."""
    size_of = {}
    for size in SIZES:
        for kind in ("words", "contractions"):
            for path in sorted(folder.glob(f"*-{kind}.{size}")):
                if "variant_2" in path.name or "variant_3" in path.name:
                    continue
                for word in path.read_text("latin-1").split():
                    if not word.endswith("'s"):
                        size_of.setdefault(word, size)
    return [f"{size} {word}\n" for word, size in sorted(size_of.items(), key=lambda at: (at[1], at[0]))]


def chinese(path):
    """Lines of a word, its count and its part of speech (one letter), `声调 365 n`."""
    lines = []
    for line in path.read_text().splitlines():
        word, count, part = line.split(" ")
        if len(word) > LONGEST or not all("\u4e00" <= c <= "\u9fff" for c in word):
            continue
        least = LEAST_OF_NAMES if part.startswith("nr") else LEAST_COUNT
        if len(word) == 1 or int(count) >= least:
            # Verbs and adjectives that are used as nouns are nouns here.
            letter = "n" if part in ("vn", "an") else part[0]
            lines.append(f"{word} {count} {letter}\n")
    return sorted(lines)


save("english.txt.gz", english(pathlib.Path(sys.argv[1])))
save("chinese.txt.gz", chinese(pathlib.Path(sys.argv[2])))
