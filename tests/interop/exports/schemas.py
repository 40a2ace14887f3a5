"""JSON Schemas of exports, applied by `jsonschema` to what was exported.

Usage: schemas.py SCHEMA.JSON LINES.JSONL: each line is valid, and none is once a field is gone.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import jsonschema


def main(schema, lines):
    schema = json.loads(schema.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with open(lines, encoding="utf-8", newline="\n") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:
        for error in validator.iter_errors(record):
            sys.exit(f"{record['id']} is not valid: {error.json_path}: {error.message[:300]}")
        # A schema that allows everything would be no schema.
        if validator.is_valid({name: value for name, value in record.items() if name != "id"}):
            sys.exit(f"{record['id']} is valid without its id")
        if validator.is_valid(record | {"id": 7}):
            sys.exit(f"{record['id']} is valid with a number for an id")
    print(f"jsonschema {version('jsonschema')}: {len(records)} records are `{schema['title']}`")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
