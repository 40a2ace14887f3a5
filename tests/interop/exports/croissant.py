"""A Croissant description, read by `mlcroissant`: it is valid, and its records are the tasks.

Usage: croissant.py FOLDER TASKS.JSONL, where the second is the set's export by taskgen.
"""

import hashlib
import json
import logging
import math
import sys
from importlib.metadata import version
from pathlib import Path

import mlcroissant

# What a task may hold in any shape is JSON in a text.
JSON_COLUMNS = ["facets", "provenance"]


class Warnings(logging.Handler):
    """What the reader warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def main(folder, tasks):
    with open(tasks, encoding="utf-8", newline="\n") as lines:
        expected = [json.loads(line) for line in lines]
    expected = [task for task in expected if not task.get("withdrawn")]
    warnings = Warnings()
    for name in ["absl", None]:
        logging.getLogger(name).addHandler(warnings)
    data = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    issues = data.metadata.issues
    same("errors", sorted(issues.errors), [])
    file = data.metadata.file_objects[0]
    same("hash", hashlib.sha256((folder / file.content_url).read_bytes()).hexdigest(), file.sha256)
    records = list(data.records("tasks"))
    same("number of records", len(records), len(expected))
    for record, task in zip(records, expected):
        compare(record, task)
    same("warnings", sorted(issues.warnings) + warnings.texts, [])
    print(
        f"mlcroissant {version('mlcroissant')}: {data.metadata.ctx.conforms_to.value},"
        f" {len(records)} records, {len(records[0]) if records else 0} fields, no warning"
    )


def compare(record, task):
    record = {name.removeprefix("tasks/"): plain(value) for name, value in record.items()}
    for column in JSON_COLUMNS:
        record[column] = record[column] and json.loads(record[column])
    record["as_of"] = record["as_of"] and record["as_of"].date().isoformat()
    for field, value in record.items():
        if field in ("set", "canary") and field not in task:
            continue
        wanted = task.get(field)
        # The reader fills what is missing with empty fields, and empty lists with one empty item.
        if wanted in (None, []) and is_empty(value):
            continue
        if not equal(value, wanted):
            same(f"`{field}` of {task['id']}", value, wanted)
    same(f"fields of {task['id']}", sorted(set(task) - set(record)), [])


def equal(value, wanted):
    """Whether two values are equal; the reader's parser rounds numbers in the last place."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return set(value) == set(wanted) and all(equal(value[name], wanted[name]) for name in value)
    if isinstance(wanted, float):
        return value is not None and math.isclose(value, wanted, rel_tol=1e-15)
    return value == wanted


def plain(value):
    """A value with bytes as texts and the last part of each field's id as its name."""
    if isinstance(value, dict):
        return {name.rsplit("/", 1)[-1]: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


def is_empty(value):
    if isinstance(value, dict):
        return all(is_empty(inner) for inner in value.values())
    if isinstance(value, list):
        return all(is_empty(item) for item in value)
    return value is None


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what} differ: {str(found)[:300]!r}, not {str(expected)[:300]!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
