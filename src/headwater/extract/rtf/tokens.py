"""RTF as a stream of tokens."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    rb"\\(?:([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z']))|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)


class Token(NamedTuple):
    """`kind`: word, symbol, byte, open, close or text."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    position, end = 0, len(data)
    while position < end:
        found = _TOKEN.match(data, position)
        if found is None:
            return
        position = found.end()
        word, number, escaped, symbol, brace, text = found.groups()
        if word:
            token = Token("word", word.decode("ascii"), int(number) if number else None)
            if token.word == "bin":  # so many raw bytes follow
                position += max(0, token.number or 0)
            else:
                yield token
        elif text:
            yield Token("text", data=text)
        elif brace:
            yield Token("open" if brace == b"{" else "close")
        elif escaped:
            yield Token("byte", data=bytes.fromhex(escaped.decode("ascii")))
        elif symbol:
            yield Token("symbol", symbol.decode("latin-1"))
