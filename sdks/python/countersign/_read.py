"""Turns a response body into an answer."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Mapping, Optional, Type, TypeVar

from .answers import Delivery

Answer = TypeVar("Answer")


def parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


# The types of values, by the declared type of a field.
_KINDS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "Optional[str]": (str, type(None)),
    "bool": (bool,),
    "int": (int,),
    "Sequence[Delivery]": (list,),
    "Optional[Mapping[str, str]]": (dict, type(None)),
}


def read(kind: Type[Answer], answer: Any) -> Optional[Answer]:
    """None if a field is missing or has another type: another program may have answered. Fields and values that are
    newer than this package are let through."""
    if not isinstance(answer, dict):
        return None
    values: dict[str, Any] = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        if one.name not in answer and one.default is not dataclasses.MISSING:
            continue
        value: Any = answer.get(one.name, dataclasses.MISSING)
        is_of_kind = isinstance(value, _KINDS[str(one.type)])
        if not is_of_kind:
            return None
        if one.type == "Sequence[Delivery]":
            value = [read(Delivery, part) for part in value]
            if None in value:
                return None
        values[one.name] = value
    return kind(**values)
