"""The page's own title: the headline that readers see where the head of the page confirms it."""

import re
from collections.abc import Iterable

from headwater.extract.html.metadata.evidence import Evidence

_SEPARATOR = re.compile(r"\s+[|\-\u2013—·•:»«/\\]\s+|\s*[|»]\s*")
_WORD = re.compile(r"[^\W_]+")
_CONFIRMED = 0.45
_HEADINGS = 5
_LONGEST = 300


def title_of(evidence: Evidence) -> tuple[str, str]:
    """The title and its origin."""
    opened = evidence.meta("og:title", "twitter:title", "dc.title", "citation_title")
    site = evidence.meta("og:site_name", "application-name")
    stripped = without_site(opened or evidence.title, site)
    claims = [stripped, without_site(evidence.title, site)]
    heading = _confirmed(evidence.headings[:_HEADINGS], [evidence.title, opened], claims)
    if heading:
        return heading, "h1"
    if stripped:
        return stripped, "og:title" if opened else "title"
    return (evidence.headings[0], "h1") if evidence.headings else ("", "")


def without_site(title: str, site: str) -> str:
    """The part of a title that is not the name of the site: the longest, the site's own left out."""
    parts = [part for part in _SEPARATOR.split(title) if part]
    others = [part for part in parts if _words(part) != _words(site)]
    return max(others or parts, key=len) if len(parts) > 1 else title


def _confirmed(headings: Iterable[str], said: list[str], claims: list[str]) -> str:
    best, most = "", 0.0
    for heading in headings:
        words = _words(heading)
        share = max(
            max((_share(words, _words(text)) for text in said), default=0.0),
            max((_share(_words(text), words) for text in claims), default=0.0),
        )
        if share > most and len(heading) < _LONGEST:
            best, most = heading, share
    return best if most >= _CONFIRMED else ""


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _share(words: set[str], others: set[str]) -> float:
    return len(words & others) / len(words) if words else 0.0
