"""JSON from outside: whatever is wrong with it, one kind of error; and never more values than memory can hold."""

import json
import re
from math import isfinite
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
MOST_VALUES = 2_000_000  # each takes some hundred bytes of memory, and a few bytes of the document
_HALF_PAIR = re.compile(r"[\ud800-\udfff]")
_MOST_DIGITS = 300  # the same for every number of a payload; the decoder stops at some four thousand
_UTF_8_MARK = b"\xef\xbb\xbf"


class BadJson(ValueError):
    """The bytes are not JSON of the expected form; the message is one line."""


@overload
def decode_payload(data: bytes) -> Any: ...
@overload
def decode_payload(data: bytes, kind: type[T]) -> T: ...


def decode_payload(data: bytes, kind: Any = Any) -> Any:
    """The decoded payload. Raises BadJson for damaged, deeply nested or overcrowded JSON, and for bytes that are not UTF-8."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MOST_VALUES:
        raise BadJson(f"more than {MOST_VALUES} values")
    data = data.removeprefix(_UTF_8_MARK)
    try:
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.DecodeError:
            if (repaired := _without_odd_values(data)) is None:
                raise
            return msgspec.json.decode(repaired, type=kind)
    except UnicodeDecodeError as error:
        raise BadJson(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise BadJson("nested too deeply") from error
    except msgspec.DecodeError as error:
        raise BadJson(" ".join(str(error).split())[:200]) from error


def _without_odd_values(data: bytes) -> bytes | None:
    """The same payload where half a surrogate pair is the replacement character and a number that no machine number holds is a
    text: one odd value of one item must not cost all the others. None if the payload is not JSON."""
    try:
        value = json.loads(
            data.decode(), parse_int=_number_or_text, parse_float=_number_or_text, parse_constant=_refuse
        )
    except ValueError:
        return None
    return _HALF_PAIR.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False)).encode()


def _number_or_text(digits: str) -> int | float | str:
    is_whole = digits.lstrip("-").isdecimal()
    if is_whole:
        return int(digits) if len(digits) <= _MOST_DIGITS else digits
    return number if isfinite(number := float(digits)) else digits


def _refuse(name: str) -> Any:
    raise ValueError(name)
