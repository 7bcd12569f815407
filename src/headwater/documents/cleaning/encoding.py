"""Characters as they were meant: entities resolved, mojibake undone, one normal form."""

import html
import re
import unicodedata

import ftfy

# UTF-8 read as Latin-1 or Windows-1252 leaves a lead letter followed by what stands for the next byte. ftfy decides
# what becomes of it; this only finds the lines worth asking about, since ftfy costs more than everything else here.
_FOLLOWING = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(rf"[ÂÃÄÅÐÑÎÏØÙ×][{_FOLLOWING}]|[âàáãä][{_FOLLOWING}]{{2}}|ðŸ|ï»¿|Ã\s|\u00c3\u00ad")
LONGEST_LINE = 20_000  # a longer line is mended in pieces of this size

AMPERSANDS = re.compile(r"&(?:amp;|#0{0,5}38;|#[xX]0{0,5}26;)+")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u0000-\u0008\u000e-\u001b\u007f]")
LINE_BREAKS = re.compile("\r\n|[\r\u000b\u000c\u001c-\u001e\u0085\u2028\u2029]")
SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
AROUND_BREAKS = re.compile(r" \n ?|\n ")
BLANK_LINES = re.compile(r"\n{3,}")
SETTLES_WITHIN = 8


def resolve_entities(text: str) -> str:
    """Only entities that are written out to their semicolon: `?a=1&copy=2` is an address. Doubly escaped ones too."""
    if "&" not in text:
        return text
    return ENTITY.sub(lambda match: html.unescape(match.group()), AMPERSANDS.sub("&", text))


def fix_mojibake(text: str) -> tuple[str, int]:
    """`EspaÃ±a` to `España`, line by line, and how many lines it changed. Lines without evidence are not touched."""
    if text.isascii() or not MOJIBAKE.search(text):
        return text, 0
    lines = text.split("\n")
    mended = [_fix_line(line) if MOJIBAKE.search(line) else line for line in lines]
    return "\n".join(mended), sum(a != b for a, b in zip(lines, mended, strict=True))


def _fix_line(line: str) -> str:
    pieces = (line[start : start + LONGEST_LINE] for start in range(0, len(line), LONGEST_LINE))
    return "".join(ftfy.fix_encoding(piece) for piece in pieces)


def collapse_spaces(text: str) -> str:
    """Single spaces, at most one blank line between paragraphs, nothing invisible; paragraphs stay."""
    seen = INVISIBLE.sub("", LINE_BREAKS.sub("\n", text))
    flat = AROUND_BREAKS.sub("\n", SPACES.sub(" ", seen))
    return BLANK_LINES.sub("\n\n", flat).strip()


def repair_text(text: str) -> tuple[str, dict[str, int]]:
    """All of it, until nothing changes any more, with how often each mattered. Repairing twice changes nothing."""
    changes: dict[str, int] = {}
    for _ in range(SETTLES_WITHIN):
        before = text
        resolved = resolve_entities(text)
        mended, lines = fix_mojibake(resolved)
        text = unicodedata.normalize("NFC", collapse_spaces(mended))
        changes["entities"] = changes.get("entities", 0) + (resolved != before)
        changes["mojibake"] = changes.get("mojibake", 0) + lines
        if text == before:
            break
    return text, {name: count for name, count in changes.items() if count}
