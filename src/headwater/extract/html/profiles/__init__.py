"""Readers by name: ours, and the orders that others are used to. All give the same record and the same metadata."""

from collections.abc import Callable, Mapping
from typing import Any

from headwater.extract.html.addresses import usable
from headwater.extract.html.decode import decode, repair, scrub
from headwater.extract.html.metadata import describe, gather_stated, gather_visible
from headwater.extract.html.profiles.cascade import available, cascade_text
from headwater.extract.html.profiles.selectors import selectors_text
from headwater.extract.html.read import read_html
from headwater.extract.html.sniff import refusal
from headwater.extract.html.tree import parse, readable_body
from headwater.model.reading import Hints, Reading, Unreadable

Extract = Callable[[bytes, Hints], Reading | Unreadable]


def reader(profile: str) -> Extract:
    """`blocks` (the default of the package), `selectors` or `cascade`; the last needs at least one of its packages."""
    if profile == "cascade" and not available():
        raise ValueError(
            "profile cascade needs trafilatura, readability-lxml, jusText or BoilerPy3 installed"
        )
    try:
        return _PROFILES[profile]
    except KeyError:
        raise ValueError(f"unknown profile {profile!r}; there are {', '.join(sorted(_PROFILES))}") from None


def _selectors(data: bytes, hints: Hints) -> Reading | Unreadable:
    return _read(data, hints, lambda markup: (selectors_text(markup), "selectors", {}))


def _cascade(data: bytes, hints: Hints) -> Reading | Unreadable:
    return _read(data, hints, cascade_text)


def _read(
    data: bytes, hints: Hints, find: Callable[[str], tuple[str, str, Mapping[str, Any]]]
) -> Reading | Unreadable:
    refused = refusal(data)
    if refused is not None:
        return refused
    markup = decode(data, hints.media_type).text
    text, method, candidates = find(markup)
    if not text.strip():
        return Unreadable("no_text")
    tree = parse(markup)
    evidence = gather_stated(tree)
    readable_body(tree)
    gather_visible(tree, evidence)
    about = describe(evidence, (), usable(hints.url))
    text = repair(scrub(text))
    return Reading(
        text=text,
        plain=text,
        title=about.title,
        authors=about.authors,
        publisher=about.publisher,
        published=about.published,
        modified=about.modified,
        canonical_url=about.canonical_url,
        language=about.language,
        description=about.description,
        keywords=about.keywords,
        image=about.image,
        media_type="text/html",
        method=method,
        candidates=candidates,
        attributes=about.attributes,
        origins=about.origins | {"text": method},
    )


_PROFILES: Mapping[str, Extract] = {"blocks": read_html, "selectors": _selectors, "cascade": _cascade}
