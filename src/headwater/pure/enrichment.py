"""A body that is too short, made fuller by what the source itself said about the item."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.pure.urls import canonical

PAYLOAD = "payload"
SHORT_BELOW = 500  # characters, R-71

TAGS = re.compile(r"<[^<>]{0,2000}>")
NOT_WORDS = re.compile(r"[\W_]+")
SENTENCES = re.compile(r"(?<=[.!?…。！？])\s+")
CUT_OFF = re.compile(r"\s*(?:…|\.{3}|\[…\]|\[\.{3}\]|\(…\))\s*$")


@dataclass(frozen=True, slots=True)
class Payload:
    """What a source said about an item, besides the item itself."""

    description: str = ""
    keywords: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Enriched:
    """The fuller text; `added` is what came in, empty when nothing was missing."""

    text: str
    added: str = ""


def enrich(text: str, payload: Payload, short_below: int = SHORT_BELOW) -> Enriched:
    """The sentences of the description that the text does not have yet, as a paragraph after it. A text that is only
    the cut-off beginning of the description gives way to it."""
    said = plain(payload.description)
    if len(text) >= short_below or not said:
        return Enriched(text)
    bare, whole = squeezed(CUT_OFF.sub("", text)), squeezed(said)
    if not whole or whole in bare:
        return Enriched(text)
    if bare and whole.startswith(bare):
        return Enriched(said, said)
    new = " ".join(sentence for sentence in SENTENCES.split(said) if _is_new(sentence, bare))
    return Enriched(f"{text.rstrip()}\n\n{new}".strip(), new) if new else Enriched(text)


def _is_new(sentence: str, bare: str) -> bool:
    words = squeezed(CUT_OFF.sub("", sentence))
    return bool(words) and words not in bare


def plain(text: str) -> str:
    """Without tags, entities and line breaks."""
    return " ".join(html.unescape(TAGS.sub(" ", text)).split())


def squeezed(text: str) -> str:
    """The words alone, for comparing."""
    return NOT_WORDS.sub(" ", text.casefold()).strip()


def payload_of(item: Mapping[str, Any]) -> Payload:
    """Out of a lead's hints or an item of a raw payload, by the names that sources use."""
    return Payload(
        description=_first_text(
            item, ("description", "summary", "abstract", "excerpt", "snippet", "content")
        ),
        keywords=_texts(item, ("keywords", "categories", "tags")),
        authors=_texts(item, ("authors", "author", "creator", "byline")),
    )


def matching(items: Iterable[Mapping[str, Any]], url: str, title: str = "") -> Mapping[str, Any] | None:
    """The item of a stored payload that speaks of this address or, failing that, has this very title."""
    wanted, named = canonical(url) if url else "", squeezed(title)
    by_title = None
    for item in items:
        address = _first_text(item, ("url", "link", "href"))
        if wanted and address and canonical(address) == wanted:
            return item
        if by_title is None and named and squeezed(_first_text(item, ("title", "headline"))) == named:
            by_title = item
    return by_title


def _first_text(item: Mapping[str, Any], names: Sequence[str]) -> str:
    found = (item.get(name) for name in names)
    return next((value.strip() for value in found if isinstance(value, str) and value.strip()), "")


def _texts(item: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """A list of strings, a list of named things, or one string with commas."""
    value = next((item[name] for name in names if item.get(name)), ())
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        value = [value]
    texts = (one.get("name", "") if isinstance(one, Mapping) else one for one in value)
    return tuple(dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip()))
