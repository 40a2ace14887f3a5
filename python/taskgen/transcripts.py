"""Transcripts: the files under `transcripts/`, and those of `taskgen transcribe FILE`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ._decoding import decode, parse
from ._record import Record
from .tasks import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Record):
    """A word, or a few characters where words are not set apart.

    Attributes:
        start: Where it begins, in seconds.
        end: Where it ends, in seconds.
        text: What was said, with its punctuation.
    """

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(Record):
    """A stretch of speech, a sentence or a clause where the recogniser allows it.

    Attributes:
        start: Where it begins, in seconds.
        end: Where it ends, in seconds.
        text: What was said.
        confidence: Mean token probability, from 0 to 1.
        speaker: Who speaks, where that is known.
        words: When each word was said, where that was asked for.
    """

    start: float
    end: float
    text: str
    confidence: float
    speaker: str | None = None
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript(Record):
    """The words of one recording with their times.

    Attributes:
        schema_version: Version of the file's shape.
        id: Hash of recording, model, parameters and segments.
        seminar: The recording by its content.
        path: Path of the recording under the seminars folder.
        media_sha256: Hash of the recording's bytes.
        duration: Length of the recording in seconds.
        language: BCP 47 tag, such as `en` or `zh-Hans`.
        model: The speech model that wrote the text.
        parameters: Everything else that can change the text.
        segments: Its segments in order of time.
    """

    schema_version: int
    id: str
    seminar: str
    path: str
    media_sha256: str
    duration: float
    language: str
    model: Model
    parameters: Mapping[str, object]
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The whole text, one segment a line; the characters of `Quote` count in it."""
        return "\n".join(segment.text for segment in self.segments)


def read_transcript(path: str | os.PathLike[str]) -> Transcript:
    """The transcript in a file."""
    name = os.fspath(path)
    with open(path, "rb") as file:
        value = parse(file.read().removeprefix(b"\xef\xbb\xbf"), name)
    return decode(Transcript, value, name)
