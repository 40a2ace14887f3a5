"""Records as a table of pandas."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas


def to_frame(records: Iterable[Any]) -> pandas.DataFrame:
    """A table with a row for each record and a column for each field.

    The fields of a record within a record, and the entries of a mapping, are columns with a dot,
    such as `estimate.strength`. Lists stay lists. Fields that this module does not know are
    columns of their own.

    Args:
        records: Data classes of this module, such as tasks, scores or a leaderboard's agents.

    Raises:
        ImportError: If pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    frame: pandas.DataFrame = pandas.DataFrame([_row(record) for record in records])
    return frame


def _row(record: object) -> dict[str, object]:
    row: dict[str, object] = {}
    _add_record(row, "", record)
    return row


def _add_record(row: dict[str, object], prefix: str, record: Any) -> None:
    kind: Any = type(record)
    parts = _parts(kind)
    for name in _names(kind):
        value = getattr(record, name)
        if value is None and name in parts:
            # Where a part is missing, the columns are the same.
            for column in _names(parts[name]):
                row[f"{prefix}{name}.{column}"] = None
        else:
            _add(row, f"{prefix}{name}", value)
    _add_mapping(row, prefix, getattr(record, "extra", {}))


def _add(row: dict[str, object], name: str, value: object) -> None:
    if dataclasses.is_dataclass(value):
        _add_record(row, f"{name}.", value)
    elif isinstance(value, Mapping):
        _add_mapping(row, f"{name}.", value)
    else:
        row[name] = _plain(value)


def _add_mapping(row: dict[str, object], prefix: str, values: Mapping[str, object]) -> None:
    for key, value in values.items():
        _add(row, f"{prefix}{key}", value)


def _plain(value: Any) -> object:
    """The value of lists, dictionaries and scalars alone."""
    if dataclasses.is_dataclass(value):
        kind: Any = type(value)
        fields = {name: _plain(getattr(value, name)) for name in _names(kind)}
        return fields | dict(getattr(value, "extra", {}))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields of a record that are known."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.name != "extra")


@cache
def _parts(kind: Any) -> dict[str, Any]:
    """The fields that may hold a record or nothing, with the record's class."""
    found: dict[str, Any] = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is not types.UnionType:
            continue
        inner = [part for part in get_args(hint) if part is not type(None)]
        if len(inner) == 1 and dataclasses.is_dataclass(inner[0]):
            found[name] = inner[0]
    return found
