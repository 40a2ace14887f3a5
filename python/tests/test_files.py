"""Files that the program wrote, and files that are wrong."""

from __future__ import annotations

import json
import pickle
import unittest
from typing import Any

import taskgen
from support import DATA, Folder, unknown


def line(number: int = 0) -> dict[str, Any]:
    """A task's line, to be changed."""
    text = (DATA / "tasks.jsonl").read_text(encoding="utf-8").split("\n")[number]
    value: dict[str, Any] = json.loads(text)
    return value


class Tasks(Folder):
    def test_the_programs_own_file_is_read_without_a_rest(self) -> None:
        tasks = taskgen.read_tasks(DATA / "tasks.jsonl")
        self.assertEqual([task.language for task in tasks], ["zh-Hans", "en", "en"])
        self.assertEqual(list(unknown(tasks)), [])
        first = tasks[0]
        self.assertEqual((first.rank, first.phase), (1, "Evaluate"))
        self.assertEqual(first.licence, "MIT OR Apache-2.0")
        assert first.estimate is not None and isinstance(first.provenance, taskgen.FromTalk)
        self.assertLess(first.estimate.low, first.estimate.strength)
        self.assertEqual(first.provenance.inspirations[0].kind, "Transdisciplinary")
        self.assertIn("方言语音识别", first.text)

    def test_quotes_lead_back_to_the_transcript(self) -> None:
        transcript = taskgen.read_transcript(DATA / "minnan.opus.json")
        quotes = taskgen.read_tasks(DATA / "tasks.jsonl")[0].quotes
        self.assertEqual(len(quotes), 1)
        for quote in quotes:
            self.assertEqual(transcript.text[quote.start_char : quote.end_char], quote.quote)
            number = int(quote.segment_id.removeprefix(f"{transcript.id}/"))
            self.assertIn(quote.quote, transcript.segments[number].text)

    def test_fields_of_a_newer_program_are_kept(self) -> None:
        newer = line() | {"schema_version": 2, "mood": {"calm": [1]}}
        newer["provenance"]["seminar"]["room"] = "B 12"
        [task] = taskgen.read_tasks(self.write("new.jsonl", newer))
        self.assertEqual(task.extra, {"mood": {"calm": [1]}})
        assert isinstance(task.provenance, taskgen.FromTalk)
        self.assertEqual(task.provenance.seminar.extra, {"room": "B 12"})

    def test_lines_end_at_a_line_feed_alone(self) -> None:
        odd = line() | {"task": "one\u2028two\x85three\x0bfour"}
        raw = json.dumps(odd, ensure_ascii=False).encode()
        file = self.write("odd.jsonl", b"", raw, b" \r", odd)
        self.assertEqual([task.text for task in taskgen.read_tasks(file)], [odd["task"]] * 2)

    def test_a_file_may_begin_with_a_byte_order_mark(self) -> None:
        file = self.write("mark.jsonl", b"\xef\xbb\xbf" + json.dumps(line()).encode())
        self.assertEqual(len(taskgen.read_tasks(file)), 1)

    def test_an_empty_file_has_no_tasks(self) -> None:
        self.assertEqual(taskgen.read_tasks(self.write("empty.jsonl")), [])

    def test_records_are_frozen_and_travel_between_processes(self) -> None:
        task = taskgen.read_tasks(DATA / "tasks.jsonl")[0]
        self.assertEqual(pickle.loads(pickle.dumps(task)), task)
        with self.assertRaises(AttributeError):
            task.rank = 2  # type: ignore[misc]


class WrongTasks(Folder):
    def refused(self, *lines: object) -> taskgen.FormatError:
        """The error about a file of lines."""
        with self.assertRaises(taskgen.FormatError) as raised:
            taskgen.read_tasks(self.write("wrong.jsonl", *lines))
        return raised.exception

    def assert_refused(self, wanted: str, number: int, *lines: object) -> None:
        self.assertEqual(str(self.refused(*lines)), f"{self.folder}/wrong.jsonl:{number}: {wanted}")

    def test_a_missing_field_is_named_with_its_line(self) -> None:
        short = line()
        del short["language"]
        self.assert_refused("`language` is missing", 3, line(), b"", short)
        deep = line()
        del deep["provenance"]["inspirations"][0]["evidence"][0]["quote"]
        where = "provenance.inspirations[0].evidence[0].quote"
        self.assert_refused(f"`{where}` is missing", 1, deep)

    def test_a_newer_record_that_lacks_a_field_says_so(self) -> None:
        newer = line() | {"schema_version": 2}
        del newer["rank"]
        versions = "(the record has version 2, this module reads version 1)"
        self.assert_refused(f"`rank` is missing {versions}", 1, newer)

    def test_wrong_values_are_shown(self) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"rank": "x"}, '`rank` is not a whole number: "x"'),
            ({"rank": True}, "`rank` is not a whole number: true"),
            ({"rank": 1.5}, "`rank` is not a whole number: 1.5"),
            ({"id": None}, "`id` is not a string: null"),
            ({"inspiration_ids": "i_a"}, '`inspiration_ids` is not a list: "i_a"'),
            ({"inspiration_ids": ["i_a", 2]}, "`inspiration_ids[1]` is not a string: 2"),
            ({"facets": {"a": 1}}, "`facets.a` is not a string: 1"),
            ({"provenance": {}}, "`provenance.seminar` is missing"),
            ({"provenance": []}, "`provenance` is not an object: []"),
            ({"elo": 10**400}, "`elo` is too large a number"),
            ({"task": ["x" * 99]}, f'`task` is not a string: ["{"x" * 58}…'),
        ]
        for change, wanted in wrong:
            with self.subTest(change=change):
                self.assert_refused(wanted, 1, line() | change)

    def test_lines_that_are_no_json_are_named(self) -> None:
        # A lone brace, a number that is none, another encoding, no object, and too deep a list.
        wrong: list[tuple[bytes, str]] = [
            (b"{", "not JSON: Expecting property name enclosed in double quotes, column 2"),
            (b'{"elo": NaN}', "not JSON: NaN is no number"),
            (b'{"id": "\xff"}', "not UTF-8"),
            (b"7", "the value is not an object: 7"),
        ]
        for text, wanted in wrong:
            with self.subTest(text=text):
                self.assert_refused(wanted, 2, line(), text)
        deep = self.refused(line(), b"[" * 200_000)
        self.assertEqual(deep.line, 2)
        self.assertTrue(deep.problem.startswith("not JSON: "), deep.problem)

    def test_an_infinite_number_is_refused(self) -> None:
        text = json.dumps(line() | {"elo": 1}).replace('"elo": 1', '"elo": 1e999')
        self.assert_refused("`elo` is too large a number", 1, text.encode())

    def test_errors_travel_between_processes(self) -> None:
        error = self.refused(b"{")
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))


class Sets(Folder):
    MARKS = {"set": "pilot@2", "canary": "taskgen:canary:7"}

    def test_withdrawn_tasks_keep_their_place(self) -> None:
        withdrawn = self.MARKS | {"id": "t_gone", "withdrawn": True}
        file = self.write("set.jsonl", self.MARKS | line(0), withdrawn, self.MARKS | line(1))
        read = taskgen.read_set(file)
        self.assertEqual((read.label, read.canary), ("pilot@2", "taskgen:canary:7"))
        ids = [line(0)["id"], "t_gone", line(1)["id"]]
        self.assertEqual([member.id for member in read.members], ids)
        self.assertEqual([task.id for task in read.tasks], [ids[0], ids[2]])
        self.assertEqual([task.set for task in taskgen.read_tasks(file)], ["pilot@2", "pilot@2"])
        self.assertEqual(list(unknown(read)), [])

    def test_what_is_no_set_is_refused(self) -> None:
        other = self.MARKS | {"set": "pilot@3"}
        for lines, number, wanted in [
            ([self.MARKS | line(), line()], 2, "the task is of no set"),
            ([self.MARKS | line(), other | line()], 2, "the line is of another set: `pilot@3`"),
            ([], None, "a set without a line"),
            ([self.MARKS | {"withdrawn": True}], 1, "`id` is missing"),
        ]:
            with self.subTest(wanted=wanted), self.assertRaises(taskgen.FormatError) as raised:
                taskgen.read_set(self.write("set.jsonl", *lines))
            self.assertEqual((raised.exception.line, raised.exception.problem), (number, wanted))


class Transcripts(Folder):
    def test_the_programs_own_file_is_read_without_a_rest(self) -> None:
        transcript = taskgen.read_transcript(DATA / "minnan.opus.json")
        self.assertEqual(list(unknown(transcript)), [])
        self.assertEqual((transcript.language, transcript.model.name), ("zh-Hans", "base"))
        self.assertEqual(transcript.parameters["engine"], "whisper.cpp 1.8.3")
        self.assertEqual(transcript.segments[0].text, "各位老师同学下午好。")
        self.assertEqual(transcript.text.split("\n")[1], transcript.segments[1].text)
        self.assertLessEqual(transcript.segments[-1].end, transcript.duration)

    def test_words_and_speakers_are_read(self) -> None:
        value = json.loads((DATA / "minnan.opus.json").read_text(encoding="utf-8"))
        words = [{"start": 1.5, "end": 2, "text": "各位"}]
        value["segments"][0] |= {"speaker": "A", "words": words}
        segment = taskgen.read_transcript(self.write("a.json", value)).segments[0]
        self.assertEqual((segment.speaker, segment.words[0].end), ("A", 2.0))

    def test_what_is_wrong_is_named(self) -> None:
        value = json.loads((DATA / "minnan.opus.json").read_text(encoding="utf-8"))
        del value["segments"][3]["text"]
        for text, wanted in [
            (json.dumps(value).encode(), "wrong.json: `segments[3].text` is missing"),
            (b'{\n  "id": 1,\n  2}', "wrong.json:3: not JSON: "),
            (b'{\n\n"\xff"}', "wrong.json:3: not UTF-8"),
        ]:
            with self.subTest(wanted=wanted), self.assertRaises(taskgen.FormatError) as raised:
                taskgen.read_transcript(self.write("wrong.json", text))
            self.assertIn(wanted, str(raised.exception))

    def test_a_file_that_is_not_there_is_the_usual_error(self) -> None:
        with self.assertRaises(FileNotFoundError):
            taskgen.read_transcript(self.folder / "none.json")


if __name__ == "__main__":
    unittest.main()
