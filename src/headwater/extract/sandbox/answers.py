"""What a child answers, as bytes: always data (MessagePack, JSON), never pickled objects. It has read untrusted bytes and must not be
trusted any more."""

import inspect
import typing
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import msgspec

from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.letters import replace_surrogates

Parser = Callable[[bytes, ExtractHints], Any]
"""Reads untrusted bytes. Its return type says what comes out of the sandbox: records that JSON can carry."""

ResultDecoder = msgspec.json.Decoder[Any] | msgspec.msgpack.Decoder[Any]

# The first byte of an answer.
RESULT, SAME_TEXT, UNREADABLE, ERROR, NOT_IMPORTED, PICTURE = b"R", b"S", b"U", b"E", b"I", b"O"

_unreadable_decoder = msgspec.json.Decoder(Unreadable)


class MalformedAnswer(Exception):
    """A child sent what no child of ours sends."""


@cache
def result_decoder(parser: Parser) -> ResultDecoder:
    """Raises TypeError when the parser does not say what it returns."""
    function = parser if inspect.isroutine(parser) else type(parser).__call__
    result_type = typing.get_type_hints(function).get("return")
    if result_type is None:
        raise TypeError(f"{parser!r} does not say what it returns")
    if result_type in (Reading, Reading | Unreadable):
        return msgspec.json.Decoder(Reading)
    return msgspec.msgpack.Decoder(result_type)


def encode_result(result: object) -> tuple[bytes, bytes]:
    """The kind of the answer, and its content."""
    if isinstance(result, Unreadable):
        return UNREADABLE, to_json(result)
    if isinstance(result, Reading) and result.plain == result.text:  # no need to send it twice
        return SAME_TEXT, to_json(replace(result, plain=""))
    if isinstance(result, Reading):
        return RESULT, to_json(result)  # which keeps the time zones of its dates
    return RESULT, _encode(result, msgspec.msgpack.encode)


def to_json(value: object) -> bytes:
    return _encode(value, msgspec.json.encode)


def _encode(value: object, encode: Callable[[Any], bytes]) -> bytes:
    """Halves of characters, which no encoding has, are replaced: one of them must not cost the document."""
    try:
        return encode(value)
    except UnicodeEncodeError:
        return encode(_without_surrogates(msgspec.to_builtins(value)))


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list | tuple) else value


def decode_answer(answer: bytes, decoder: ResultDecoder) -> Any:
    """What the parser returned, or the error that it raised as Permanent."""
    kind, body = answer[:1], memoryview(answer)[2:]
    try:
        if kind == SAME_TEXT:
            reading = decoder.decode(body)
            return replace(reading, plain=reading.text)
        if kind == RESULT:
            return decoder.decode(body)
        if kind == UNREADABLE:
            return _unreadable_decoder.decode(body)
        return Permanent(*msgspec.json.decode(body, type=tuple[str, str]))
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, AttributeError) as error:
        raise MalformedAnswer(str(error)[:200]) from error
