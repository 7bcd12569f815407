"""Bytes of plain text to letters."""

from headwater.extract.html.decode import decode, repair
from headwater.extract.letters import tidy

_TOLERABLE = (
    0.005  # of the letters; a page of markup has many more, so its decoder lets a few broken ones pass
)


LARGEST = 32_000_000


def letters_of(data: bytes, media_type: str | None) -> str:
    """Tidy text: by mark, declaration or evidence; mojibake repaired where it is evident."""
    text = decode(data, media_type).text
    if text.count("\ufffd") > _TOLERABLE * len(text) and b"\xef\xbf\xbd" not in data:
        text = data.decode("cp1252", "replace")
    return tidy(repair(text))
