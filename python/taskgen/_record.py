"""The base of all records: what a newer program wrote and this module does not know is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A part of a file.

    Attributes:
        extra: Fields of the file that this version of the module does not know.
    """

    extra: Mapping[str, object] = field(default_factory=dict, repr=False)
