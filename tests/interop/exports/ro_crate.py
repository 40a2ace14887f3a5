"""An RO-Crate, read by `rocrate` and checked by `rocrate-validator`: from each task a way leads to its source.

Usage: ro_crate.py FOLDER TASKS.JSONL, where the second is the set's export by taskgen.
"""

import json
import logging
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from rocrate.rocrate import ROCrate
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

PROFILE = "ro-crate-1.1"
# Recommended, but nobody told us: where the publisher is on the web; who publishes the set, if it is not said.
PUBLISHER_ADDRESS = ["ro-crate-1.1_31.2"]
PUBLISHER = ["ro-crate-1.1_22.2", "ro-crate-1.1_22.3"]


def main(folder, tasks):
    with open(tasks, encoding="utf-8", newline="\n") as lines:
        tasks = [json.loads(line) for line in lines]
    crate = ROCrate(folder)
    untold = PUBLISHER_ADDRESS if crate.root_dataset.get("publisher") else PUBLISHER
    validate(folder, Severity.REQUIRED, [])
    validate(folder, Severity.RECOMMENDED, untold)
    ids = [entity["@id"] for entity in json.loads(metadata(folder))["@graph"]]
    same("entities that stand twice", [id for id in set(ids) if ids.count(id) > 1], [])
    for entity in crate.get_entities():
        check_references(entity, set(ids))
    kinds = {"withdrawn": 0, "talk": 0, "file": 0}
    for task in tasks:
        kinds[check_task(crate, task)] += 1
    reports = [check_report(action) for action in actions(crate, "answer")]
    print(
        f"rocrate {version('rocrate')}, roc-validator {version('roc-validator')}: {PROFILE}, required"
        f" and recommended; {len(ids)} entities, {len(tasks)} tasks {kinds}, {len(reports)} reports"
    )


def validate(folder, severity, untold):
    settings = ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier=PROFILE,
        requirement_severity=severity,
        no_cache=True,
    )
    result = services.validate(settings)
    issues = [issue for issue in result.get_issues() if issue.check.identifier not in untold]
    said = sorted(f"{issue.check.identifier}: {issue.message}" for issue in issues)
    same(f"issues ({severity.name.lower()})", said, [])


def check_references(entity, ids):
    """Nothing dangles, but standards and states, which the web describes."""
    for name, value in entity.properties().items():
        for item in several(value):
            id = item.get("@id") if isinstance(item, dict) else None
            if id and id not in ids and not id.startswith(("http://schema.org/", "https://w3id.org/ro/")):
                sys.exit(f"`{name}` of {entity.id} leads to nothing: {id}")


def check_task(crate, task):
    """The kind of a task, whose entities say what its record says."""
    entity = crate.dereference("#" + task["id"])
    if entity is None:
        sys.exit(f"the task {task['id']} is not in the crate")
    if task.get("withdrawn"):
        same(f"status of {task['id']}", entity["creativeWorkStatus"], "withdrawn")
        same(f"sources of {task['id']}", entity.get("isBasedOn"), None)
        return "withdrawn"
    origins = {origin.id: origin for origin in several(entity["isBasedOn"])}
    imported = task["provenance"].get("imported")
    if imported:
        check_file(imported, list(origins.values()))
        return "file"
    for inspiration in task["provenance"]["inspirations"]:
        same(f"source of {task['id']}", "#" + inspiration["id"] in origins, True)
        found = origins["#" + inspiration["id"]]
        clips = {(clip["startOffset"], clip["endOffset"]): clip for clip in several(found["isBasedOn"])}
        for quote in inspiration["evidence"]:
            times = (quote["start_s"], quote["end_s"])
            clip = clips.get(times)
            if clip is None:
                sys.exit(f"{found.id} rests on {sorted(clips)}, not on {times}")
            transcript = quote["segment_id"].rsplit("/", 1)[0]
            same("transcript", clip["isPartOf"].id, "#" + transcript)
            same("recording", clip["isBasedOn"].id, "#" + inspiration["seminar"]["id"])
            same("its recording", clip["isPartOf"]["isBasedOn"].id, clip["isBasedOn"].id)
    seminar = task["provenance"]["seminar"]
    recording = crate.dereference("#" + seminar["id"])
    same("hash", recording["sha256"], seminar["media_sha256"])
    same("title", recording["name"], seminar["title"])
    return "talk"


def several(value):
    """One value is written without a list."""
    return value if isinstance(value, list) else [value]


def check_file(imported, origins):
    item = origins[0]
    benchmark = item.get("isPartOf", item)
    same("benchmark", benchmark["name"], imported["benchmark"])
    same("licence", benchmark["license"]["name"], imported["licence"])


def actions(crate, kind):
    for action in crate.get_by_type("CreateAction"):
        if action.id.startswith(f"#{kind}-of-"):
            yield action


def check_report(action):
    report = action["result"]
    same("what a report answers", report["isBasedOn"].id, action["object"].id)
    return report


def metadata(folder):
    return (folder / "ro-crate-metadata.json").read_text(encoding="utf-8")


class Packaged:
    """The context that `rocrate` brings along, instead of the one on the web: of a later version, with the same terms."""

    status_code = 200
    headers = {"Content-Type": "application/ld+json"}
    text = (files("rocrate") / "data" / "ro-crate.jsonld").read_text(encoding="utf-8")

    def json(self):
        return json.loads(self.text)


def packaged(_, url, **options):
    if not url.startswith("https://w3id.org/ro/crate/"):
        sys.exit(f"the validator asks the web: {url}")
    return Packaged()


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what} differ: {str(found)[:2000]}, not {str(expected)[:300]}")


if __name__ == "__main__":
    HttpRequester.get = packaged
    logging.disable(logging.WARNING)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
