"""check_label_studio.py FOLDER EXPECTED [ANSWERS]: configuration and tasks, opened by Label Studio's own SDK.

FOLDER holds `config.xml` and `tasks.json`; whether agents are named is told by the tasks. With ANSWERS, a
folder, an export with the annotations of several people is made there (`label_studio.json`), and what must be
read out of it (`label_studio.expected.json`).
"""

import json
import sys
from pathlib import Path

from expected import Expected, check, done, equal
from label_studio_sdk.label_interface import LabelInterface
from lxml import etree

OVERALL, REMARKS = "score", "remarks"


def check_config(text: str, criteria: list[str]) -> LabelInterface:
    interface = LabelInterface(text)
    interface.validate()
    numbers = {c.name: c for c in interface.controls if c.tag == "Number"}
    equal(list(numbers), [OVERALL, *criteria], "the tags of scores")
    for name, control in numbers.items():
        equal((control.attr["min"], control.attr["max"]), ("0", "10"), f"the scale of {name}")
        equal(control.to_name, ["report"], f"what {name} is about")
    equal([c.name for c in interface.controls if c.tag != "Number"], [REMARKS], "the other tags")
    shown = {o.name: o.value_name for o in interface.objects}
    equal(shown, {"task": "task_text", "report": "report_text"}, "what is shown")
    # Text escapes what it shows; HyperText and the like run it.
    used = {node.tag for node in etree.fromstring(text).iter()}
    equal(used, {"View", "Style", "Header", "Text", "Number", "TextArea"}, "the kinds of tags")
    for node in etree.fromstring(text).iter("Header"):
        check("$" not in node.get("value"), "a heading names a field of the task")
    return interface


def check_tasks(tasks: list[dict], interface: LabelInterface, expected: Expected) -> bool:
    wanted = {report["id"]: report for report in expected.with_text()}
    equal({task["data"]["report"] for task in tasks}, set(wanted), "the reports")
    equal(len(tasks), len(wanted), "the number of tasks")
    named = {"agent" in task["data"] for task in tasks}
    equal(len(named), 1, "whether agents are named")
    for task in tasks:
        check(interface.validate_task(task), f"a task does not fit the configuration: {task}")
        data = task["data"]
        report = wanted[data["report"]]
        equal(data["report_text"], report["text"], f"the text of {report['id']}")
        equal(data["task_text"], expected.texts[report["task"]], f"the task of {report['id']}")
        equal((data["task"], data["set"], data["canary"]), (report["task"], expected.set["label"], expected.set["canary"]), "the names")
        if named == {True}:
            equal((data["agent"], data["attempt"]), (report["agent"], report["attempt"]), "the agent")
        else:
            names = {r["agent"] for r in expected.reports}
            check(not any(name in json.dumps(task, ensure_ascii=False) for name in names), "an agent is named")
    return named == {True}


def answers(tasks: list[dict], interface: LabelInterface, criteria: list[str]) -> tuple[list[dict], dict]:
    """What Label Studio exports: by three people, one of whom skips, one of whom leaves drafts."""
    entries, scores, drafts, discarded, remarks = [], [], 0, 0, 0
    people = [(1, "annotator 1"), ({"id": 2, "email": "ann@example.org"}, "ann@example.org"), ({"id": 3}, "annotator 3")]
    for at, task in enumerate(tasks):
        report = task["data"]["report"]
        annotations = []
        for person, (by, rater) in enumerate(people):
            cancelled = (at + person) % 4 == 3
            result = []
            for which, name in enumerate([OVERALL, *criteria]):
                value = (at * 3 + person * 5 + which) % 11
                if which and (at + which) % 3 == 0:
                    continue
                result.append({"from_name": name, "to_name": "report", "type": "number", "value": {"number": value}})
                if not cancelled:
                    criterion = None if name == OVERALL else name
                    scores.append({"report": report, "criterion": criterion, "rater": rater, "value": float(value)})
            result.append({"from_name": REMARKS, "to_name": "report", "type": "textarea", "value": {"text": ["很好 </script>"]}})
            annotation = {"id": at * 10 + person, "completed_by": by, "was_cancelled": cancelled, "result": result}
            check(interface.validate_annotation(annotation), f"an annotation does not fit the configuration: {annotation}")
            annotations.append(annotation)
            discarded += cancelled
            remarks += not cancelled
        left = [{"result": [{"from_name": OVERALL, "to_name": "report", "type": "number", "value": {"number": 1}}]}] * (at % 2)
        drafts += len(left)
        entries.append({"id": at + 1, "data": task["data"], "annotations": annotations, "drafts": left, "predictions": []})
    wanted = {"scores": scores, "drafts": drafts, "discarded": discarded, "unstated": 0, "remarks": remarks, "problems": 0}
    return entries, wanted


def main() -> None:
    folder, expected = Path(sys.argv[1]), Expected(sys.argv[2])
    criteria = expected.set["criteria"]
    interface = check_config((folder / "config.xml").read_text(encoding="utf-8"), criteria)
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    named = check_tasks(tasks, interface, expected)
    counts = {"tasks": len(tasks), "criteria": len(criteria), "named": named}
    if len(sys.argv) > 3:
        entries, wanted = answers(tasks, interface, criteria)
        to = Path(sys.argv[3])
        to.mkdir(parents=True, exist_ok=True)
        (to / "label_studio.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
        (to / "label_studio.expected.json").write_text(json.dumps(wanted, ensure_ascii=False), encoding="utf-8")
        counts["scores"] = len(wanted["scores"])
    done("label_studio_sdk", **counts)


main()
