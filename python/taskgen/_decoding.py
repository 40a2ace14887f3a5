"""JSON into data classes, by their annotations: a data class is the only description of its shape.

A field without a default must be there. What no field is named after is kept in `extra`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import FormatError

T = TypeVar("T")
# Of values whose shape only the annotation knows.
_Reader = Callable[[Any], Any]

#: The version of the records that this module was written for.
SCHEMA_VERSION = 1
_LONGEST_SHOWN = 60


class _Mismatch(Exception):
    """A value that does not fit, with the way to it, innermost step first."""

    def __init__(self, problem: str, *steps: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.steps = list(steps)

    def __str__(self) -> str:
        way = "".join(reversed(self.steps)).lstrip(".")
        return f"`{way}` {self.problem}" if way else f"the value {self.problem}"


def key_of(field: dataclasses.Field[Any]) -> str:
    """The name that a field has in JSON."""
    key: str = field.metadata.get("key", field.name)
    return key


def decode(kind: type[T], value: object, path: str, line: int | None = None) -> T:
    """The value as `kind`, a data class or an annotation. `path` and `line` are for the error."""
    annotation: Any = kind
    try:
        decoded: T = _reader(annotation)(value)
    except _Mismatch as mismatch:
        raise FormatError(path, line, f"{mismatch}{_newer(value)}") from None
    return decoded


def parse(text: bytes, path: str, line: int | None = None) -> object:
    """The text as JSON. An error names the line; `line` is the one that the text stands on."""
    try:
        value: object = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        at = error.lineno if line is None else line
        raise FormatError(path, at, f"not JSON: {error.msg}, column {error.colno}") from None
    except UnicodeDecodeError as error:
        at = text.count(b"\n", 0, error.start) + 1 if line is None else line
        raise FormatError(path, at, "not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(path, line, f"not JSON: {error}") from None
    return value


def parse_lines(lines: Iterable[bytes], path: str) -> Iterator[tuple[int, object]]:
    """JSON lines with their numbers, from 1. A line ends at `\\n` only: texts hold others."""
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if text.strip():
            yield number, parse(text.rstrip(), path, number)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no number")


def _newer(value: object) -> str:
    """What to add to an error of a record that a newer program wrote."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    if not isinstance(version, int) or version <= SCHEMA_VERSION:
        return ""
    return f" (the record has version {version}, this module reads version {SCHEMA_VERSION})"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _wrong(value: object, wanted: str) -> _Mismatch:
    return _Mismatch(f"is not {wanted}: {_shown(value)}")


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a string")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, "true or false")
    return value


def _integer(value: object) -> int:
    # To Python, true is a number.
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(value, "a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _wrong(value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Mismatch("is too large a number")
    return number


def _anything(value: object) -> object:
    return value


_SCALARS: dict[Any, _Reader] = {
    str: _string,
    bool: _boolean,
    int: _integer,
    float: _number,
    object: _anything,
}


@cache
def _reader(kind: Any) -> _Reader:
    """The function that reads values of an annotation."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _alternatives(arguments)
    if origin is tuple:
        return _list_of(_reader(arguments[0]))
    if origin is Mapping:
        return _mapping_to(_reader(arguments[1]))
    if dataclasses.is_dataclass(kind):
        return _record(kind)
    raise TypeError(f"no way to read {kind}")


def _alternatives(kinds: tuple[Any, ...]) -> _Reader:
    """`X | None`, or records that are told apart by the fields that they must have."""
    records = [kind for kind in kinds if kind is not type(None)]
    nullable = len(records) < len(kinds)
    # The last one stands for all others: an error is about it.
    readers = [(_required(kind), _reader(kind)) for kind in records[:-1]]
    last = _reader(records[-1])

    def read(value: Any) -> Any:
        if value is None and nullable:
            return None
        for required, of_kind in readers:
            if isinstance(value, dict) and required <= value.keys():
                return of_kind(value)
        return last(value)

    return read


def _list_of(item: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise _wrong(value, "a list")
        items = []
        for index, element in enumerate(value):
            try:
                items.append(item(element))
            except _Mismatch as mismatch:
                mismatch.steps.append(f"[{index}]")
                raise
        return tuple(items)

    return read


def _mapping_to(item: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object")
        items = {}
        for key, element in value.items():
            try:
                items[key] = item(element)
            except _Mismatch as mismatch:
                mismatch.steps.append(f".{key}")
                raise
        return items

    return read


def _is_required(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def _required(kind: Any) -> set[str]:
    return {key_of(field) for field in dataclasses.fields(kind) if _is_required(field)}


def _record(kind: Any) -> _Reader:
    hints = get_type_hints(kind)
    fields = {
        key_of(field): (field.name, _reader(hints[field.name]))
        for field in dataclasses.fields(kind)
        if field.name != "extra"
    }
    required = [key for key in fields if key in _required(kind)]

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong(value, "an object")
        for key in required:
            if key not in value:
                raise _Mismatch("is missing", f".{key}")
        known: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for key, element in value.items():
            if key not in fields:
                extra[key] = element
                continue
            name, of_field = fields[key]
            try:
                known[name] = of_field(element)
            except _Mismatch as mismatch:
                mismatch.steps.append(f".{key}")
                raise
        return kind(**known, extra=extra)

    return read
