"""HTML to a Reading: decode, parse once, flatten, choose the blocks that are the page's own text, say what it is."""

from dataclasses import dataclass, replace
from typing import Any

from headwater.extract.html.barriers import VisiblePage, find_barrier, why_not_html
from headwater.extract.html.classifier.features import PageContext, block_table
from headwater.extract.html.classifier.network import BlockClassifier, default_classifier
from headwater.extract.html.classifier.selection import (
    BlockChoice,
    agreement,
    choose_blocks,
    is_prose,
    without_comment_sections,
    without_comments,
    without_strays,
)
from headwater.extract.html.flatten import MOST_BLOCKS, FlatPage, flatten
from headwater.extract.html.links import BaseUrl, images_of, links_of, parseable_url
from headwater.extract.html.metadata.evidence import PageEvidence, gather_stated, gather_visible, is_forum
from headwater.extract.html.metadata.headline import lines_near_headline
from headwater.extract.html.metadata.page_metadata import PageMetadata, page_metadata
from headwater.extract.html.parser import parse_html, readable_body, truncate_markup
from headwater.extract.html.render import page_to_markdown, page_to_plain_text
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import DecodedText, decode_text, fix_encoding, replace_surrogates

_LONG = 25


def read_html(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """The page's own text and what it says about itself, or the reason why there is none."""
    return read_html_with(data, hints, default_classifier())


def read_html_with(data: bytes, hints: ExtractHints, judge: BlockClassifier) -> Reading | Unreadable:
    """The same with another judge of blocks, such as one that was trained without the page's site."""
    refused = why_not_html(data)
    if refused is not None:
        return refused
    decoded = decode_text(data, hints.media_type)
    markup, shortened = truncate_markup(decoded.text)
    tree = parse_html(markup)
    evidence = gather_stated(tree)
    body = readable_body(tree)
    gather_visible(tree, evidence)
    page = flatten(body)
    choice = select_blocks(page, evidence, judge)
    blocked = find_barrier(_seen(page, choice, markup, evidence))
    return (
        blocked
        if blocked is not None
        else _reading(_Found(decoded, evidence, page, choice, parseable_url(hints.url), shortened))
    )


@dataclass(frozen=True, slots=True)
class _Found:
    decoded: DecodedText
    evidence: PageEvidence
    page: FlatPage
    choice: BlockChoice
    url: str
    shortened: bool


def page_context(evidence: PageEvidence) -> PageContext:
    return PageContext(evidence.title, evidence.meta("og:type").lower().startswith("article"))


def select_blocks(page: FlatPage, evidence: PageEvidence, judge: BlockClassifier) -> BlockChoice:
    """The blocks of the page's own text."""
    if not page.texts:
        return BlockChoice((), 0.0, 1.0)
    context = page_context(evidence)
    blocks = block_table(page, context)
    likely = judge(blocks)
    choice = choose_blocks(likely, blocks.words, page.texts)
    if context.is_article:
        choice = without_strays(choice, likely, blocks.words)
        choice = without_comments(choice, blocks.comments, blocks.words)
    elif not is_forum(evidence):
        choice = without_strays(choice, likely, blocks.words) if is_prose(choice, blocks.words) else choice
        choice = without_comment_sections(choice, page, blocks.comments, blocks.words)
    return replace(choice, agreement=agreement(choice.blocks, blocks.core, blocks.words))


def _seen(page: FlatPage, choice: BlockChoice, markup: str, evidence: PageEvidence) -> VisiblePage:
    words = sum(page.words[block] for block in choice.blocks)
    # Scripts without spaces have few "words"; their characters count instead.
    characters = sum(len(page.texts[block]) for block in choice.blocks)
    visible = "\n".join(page.texts)[:20_000] if words < _LONG * 4 else ""
    return VisiblePage(
        max(words, characters // 8), choice.confidence, visible, sum(page.words), markup, evidence
    )


def _reading(found: _Found) -> Reading | Unreadable:
    page, chosen = found.page, found.choice.blocks
    text = fix_encoding(replace_surrogates(page_to_markdown(page, chosen)))
    lines = lines_near_headline(page, found.evidence.title, chosen)
    about = page_metadata(found.evidence, lines, found.url)
    address = (
        BaseUrl(found.url or about.canonical_url).absolute(found.evidence.base)
        or found.url
        or about.canonical_url
    )
    about.origins["text"] = "block network"
    return Reading(
        text=text,
        plain=fix_encoding(replace_surrogates(page_to_plain_text(page, chosen))),
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


def _attributes(found: _Found, about: PageMetadata) -> dict[str, Any]:
    attributes = about.attributes | {"charset": found.decoded.charset, "charset_origin": found.decoded.origin}
    if any(
        entry.get("isAccessibleForFree") in (False, "False", "false") for entry in found.evidence.linked_data
    ):
        attributes["paywall"] = True
    if found.shortened or len(found.page.texts) >= MOST_BLOCKS:
        attributes["truncated"] = True
    return attributes
