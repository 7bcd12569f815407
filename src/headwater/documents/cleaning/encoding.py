"""Character repair: entities resolved, mojibake undone, one Unicode normal form."""

import html
import re
import unicodedata

from headwater.text.markup import REFERENCE
from headwater.text.mojibake import fix_mojibake

AMPERSANDS = re.compile(r"&(?:amp;|#0{0,5}38;|#[xX]0{0,5}26;)+")
INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u0000-\u0008\u000e-\u001b\u007f]")
LINE_BREAKS = re.compile("\r\n|[\r\u000b\u000c\u001c-\u001e\u0085\u2028\u2029]")
SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
AROUND_BREAKS = re.compile(r" \n ?|\n ")
BLANK_LINES = re.compile(r"\n{3,}")
NEEDLESS_SPACES = ("  ", " \n", "\n ", "\n\n\n")
"""What the patterns above find in a text whose only spaces are plain ones: nothing else is printable."""

MAX_PASSES = 8


def resolve_entities(text: str) -> str:
    """Resolve entities that end in a semicolon (`?a=1&copy=2` is an address), doubly escaped ones included."""
    if "&" not in text:
        return text
    return REFERENCE.sub(lambda match: html.unescape(match.group()), AMPERSANDS.sub("&", text))


def collapse_spaces(text: str) -> str:
    """Single spaces, at most one blank line between paragraphs, no invisible characters; paragraphs stay."""
    if text.replace("\n", "").isprintable() and not any(spaces in text for spaces in NEEDLESS_SPACES):
        return text.strip()
    visible = INVISIBLE.sub("", LINE_BREAKS.sub("\n", text))
    single_spaced = AROUND_BREAKS.sub("\n", SPACES.sub(" ", visible))
    return BLANK_LINES.sub("\n\n", single_spaced).strip()


def repair_text(text: str) -> tuple[str, dict[str, int]]:
    """Apply all repairs until nothing changes, and count how often each one applied. Idempotent."""
    changes: dict[str, int] = {}
    for _ in range(MAX_PASSES):
        before = text
        resolved = resolve_entities(text)
        fixed, fixed_lines = fix_mojibake(resolved)
        text = unicodedata.normalize("NFC", collapse_spaces(fixed))
        changes["entities"] = changes.get("entities", 0) + (resolved != before)
        changes["mojibake"] = changes.get("mojibake", 0) + fixed_lines
        if text == before:
            break
    return text, {name: count for name, count in changes.items() if count}
