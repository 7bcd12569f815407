"""HTML readers by profile name. Every profile returns the same record with the same metadata."""

from collections.abc import Callable, Mapping
from typing import Any

from headwater.extract.html.barriers import find_barrier, why_not_html
from headwater.extract.html.flatten import flatten
from headwater.extract.html.links import parseable_url
from headwater.extract.html.metadata.evidence import gather_bylines, gather_stated, gather_visible
from headwater.extract.html.metadata.page_metadata import page_metadata
from headwater.extract.html.parser import parse_html, readable_body
from headwater.extract.html.profiles.cascade import cascade_text, installed_extractors
from headwater.extract.html.profiles.selectors import selectors_text
from headwater.extract.html.reader import read_html, visible_page
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.text.charset import decode_text, fix_encoding
from headwater.text.letters import replace_surrogates
from headwater.text.words import count_words

UNKNOWN_CONFIDENCE = 0.0
"""These extractors do not say how sure they are, and take a wall for a short text."""


def html_reader(profile: str) -> Extract:
    """The reader of a profile: `blocks` (the default), `selectors` or `cascade`, which needs at least one of its packages."""
    if profile == "cascade" and not installed_extractors():
        raise ValueError(
            "profile cascade needs trafilatura, readability-lxml, jusText or BoilerPy3: `pip install 'headwater[readers]'`"
        )
    try:
        return HTML_PROFILES[profile]
    except KeyError:
        raise ValueError(
            f"unknown profile {profile!r}; there are {', '.join(sorted(HTML_PROFILES))}"
        ) from None


def _selectors(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    return _read(data, hints, lambda markup: (selectors_text(markup), "selectors", {}))


def _cascade(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    return _read(data, hints, cascade_text)


def _read(
    data: bytes, hints: ExtractHints, find: Callable[[str], tuple[str, str, Mapping[str, Any]]]
) -> Reading | Unreadable:
    refusal = why_not_html(data)
    if refusal is not None:
        return refusal
    markup = decode_text(data, hints.media_type).text
    text, method, candidates = find(markup)
    tree = parse_html(markup)
    evidence = gather_stated(tree)
    body = readable_body(tree)
    gather_visible(tree, evidence)
    gather_bylines(tree, evidence)
    size = count_words(text), len(text.strip())
    barrier = find_barrier(
        visible_page(flatten(body), size, confidence=UNKNOWN_CONFIDENCE, markup=markup, evidence=evidence)
    )
    if barrier is not None:
        return barrier
    metadata = page_metadata(evidence, (), parseable_url(hints.url))
    text = _without_headline(fix_encoding(replace_surrogates(text)), metadata.title)
    return Reading(
        text=text,
        plain=text,
        title=metadata.title,
        authors=metadata.authors,
        publisher=metadata.publisher,
        published=metadata.published,
        modified=metadata.modified,
        canonical_url=metadata.canonical_url,
        language=metadata.language,
        description=metadata.description,
        keywords=metadata.keywords,
        image=metadata.image,
        media_type="text/html",
        method=method,
        candidates=candidates,
        attributes=metadata.attributes,
        origins=metadata.origins | {"text": method},
    )


def _without_headline(text: str, title: str | None) -> str:
    """Some extractors leave the headline in the text. The title has it; a copy that another reader read does not."""
    first, newline, rest = text.lstrip().partition("\n")
    is_headline = bool(title) and bool(newline) and first.strip("# \t").casefold() == str(title).casefold()
    return rest.lstrip("\n") if is_headline else text


HTML_PROFILES: Mapping[str, Extract] = {"blocks": read_html, "selectors": _selectors, "cascade": _cascade}
