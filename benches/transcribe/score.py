"""What a transcript is worth beside what was said: errors by turn, invented and lost speech, times, languages.

Units are words, and characters where the script is Chinese, both normalised: Whisper's own English normaliser (spelling,
contractions, numbers), simplified script, Chinese number words as digits. The alignment is `jiwer`'s, over the whole
recording, so that no system's times decide which of its words are right.
"""

import functools
import re
from dataclasses import dataclass, field

import cn2an
import jiwer
import numpy as np
import opencc
from whisper_normalizer.english import EnglishTextNormalizer

HAN = re.compile(r"([\u3400-\u9fff])")
# A segment this close to a turn, in seconds, belongs to it.
NEAR = 0.25
# So many units missing in a row are a passage that was lost, not a word that was misheard.
PASSAGE = 4
# Turns after a pause of at least this many seconds are those whose start can be told.
PAUSE = 0.3
# Turns of at least this many seconds have a language that can be told.
LONG_TURN = 4.0

simplified = opencc.OpenCC("t2s").convert
english = functools.cache(EnglishTextNormalizer)


def units(text: str) -> list[str]:
    """The normal form of a text, as a list of what is counted."""
    text = simplified(text)
    if HAN.search(text):
        text = cn2an.transform(text, "cn2an")
    return english()(HAN.sub(r" \1 ", text)).split()


@dataclass
class Score:
    """One transcript against its reference. All lists that are not said otherwise have one entry for each turn."""

    units: list[int]
    edits: list[int]
    # Words of segments that touch no turn.
    words_in_silence: int = 0
    # Seconds of speech in passages that are missing.
    lost: float = 0.0
    # Segment's start minus turn's start in seconds, for turns after a pause whose first word begins a segment.
    starts: list[float] = field(default_factory=list)
    # Turns after a pause whose first word is missing or inside a segment, where it has no time.
    without_start: int = 0
    # Turns of which no unit was heard.
    turns_lost: int = 0
    # Seconds in long turns, and of these the seconds heard mostly in the turn's own script.
    long_turns: float = 0.0
    right_language: float = 0.0

    @property
    def rate(self) -> float:
        return sum(self.edits) / sum(self.units)


def score(turns, segments) -> Score:
    """`turns` as corpus.py describes them; `segments` with start and end in seconds and a text, in order of time."""
    said, turn_of = joined([turn["text"] for turn in turns])
    heard, segment_of = joined([segment["text"] for segment in segments])
    partners, edits = align(said, heard, turn_of, len(turns))
    counts = np.bincount(turn_of, minlength=len(turns)).tolist()
    result = Score(units=counts, edits=edits)
    result.words_in_silence = sum(
        int(np.sum(segment_of == i)) for i, segment in enumerate(segments) if not touches(segment, turns)
    )
    seconds = [(turn["end"] - turn["start"]) / count for turn, count in zip(turns, counts)]
    result.lost = sum(seconds[turn_of[i]] for i in passages(partners))
    starts(result, turns, segments, turn_of, segment_of, partners)
    languages(result, turns, turn_of, heard, partners)
    return result


def joined(texts):
    """The units of all texts, and of which text each one is."""
    each = [units(text) for text in texts]
    owners = [i for i, found in enumerate(each) for _ in found]
    return [unit for found in each for unit in found], np.array(owners, dtype=int)


def align(said, heard, turn_of, turns):
    """For each unit that was said the one that was heard in its place, or None; and the edits of each turn."""
    partners, edits = [None] * len(said), [0] * turns
    if not heard:
        return partners, np.bincount(turn_of, minlength=turns).tolist()
    aligned = jiwer.process_words(" ".join(said), " ".join(heard))
    for chunk in aligned.alignments[0]:
        if chunk.type == "insert":
            # Words too many are charged to the turn before them.
            edits[turn_of[max(chunk.ref_start_idx - 1, 0)]] += chunk.hyp_end_idx - chunk.hyp_start_idx
            continue
        for offset, i in enumerate(range(chunk.ref_start_idx, chunk.ref_end_idx)):
            edits[turn_of[i]] += chunk.type != "equal"
            if chunk.type != "delete":
                partners[i] = chunk.hyp_start_idx + offset
    assert sum(edits) == aligned.substitutions + aligned.deletions + aligned.insertions
    return partners, edits


def touches(segment, turns):
    return any(turn["start"] - NEAR < segment["end"] and segment["start"] < turn["end"] + NEAR for turn in turns)


def passages(partners):
    """Units that are missing together with enough of their neighbours."""
    missing, run = [], []
    for i, partner in enumerate([*partners, -1]):
        if partner is None:
            run.append(i)
            continue
        missing += run if len(run) >= PASSAGE else []
        run = []
    return missing


def starts(result, turns, segments, turn_of, segment_of, partners):
    first = {int(segment): i for i, segment in reversed(list(enumerate(segment_of)))}
    for number, turn in enumerate(turns):
        if turn["pause"] < PAUSE:
            continue
        partner = partners[int(np.flatnonzero(turn_of == number)[0])]
        if partner is not None and first[int(segment_of[partner])] == partner:
            result.starts.append(segments[segment_of[partner]]["start"] - turn["start"])
        else:
            result.without_start += 1


def languages(result, turns, turn_of, heard, partners):
    for number, turn in enumerate(turns):
        found = [heard[partners[i]] for i in np.flatnonzero(turn_of == number) if partners[i] is not None]
        result.turns_lost += not found
        length = turn["end"] - turn["start"]
        if length >= LONG_TURN:
            han = sum(bool(HAN.match(unit)) for unit in found) > len(found) / 2
            result.long_turns += length
            result.right_language += length if found and han == (turn["language"] == "zh") else 0.0


def difference(one: Score, other: Score, seed=0, draws=10_000):
    """The 95 % interval of the difference of two error rates: a paired bootstrap over turns."""
    rng = np.random.default_rng(seed)
    turns = len(one.units)
    weights = rng.multinomial(turns, np.full(turns, 1 / turns), size=draws)
    rate = (weights @ (np.array(one.edits) - np.array(other.edits))) / (weights @ np.array(one.units))
    return float(np.quantile(rate, 0.025)), float(np.quantile(rate, 0.975))
