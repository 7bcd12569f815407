"""Plain text as it is."""

import re

import yaml

from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import LARGEST_TEXT, decode_plain_text
from headwater.text.dates import parse_iso_date
from headwater.text.letters import normalise_text, to_one_line


def read_plain(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    if len(data) > LARGEST_TEXT:
        return Unreadable("too_large", f"{len(data)} bytes of text; at most {LARGEST_TEXT} are read")
    text = decode_plain_text(data, hints.media_type).strip()
    if not text:
        return Unreadable("no_text")
    return Reading(
        text=text,
        plain=text,
        media_type=_media_type(hints),
        method="plain",
        confidence=1.0,
        origins={"text": "plain"},
    )


def _media_type(hints: ExtractHints) -> str:
    declared = (hints.media_type or "").partition(";")[0].strip().lower()
    return declared if declared.startswith("text/") else "text/plain"


_FRONT = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]++(.+)$")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_RULE = re.compile(r"^\|?(?:[ \t]*+:?-{3,}+:?[ \t]*+\|)++[ \t]*+(?::?-{3,}+:?)?[ \t]*+$")
_LINE_MARKS = re.compile(r"^\s*+(?:> ?)*+(?:#{1,6} +|[-*+] +)?")
_CELL = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^\n*_]{1,1000}?)(?<=\S)\1")
_SCRIPTS = re.compile(r"(?m)^ {0,3}<(script|style)\b[^<>]*>.*?(?:</\1\s*+>|\Z)", re.IGNORECASE | re.DOTALL)


def read_markdown(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    if len(data) > LARGEST_TEXT:
        return Unreadable("too_large", f"{len(data)} bytes of text; at most {LARGEST_TEXT} are read")
    text = decode_plain_text(data, hints.media_type)
    if "<" in text:
        text = _SCRIPTS.sub("", text)
    front, body = _split_front_matter(text)
    body = normalise_text(body).strip("\n")
    if not body:
        return Unreadable("no_text")
    heading = _HEADING.search(body)
    title = front.get("title") or (to_one_line(heading[1].rstrip(" \t#")) if heading else "")
    author = front.get("author") or front.get("authors")
    return Reading(
        text=body,
        plain=strip_markdown(body),
        title=title,
        authors=(author,) if author else (),
        published=parse_iso_date(front.get("date", "")),
        media_type="text/markdown",
        method="markdown",
        confidence=1.0,
        origins=_origins(front, title=title),
    )


def _origins(front: dict[str, str], *, title: str) -> dict[str, str]:
    origins = {"text": "markdown"}
    if title:
        origins["title"] = "front matter" if front.get("title") else "first heading"
    return origins


def _split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The entries of the front matter and the text after it; no entries when it is not YAML."""
    front_matter = _FRONT.match(text)
    if not front_matter or "&" in front_matter[1] or "*" in front_matter[1]:  # aliases can expand without end
        return {}, text
    try:
        parsed = yaml.safe_load(front_matter[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(parsed, dict):
        return {}, text
    entries = {
        str(name).lower(): to_one_line(str(value)) for name, value in parsed.items() if value is not None
    }
    return entries, text[front_matter.end() :]


def strip_markdown(text: str) -> str:
    """Markdown without its heading, list, quote, table, link and emphasis marks."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            lines.append(line)
        elif line.strip() and not _RULE.match(line):
            lines.append(_strip_line(line))
    return normalise_text("\n".join(lines)).strip()


def _strip_line(line: str) -> str:
    if line.startswith("\\"):
        return line[1:]
    if line.startswith("| ") and line.rstrip().endswith("|"):
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip()[1:-1])]
        return " | ".join(cells)
    line = _LINE_MARKS.sub("", line)
    if "](" in line:
        line = _LINK.sub(r"\1", line)
    return _STRONG.sub(r"\2", line) if "**" in line or "__" in line else line.rstrip()
