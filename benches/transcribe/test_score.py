"""The scorer on cases that are known beforehand: `python3 -m unittest` in this folder."""

import random
import unittest

import jiwer

from score import PASSAGE, Score, difference, score, units


def turn(start, end, text, pause=1.0, language="en"):
    return {"start": start, "end": end, "text": text, "pause": pause, "language": language}


def segment(start, end, text):
    return {"start": start, "end": end, "text": text}


TALK = [turn(1, 3, "the wind was light"), turn(5, 9, "we counted sixty two samples from the hull of the ship")]


class Units(unittest.TestCase):
    def test_writing_does_not_count(self):
        self.assertEqual(units("It's 62 percent, Doctor!"), units("it is sixty two percent doctor"))
        self.assertEqual(units("過去三年，花了兩百元"), units("过去3年花了200元"))
        self.assertEqual(units("我们有 GPU 吗"), ["我", "们", "有", "gpu", "吗"])


class Scores(unittest.TestCase):
    def test_what_was_said_has_no_errors(self):
        found = score(TALK, [segment(t["start"] + 0.1, t["end"], t["text"]) for t in TALK])
        self.assertEqual((found.rate, found.words_in_silence, found.lost, found.turns_lost), (0, 0, 0, 0))
        self.assertEqual([round(start, 3) for start in found.starts], [0.1, 0.1])

    def test_edits_belong_to_their_turn(self):
        found = score(TALK, [segment(1, 3, "the win was very light"), segment(5, 9, TALK[1]["text"])])
        self.assertEqual(found.edits, [2, 0])

    def test_nothing_heard_is_all_lost(self):
        found = score(TALK, [])
        self.assertEqual((found.rate, found.turns_lost, round(found.lost, 9)), (1, 2, 6))
        self.assertEqual(found.without_start, 2)

    def test_words_out_of_silence(self):
        talk = [segment(1, 3, TALK[0]["text"]), segment(3.6, 4.6, "thank you"), segment(5, 9, TALK[1]["text"])]
        found = score(TALK, talk)
        self.assertEqual((found.words_in_silence, sum(found.edits)), (2, 2))

    def test_a_passage_is_lost_and_a_word_is_not(self):
        words = TALK[1]["text"].replace("sixty two", "62").split()
        one = score(TALK, [segment(1, 3, TALK[0]["text"]), segment(5, 9, " ".join(words[:3] + words[4:]))])
        many = score(TALK, [segment(1, 3, TALK[0]["text"]), segment(5, 9, " ".join(words[: -PASSAGE]))])
        self.assertEqual(one.lost, 0)
        self.assertAlmostEqual(many.lost, 4 * PASSAGE / len(words))

    def test_a_word_inside_a_segment_has_no_start(self):
        found = score(TALK, [segment(1, 9, TALK[0]["text"] + " " + TALK[1]["text"])])
        self.assertEqual((found.starts, found.without_start), ([0], 1))

    def test_languages(self):
        talk = [turn(0, 5, "好我们开始", language="zh"), turn(6, 11, "let us begin now")]
        right = score(talk, [segment(0, 5, "好，我们开始"), segment(6, 11, "let us begin now")])
        wrong = score(talk, [segment(0, 5, "ok we will start"), segment(6, 11, "let us begin now")])
        self.assertEqual((right.right_language, wrong.right_language, wrong.long_turns), (10, 5, 10))

    def test_the_sum_is_that_of_jiwer(self):
        rng = random.Random(4)
        words = "a b c d e f g".split()
        for _ in range(50):
            said = [" ".join(rng.choices(words, k=rng.randint(1, 12))) for _ in range(6)]
            heard = [" ".join(rng.choices(words, k=rng.randint(1, 12))) for _ in range(5)]
            found = score([turn(i, i + 1, t) for i, t in enumerate(said)], [segment(i, i + 1, t) for i, t in enumerate(heard)])
            self.assertAlmostEqual(found.rate, jiwer.wer(" ".join(said), " ".join(heard)))


class Differences(unittest.TestCase):
    def test_an_interval_covers_the_difference(self):
        rng = random.Random(5)
        units = [10] * 300
        worse = Score(units, [rng.randint(0, 4) for _ in units])
        better = Score(units, [max(e - rng.randint(0, 1), 0) for e in worse.edits])
        low, high = difference(worse, better)
        self.assertTrue(0 < low < worse.rate - better.rate < high)
        self.assertEqual(difference(worse, worse), (0, 0))


if __name__ == "__main__":
    unittest.main()
