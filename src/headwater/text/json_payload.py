"""JSON from outside: whatever is wrong with it, one kind of error; and never more values than memory can hold."""

from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
MOST_VALUES = 2_000_000  # each takes some hundred bytes of memory, and a few bytes of the document
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
    try:
        return msgspec.json.decode(data.removeprefix(_UTF_8_MARK), type=kind)
    except UnicodeDecodeError as error:
        raise BadJson(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise BadJson("nested too deeply") from error
    except msgspec.DecodeError as error:
        raise BadJson(" ".join(str(error).split())[:200]) from error
