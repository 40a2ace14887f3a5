"""Projects that the program made, asked through the program."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import taskgen
from support import DATA, QUESTIONS, Folder, Made, program_path, unknown


class Asked(Made):
    def test_tasks_are_those_of_the_export(self) -> None:
        tasks = self.project.tasks()
        texts = {question["prompt"] for question in QUESTIONS}
        self.assertEqual({task.text for task in tasks}, texts)
        self.assertEqual({task.licence for task in tasks}, {"CC0-1.0"})
        for task in tasks:
            assert isinstance(task.provenance, taskgen.FromFile)
            self.assertEqual(task.provenance.imported.benchmark, "tides")
        self.assertEqual(list(unknown(tasks)), [])
        self.project.run("tasks", "export")
        self.assertEqual(taskgen.read_tasks(self.project.path / "tasks/tasks.jsonl"), tasks)
        self.assertEqual(self.project.tasks(top=1), tasks[:1])

    def test_scores_and_leaderboard(self) -> None:
        self.import_reports()
        reports = self.project.reports()
        self.assertEqual(sorted(report.agent for report in reports), ["first"] * 2 + ["second"] * 2)
        self.assertEqual(list(unknown(reports)), [])
        scores = self.project.scores()
        words = [score.value for score in scores if score.measure == "words"]
        self.assertEqual(words, [4.0] * 4)
        missing = [score for score in scores if score.measure == "ace"]
        self.assertEqual({score.value for score in missing}, {None})
        self.assertTrue(all(score.cause for score in missing))
        board = self.project.leaderboard(by=["language"], set="tides")
        self.assertEqual(list(unknown(board)), [])
        self.assertEqual([agent.agent for agent in board.agents], ["first", "second"])
        self.assertEqual([group.value for group in board.groups], ["en", "zh"])
        self.assertEqual(board.agents[0].measures["words"].value, 4.0)
        self.assertEqual(board.tasks, 2)

    def test_transcripts_are_all_files_but_those_beside_them(self) -> None:
        folder = self.project.path / "transcripts"
        (folder / "b").mkdir(parents=True)
        shutil.copy(DATA / "minnan.opus.json", folder / "b/minnan.opus.json")
        shutil.copy(DATA / "minnan.opus.json", folder / "a.opus.json")
        (folder / "a.opus.meta.json").write_text("{}")
        self.assertEqual(len(self.project.transcripts()), 2)

    def test_a_failed_command_says_why(self) -> None:
        with self.assertRaises(taskgen.CommandFailed) as raised:
            self.project.run("tasks", "show", "t_zzz")
        failed = raised.exception
        self.assertEqual(failed.exit_code, 2)
        self.assertTrue(failed.message.startswith("no such task: `t_zzz`\nhint: "), failed.message)
        self.assertIn("`taskgen tasks show t_zzz` ended with exit code 2: no such", str(failed))
        self.assertEqual(str(pickle.loads(pickle.dumps(failed))), str(failed))

    def test_what_a_command_printed_before_it_failed_is_kept(self) -> None:
        strange = self.write("strange.jsonl", {"id": "t_none", "prompt": "?", "article": "text"})
        with self.assertRaises(taskgen.CommandFailed) as raised:
            self.project.run("reports", "import", strange, "--agent=a")
        self.assertEqual(raised.exception.exit_code, 1)
        self.assertEqual(len(json.loads(raised.exception.output)["problems"]), 1)

    def test_output_is_what_is_printed(self) -> None:
        printed = taskgen.output("--version", program=program_path())
        self.assertRegex(printed, r"^taskgen \d")

    def test_output_that_is_no_json_is_an_error(self) -> None:
        with self.assertRaises(taskgen.FormatError) as raised:
            self.project.run("tasks", "export", "--output=-")
        wanted = "`taskgen tasks export --output=-`:2: not JSON: Extra data, column 1"
        self.assertEqual(str(raised.exception), wanted)


class WithoutProgram(Folder):
    def test_a_folder_without_configuration_is_no_project(self) -> None:
        with self.assertRaises(taskgen.ProjectNotFound) as raised:
            taskgen.Project(self.folder)
        self.assertIn(str(self.folder), str(raised.exception))

    def test_a_program_that_is_nowhere_is_said(self) -> None:
        with mock.patch("taskgen.program._script_folders", return_value=[]):
            with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
                with self.assertRaises(taskgen.ProgramNotFound):
                    taskgen.run("status")


@unittest.skipIf(os.name == "nt", "needs a script as a program")
class Pretended(Folder):
    """A script in the program's place, which keeps its arguments and prints what it is told to."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "taskgen.toml").touch()
        self.arguments = self.folder / "arguments"

    def project(self, printed: bytes, exit_code: int = 0) -> taskgen.Project:
        (self.folder / "printed").write_bytes(printed)
        program = self.folder / "taskgen"
        program.write_text(
            f"#!{sys.executable}\n"
            "import json, pathlib, sys\n"
            "here = pathlib.Path(__file__).parent\n"
            "(here / 'arguments').write_text(json.dumps(sys.argv[1:]))\n"
            "sys.stdout.buffer.write((here / 'printed').read_bytes())\n"
            "sys.stderr.buffer.write(b'error: it \\xff failed\\n')\n"
            f"sys.exit({exit_code})\n"
        )
        program.chmod(0o755)
        return taskgen.Project(self.folder, program=program)

    def assert_asked(self, *arguments: str) -> None:
        self.assertEqual(json.loads(self.arguments.read_text()), list(arguments))

    def test_a_set_is_asked_for_by_name(self) -> None:
        marks = {"set": "pilot@2", "canary": "c"}
        text = (DATA / "tasks.jsonl").read_text(encoding="utf-8").split("\n")[0]
        lines = [marks | json.loads(text), marks | {"id": "t_gone", "withdrawn": True}]
        printed = "".join(json.dumps(line) + "\n" for line in lines)
        read = self.project(printed.encode()).set("pilot@2")
        self.assertEqual([member.id for member in read.members], [lines[0]["id"], "t_gone"])
        flags = ["--quiet", "--project", str(self.folder)]
        self.assert_asked(*flags, "tasks", "export", "--set=pilot@2", "--output=-")

    def test_options_stand_before_the_command(self) -> None:
        self.assertIsNone(self.project(b"").run("answer", Path("a b"), "--", "x"))
        flags = ["--quiet", "--json", "--project", str(self.folder)]
        self.assert_asked(*flags, "answer", "a b", "--", "x")

    def test_a_broken_export_is_named_with_its_line(self) -> None:
        with self.assertRaises(taskgen.FormatError) as raised:
            self.project(b"\n{}\n").tasks()
        wanted = "`taskgen tasks export --output=-`:2: `id` is missing"
        self.assertEqual(str(raised.exception), wanted)

    def test_a_message_in_another_encoding_is_a_message(self) -> None:
        with self.assertRaises(taskgen.CommandFailed) as raised:
            self.project(b"[]", exit_code=5).run("rank")
        failed = raised.exception
        self.assertEqual((failed.exit_code, failed.output), (5, "[]"))
        self.assertEqual(failed.message, "it \ufffd failed")

    def test_a_leaderboard_may_lack_every_number(self) -> None:
        numbers = ("value", "low", "high", "worst", "best")
        measure = dict.fromkeys(numbers) | {"n": 0, "of": 1, "missing": {"unscored": 1}}
        measure |= {"failed_by_rule": 0, "not_applicable": 0, "no_bounds": "no largest value"}
        counts = {"numerator": 0, "denominator": 0, "unscored": 1, "wilson": None}
        zeros = dict.fromkeys(("reports", "without_report", "spent_micro"), 0)
        names = ("states", "by_judge", "repeated", "unscored", "url_failures")
        agent: dict[str, Any] = zeros | {name: {} for name in names} | {"agent": "a"}
        agent |= dict.fromkeys(("rank", "tier", "possible_ranks", "p_top_k"))
        agent["is_complete"] = False
        agent["measures"] = {"ace": measure | {"counts": counts}}
        agent["by_judge"] = {"ace": {"openai/x": {"value": 1, "tasks": 2}}}
        difference = {"measure": "ace", "first": "a", "second": "b", "tasks": 1, "value": 0}
        difference |= {"p": 1, "adjusted": 1, "significant": False}
        difference |= dict.fromkeys(("low", "high", "detectable"))
        table: dict[str, Any] = {"tasks": 1, "reports": 1, "tiers_by": None, "complete_by": None}
        table |= {"agents": [agent], "differences": [difference]}
        group = table | {"facet": "phase", "value": None}
        pair = {"first": "a", "second": "b", "kept": 0.5, "neighbours": True}
        pair["swap"] = {"criterion": "depth", "weight": 0.5, "change": 0.25}
        stable = {"measure": "ace", "weightings": 9, "criteria": 2, "tasks": 1, "pairs": [pair]}
        whole = table | {"options": {}, "groups": [group], "families": table, "sensitivity": stable}
        board = self.project(json.dumps(whole).encode()).leaderboard(by=["phase"], set="x@1")
        self.assertEqual(list(unknown(board)), [])
        assert board.families is not None
        self.assertIsNone(board.families.differences[0].detectable)
        self.assertEqual(board.groups[0].agents[0].by_judge["ace"]["openai/x"].tasks, 2)
        assert board.sensitivity is not None and board.sensitivity.pairs[0].swap is not None
        self.assertEqual(board.sensitivity.pairs[0].swap.change, 0.25)
        flags = ["--quiet", "--json", "--project", str(self.folder)]
        self.assert_asked(*flags, "leaderboard", "--by=phase", "--set=x@1")


if __name__ == "__main__":
    unittest.main()
