"""check_argilla.py FOLDER EXPECTED [ANSWERS [SERVER_PYTHON]]: settings and records, opened by Argilla's own SDK.

FOLDER is what `rg.Dataset.from_disk` reads; whether agents are named is told by the records. With ANSWERS, a
folder, records with the responses of several people are written there as the SDK writes them
(`argilla_to_json.json`, `argilla_flat.json`), and what must be read out of them (`….expected.json`). With
SERVER_PYTHON, an interpreter that has `argilla-server`, Argilla's server runs on loopback: it takes the data set
in, people answer over its API, and what it gives out is written to ANSWERS instead.
"""

import base64
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import MagicMock
from uuid import UUID

import argilla as rg
import httpx
from argilla.records._io import GenericIO, JsonIO
from expected import Expected, check, done, equal

OVERALL, REMARKS = "overall", "remarks"
PEOPLE = ["ann", "bo", "cy"]


def question(criterion: str) -> str:
    """The name of a criterion's question."""
    if all(c in "abcdefghijklmnopqrstuvwxyz0123456789-_" for c in criterion):
        return f"c-{criterion}"
    return "x-" + base64.b32encode(criterion.encode()).decode().rstrip("=").lower()


def check_settings(settings: rg.Settings, criteria: list[str], named: bool) -> None:
    settings.validate()
    ratings = [q for q in settings.questions if isinstance(q, rg.RatingQuestion)]
    equal([q.name for q in ratings], [OVERALL, *map(question, criteria)], "the questions")
    equal([q.title for q in ratings][1:], criteria, "the titles of criteria")
    equal([q.required for q in ratings], [True] + [False] * len(criteria), "what must be answered")
    for q in ratings:
        equal(list(q.values), list(range(11)), f"the scale of {q.name}")
    others = [q for q in settings.questions if q not in ratings]
    equal([(q.name, q.required, q.use_markdown) for q in others], [(REMARKS, False, False)], "the other questions")
    # Argilla shows HTML in Markdown, with <embed> and <object>: no field may be Markdown.
    equal([(f.name, f.use_markdown) for f in settings.fields], [("task", False), ("report", False)], "the fields")
    metadata = ["report_id", "task_id", "set", "canary"] + (["agent", "attempt"] if named else [])
    equal([m.name for m in settings.metadata], metadata, "the metadata")
    check(not any(m.visible_for_annotators for m in settings.metadata), "people who score see metadata")


def check_records(records: list[rg.Record], expected: Expected) -> None:
    wanted = {report["id"]: report for report in expected.with_text()}
    equal({r.id for r in records}, set(wanted), "the reports")
    equal(len(records), len(wanted), "the number of records")
    for record in records:
        report = wanted[record.id]
        equal(record.fields["report"], report["text"], f"the text of {record.id}")
        equal(record.fields["task"], expected.texts[report["task"]], f"the task of {record.id}")
        metadata = {"report_id": record.id, "task_id": report["task"], "set": expected.set["label"], "canary": expected.set["canary"]}
        if "agent" in record.metadata:
            metadata |= {"agent": report["agent"], "attempt": report["attempt"]}
        equal(dict(record.metadata), metadata, f"the metadata of {record.id}")


def planned(records: list[str], criteria: list[str]):
    """Who answers what: for each record and person a status and values by question."""
    for at, record in enumerate(records):
        for person, name in enumerate(PEOPLE):
            status = ["submitted", "submitted", "draft", "submitted", "discarded"][(at + person) % 5]
            values = {OVERALL: (at * 3 + person * 5) % 11}
            for which, criterion in enumerate(criteria):
                if (at + which) % 3:
                    values[question(criterion)] = (at + person + which) % 11
            values[REMARKS] = "很好 </script>"
            yield record, name, status, values


def wanted_of(plan, users: dict[str, str], criteria: list[str], mode: str) -> dict:
    """What reading back must give: with the status, without it, and without it but trusted."""
    names = {question(criterion): criterion for criterion in criteria} | {OVERALL: None}
    wanted = {"scores": [], "drafts": 0, "discarded": 0, "unstated": 0, "remarks": 0, "problems": 0}
    for record, person, status, values in plan:
        if mode == "unstated":
            wanted["unstated"] += 1
            continue
        if mode == "stated" and status != "submitted":
            wanted["drafts" if status == "draft" else "discarded"] += 1
            continue
        for name, value in values.items():
            if name == REMARKS:
                wanted["remarks"] += 1
            else:
                score = {"report": record, "criterion": names[name], "rater": users[person], "value": float(value)}
                wanted["scores"].append(score)
    return wanted


def ordered(wanted: dict, records: list[dict]) -> dict:
    """The same scores in the order of a file: by record, then by question, then by answer."""
    place = {}
    for record in records:
        for name, given in record["responses"].items():
            for one in given:
                place[record["id"], name, one["user_id"]] = len(place)
    name = lambda criterion: OVERALL if criterion is None else question(criterion)
    wanted["scores"].sort(key=lambda s: place[s["report"], name(s["criterion"]), s["rater"]])
    return wanted


def write(to: Path, records: list[rg.Record], plan: list, users: dict[str, str], criteria: list[str]) -> int:
    to.mkdir(parents=True, exist_ok=True)
    for name in ["argilla_to_json", "argilla_flat"]:
        (to / f"{name}.json").unlink(missing_ok=True)
    JsonIO.to_json(records, to / "argilla_to_json.json")
    (to / "argilla_flat.json").write_text(json.dumps(GenericIO.to_list(records, flatten=True)), encoding="utf-8")
    nested = GenericIO.to_list(records)
    for name, mode in [("argilla_flat", "stated"), ("argilla_to_json", "unstated"), ("argilla_to_json_taken", "taken")]:
        wanted = ordered(wanted_of(plan, users, criteria, mode), nested)
        (to / f"{name}.expected.json").write_text(json.dumps(wanted, ensure_ascii=False), encoding="utf-8")
    return len(wanted_of(plan, users, criteria, "stated")["scores"])


def offline(folder: Path, expected: Expected, to: Path | None) -> dict:
    rg.Argilla._default_client = MagicMock()
    records = JsonIO._records_from_json(folder / "records.json")
    named = {"agent" in record.metadata for record in records}
    equal(len(named), 1, "whether agents are named")
    settings = rg.Settings.from_json(folder / ".argilla/settings.json")
    check_settings(settings, expected.set["criteria"], named == {True})
    check_records(records, expected)
    if named == {False}:
        text = (folder / "records.json").read_text(encoding="utf-8")
        names = {r["agent"] for r in expected.reports}
        check(not any(json.dumps(name, ensure_ascii=False)[1:-1] in text for name in names), "an agent is named")
    counts = {"records": len(records), "questions": len(list(settings.questions)), "named": named == {True}}
    if to:
        plan = list(planned([r.id for r in records], expected.set["criteria"]))
        users = {name: str(UUID(int=at + 1)) for at, name in enumerate(PEOPLE)}
        by_id = {record.id: record for record in records}
        for record, person, status, values in plan:
            for name, value in values.items():
                by_id[record].responses.add(rg.Response(name, value, UUID(users[person]), status=status))
        counts["scores"] = write(to, records, plan, users, expected.set["criteria"])
    rg.Argilla._default_client = None
    return counts


def with_server(python: str, folder: Path, expected: Expected, to: Path) -> dict:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as data:
        script = Path(__file__).with_name("serve_argilla.py")
        log = open(to / "argilla-server.log", "w")
        server = subprocess.Popen([python, str(script), data, str(port)], stdout=log, stderr=log)
        try:
            for _ in range(600):
                try:
                    httpx.get(f"{root}/api/v1/version", timeout=5, trust_env=False).raise_for_status()
                    break
                except httpx.HTTPError:
                    check(server.poll() is None, f"argilla-server ends, see {to / 'argilla-server.log'}")
                    time.sleep(0.25)
            return asked(root, folder, expected, to)
        finally:
            server.terminate()
            server.wait(30)


def asked(root: str, folder: Path, expected: Expected, to: Path) -> dict:
    client = rg.Argilla(api_url=root, api_key="argilla.apikey")
    dataset = rg.Dataset.from_disk(str(folder), workspace="reports", client=client)
    records = {r.id: r for r in dataset.records}
    check_records(list(records.values()), expected)
    plan = list(planned(list(records), expected.set["criteria"]))
    users = {user.username: str(user.id) for user in client.users}
    for record, person, status, values in plan:
        answer = {"status": status, "values": {name: {"value": value} for name, value in values.items()}}
        path = f"{root}/api/v1/records/{records[record]._server_id}/responses"
        headers = {"X-Argilla-Api-Key": f"key-of-{person}"}
        response = httpx.post(path, json=answer, headers=headers, timeout=30, trust_env=False)
        check(response.status_code == 201, f"a response is refused: {response.text}")
    answered = list(dataset.records(with_responses=True))
    counts = {"server_version": httpx.get(f"{root}/api/v1/version", trust_env=False).json()["version"]}
    counts |= {"server_records": len(answered), "responses": len(plan)}
    counts["server_scores"] = write(to, answered, plan, users, expected.set["criteria"])
    return counts


def main() -> None:
    folder, expected = Path(sys.argv[1]), Expected(sys.argv[2])
    to = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    counts = offline(folder, expected, to)
    if len(sys.argv) > 4:
        counts |= with_server(sys.argv[4], folder, expected, to)
    done("argilla", **counts)


main()
