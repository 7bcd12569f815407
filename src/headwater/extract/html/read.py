"""HTML to a Reading: decode, parse once, flatten, choose the blocks that are the page's own text, say what it is."""

from dataclasses import dataclass, replace
from typing import Any

from headwater.extract.html.addresses import Base, usable
from headwater.extract.html.barriers import Seen, barrier
from headwater.extract.html.choose import Choice, agreement, choose, is_prose, without_strays
from headwater.extract.html.comments import without_comment_sections, without_comments
from headwater.extract.html.decode import Decoded, decode, repair, scrub
from headwater.extract.html.features import Context, describe_blocks
from headwater.extract.html.flatten import MOST_BLOCKS, Page, flatten
from headwater.extract.html.headline import headline_of
from headwater.extract.html.links import images_of, links_of
from headwater.extract.html.metadata import Described, Evidence, describe, gather_stated, gather_visible
from headwater.extract.html.metadata.kinds import is_forum
from headwater.extract.html.network import Judge, network
from headwater.extract.html.render import markdown, plain
from headwater.extract.html.sniff import refusal
from headwater.extract.html.tree import parse, readable_body, shorten
from headwater.model.reading import Hints, Reading, Unreadable

_LONG = 25


def read_html(data: bytes, hints: Hints) -> Reading | Unreadable:
    """The page's own text and what it says about itself, or the reason why there is none."""
    return read_with(data, hints, network())


def read_with(data: bytes, hints: Hints, judge: Judge) -> Reading | Unreadable:
    """The same with another judge of blocks, such as one that was trained without the page's site."""
    refused = refusal(data)
    if refused is not None:
        return refused
    decoded = decode(data, hints.media_type)
    markup, shortened = shorten(decoded.text)
    tree = parse(markup)
    evidence = gather_stated(tree)
    body = readable_body(tree)
    gather_visible(tree, evidence)
    page = flatten(body)
    choice = select(page, evidence, judge)
    blocked = barrier(_seen(page, choice, markup, evidence))
    return (
        blocked
        if blocked is not None
        else _reading(_Found(decoded, evidence, page, choice, usable(hints.url), shortened))
    )


@dataclass(frozen=True, slots=True)
class _Found:
    decoded: Decoded
    evidence: Evidence
    page: Page
    choice: Choice
    url: str
    shortened: bool


def context_of(evidence: Evidence) -> Context:
    return Context(evidence.title, evidence.meta("og:type").lower().startswith("article"))


def select(page: Page, evidence: Evidence, judge: Judge) -> Choice:
    """The blocks of the page's own text."""
    if not page.texts:
        return Choice((), 0.0, 1.0)
    context = context_of(evidence)
    blocks = describe_blocks(page, context)
    likely = judge(blocks)
    choice = choose(likely, blocks.words, page.texts)
    if context.is_article:
        choice = without_strays(choice, likely, blocks.words)
        choice = without_comments(choice, blocks.comments, blocks.words)
    elif not is_forum(evidence):
        choice = without_strays(choice, likely, blocks.words) if is_prose(choice, blocks.words) else choice
        choice = without_comment_sections(choice, page, blocks.comments, blocks.words)
    return replace(choice, agreement=agreement(choice.blocks, blocks.core, blocks.words))


def _seen(page: Page, choice: Choice, markup: str, evidence: Evidence) -> Seen:
    words = sum(page.words[block] for block in choice.blocks)
    # Scripts without spaces have few "words"; their characters count instead.
    characters = sum(len(page.texts[block]) for block in choice.blocks)
    visible = "\n".join(page.texts)[:20_000] if words < _LONG * 4 else ""
    return Seen(max(words, characters // 8), choice.confidence, visible, sum(page.words), markup, evidence)


def _reading(found: _Found) -> Reading | Unreadable:
    page, chosen = found.page, found.choice.blocks
    text = repair(scrub(markdown(page, chosen)))
    lines = headline_of(page, found.evidence.title, chosen)
    about = describe(found.evidence, lines, found.url)
    address = (
        Base(found.url or about.canonical_url).absolute(found.evidence.base)
        or found.url
        or about.canonical_url
    )
    about.origins["text"] = "block network"
    return Reading(
        text=text,
        plain=repair(scrub(plain(page, chosen))),
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
        images=images_of(page, chosen, address),
        links=links_of(page, chosen, address),
        media_type="text/html",
        method="html blocks",
        confidence=round(found.choice.confidence, 4),
        candidates=_candidates(found),
        attributes=_attributes(found, about),
        origins=about.origins,
    )


def _candidates(found: _Found) -> dict[str, Any]:
    page, choice = found.page, found.choice
    return {
        "blocks": len(page.texts),
        "chosen": len(choice.blocks),
        "words": sum(page.words),
        "chosen_words": sum(page.words[block] for block in choice.blocks),
        "cut": round(choice.cut, 4),
        "agreement_with_densest_part": round(choice.agreement, 4),
    }


def _attributes(found: _Found, about: Described) -> dict[str, Any]:
    attributes = about.attributes | {"charset": found.decoded.charset, "charset_origin": found.decoded.origin}
    if any(
        entry.get("isAccessibleForFree") in (False, "False", "false") for entry in found.evidence.linked_data
    ):
        attributes["paywall"] = True
    if found.shortened or len(found.page.texts) >= MOST_BLOCKS:
        attributes["truncated"] = True
    return attributes
