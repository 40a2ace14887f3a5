"""Tables of pandas, where it is installed; one sentence where it is not."""

from __future__ import annotations

import importlib.util
import sys
import unittest
from unittest import mock

import taskgen
from support import DATA
from taskgen.frames import _row


class Rows(unittest.TestCase):
    def test_parts_are_columns_and_lists_stay_lists(self) -> None:
        row = _row(taskgen.read_tasks(DATA / "tasks.jsonl")[0])
        self.assertEqual(row["rank"], 1)
        self.assertEqual(row["estimate.games"], 7)
        self.assertEqual(row["provenance.seminar.path"], "minnan.opus")
        self.assertIsNone(row["edited.by"])
        inspirations = row["provenance.inspirations"]
        assert isinstance(inspirations, list)
        self.assertEqual(inspirations[0]["evidence"][0]["start_s"], 71.088)
        self.assertNotIn("extra", row)

    def test_unknown_fields_and_mappings_are_columns(self) -> None:
        strength = taskgen.Strength(
            strength=1.0, low=0.5, high=2.0, p_top=0.1, games=None, extra={"sd": {"of": 3}}
        )
        columns = ["strength", "low", "high", "p_top", "games", "sd.of"]
        self.assertEqual(list(_row(strength)), columns)


class Frames(unittest.TestCase):
    def test_without_pandas_one_sentence_says_so(self) -> None:
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "^to_frame needs pandas: pip install pandas$"):
                taskgen.to_frame([])

    @unittest.skipIf(importlib.util.find_spec("pandas") is None, "pandas is not installed")
    def test_a_row_for_each_record(self) -> None:
        frame = taskgen.to_frame(taskgen.read_tasks(DATA / "tasks.jsonl"))
        self.assertEqual(len(frame), 3)
        self.assertEqual(frame["language"].tolist(), ["zh-Hans", "en", "en"])
        self.assertGreater(frame["estimate.strength"][0], frame["estimate.strength"][2])


if __name__ == "__main__":
    unittest.main()
