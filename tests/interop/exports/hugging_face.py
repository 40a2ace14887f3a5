"""A folder for the Hugging Face hub, opened by `datasets`: both files say what the tasks say.

Usage: hugging_face.py FOLDER TASKS.JSONL, where the second is the set's export by taskgen.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

import datasets  # noqa: E402
import pyarrow.parquet  # noqa: E402
import yaml  # noqa: E402
from huggingface_hub import DatasetCard  # noqa: E402

# What a task may hold in any shape is JSON in a text.
JSON_COLUMNS = ["facets", "provenance"]


def main(folder, tasks):
    expected = read_tasks(tasks)
    card = DatasetCard.load(folder / "README.md").data.to_dict()
    # The hub's own reader of the front matter and a plain one agree: nothing in it is ambiguous.
    front = (folder / "README.md").read_text(encoding="utf-8").split("\n---\n")[0]
    same("front matter", yaml.safe_load(front.removeprefix("---\n"))["license"], card["license"])
    features = datasets.Features._from_yaml_list(card["dataset_info"]["features"])
    read = {
        "the folder": load(str(folder)),
        "the JSON lines": load(
            "json", data_files={"test": str(folder / "data/tasks.jsonl")}, features=features
        ),
    }
    for name, rows in read.items():
        same(f"features of {name}", rows.features, features)
        same(f"number of rows of {name}", len(rows), len(expected))
        for row, task in zip(rows, expected):
            compare(name, row, task)
    first, second = read.values()
    same("rows of both", first.to_list(), second.to_list())
    arrow = pyarrow.parquet.read_schema(folder / "data/tasks.parquet")
    same("columns of the Parquet file", arrow.names, list(features))
    for chunk in chunks(folder / "data/tasks.parquet"):
        same(f"compression of `{chunk.path_in_schema}`", chunk.compression, "UNCOMPRESSED")
    # Whoever does not know the card's types gets the same texts out of the Parquet file.
    plain = pyarrow.parquet.read_table(folder / "data/tasks.parquet").column("task").to_pylist()
    same("texts of the Parquet file", plain, [task["task"] for task in expected])
    print(
        f"datasets {datasets.__version__}: {len(expected)} rows, {len(arrow.names)} columns,"
        f" twice the same; license {card['license']!r}"
    )


def load(path, **options):
    with tempfile.TemporaryDirectory() as cache:
        found = datasets.load_dataset(path, cache_dir=cache, keep_in_memory=True, **options)
        same(f"splits of {path}", list(found), ["test"])
        return found["test"]


def read_tasks(path):
    """The tasks of a set's export, without the withdrawn ones."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        records = [json.loads(line) for line in lines]
    return [record for record in records if not record.get("withdrawn")]


def compare(name, row, task):
    """Every field of a row is the task's; what the task lacks is empty."""
    row = dict(row)
    for column in JSON_COLUMNS:
        row[column] = row[column] and json.loads(row[column])
    row["as_of"] = row["as_of"] and str(row["as_of"])
    for field, value in row.items():
        # Tasks outside a set have neither its name nor its canary.
        if field in ("set", "canary") and field not in task:
            continue
        same(f"`{field}` of {task['id']} in {name}", value, task.get(field))
    same(f"fields of {task['id']}", sorted(set(task) - set(row)), [])


def chunks(path):
    metadata = pyarrow.parquet.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what} differ: {str(found)[:300]!r}, not {str(expected)[:300]!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
