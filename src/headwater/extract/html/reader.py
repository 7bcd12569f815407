"""HTML to a Reading: decode, parse once, flatten, choose the blocks of the page's own text, collect the metadata."""

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
from headwater.extract.html.metadata.authors import states_authors
from headwater.extract.html.metadata.evidence import (
    PageEvidence,
    gather_bylines,
    gather_stated,
    gather_visible,
    is_article,
    is_forum,
    is_paywalled,
)
from headwater.extract.html.metadata.headline import lines_near_headline
from headwater.extract.html.metadata.page_metadata import PageMetadata, page_metadata
from headwater.extract.html.parser import (
    article_markup,
    body_markup,
    has_control_bytes,
    parse_html,
    remove_invisible,
    truncate_markup,
)
from headwater.extract.html.render import page_to_markdown, page_to_plain_text
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import DecodedText, decode_text, fix_encoding
from headwater.text.letters import replace_surrogates

_LONG = 25


def read_html(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """The page's own text and its metadata, or the reason why there is no text."""
    return read_html_with(data, hints, default_classifier())


def read_html_with(data: bytes, hints: ExtractHints, classifier: BlockClassifier) -> Reading | Unreadable:
    """The same with another classifier of blocks, such as one that was trained without the page's site."""
    refusal = why_not_html(data)
    if refusal is not None:
        return refusal
    decoded = decode_text(data, hints.media_type, is_clean=not has_control_bytes(data))
    markup, is_truncated = truncate_markup(decoded.text)
    utf8 = decoded.utf8 if markup is decoded.text else None
    evidence, page = parse_page(markup, utf8)
    choice = select_blocks(page, evidence, classifier)
    if is_article(evidence) and _size(page, choice)[0] < _LONG:
        # The article may stand where others have their navigation.
        evidence, page = parse_page(markup, utf8, is_whole=True)
        choice = select_blocks(page, evidence, classifier)
    size = _size(page, choice)
    barrier = find_barrier(
        visible_page(page, size, confidence=choice.confidence, markup=markup, evidence=evidence)
    )
    if barrier is not None:
        return barrier
    return _reading(_ParsedPage(decoded, evidence, page, choice, parseable_url(hints.url), is_truncated))


def parse_page(
    markup: str, utf8: bytes | None = None, *, is_whole: bool = False
) -> tuple[PageEvidence, FlatPage]:
    """What the page says about itself, and its blocks. What an article has around it is left out where the page says that it is one,
    unless the whole page is asked for: half of the work is done once per tag and block, and these are hardly ever chosen."""
    tree = parse_html(markup, utf8)
    evidence = gather_stated(tree)
    remove_invisible(tree)
    gather_visible(tree, evidence)
    if not states_authors(evidence):
        gather_bylines(tree, evidence)
    has_surroundings = is_article(evidence) and not is_whole
    return evidence, flatten(article_markup(tree) if has_surroundings else body_markup(tree))


def _size(page: FlatPage, choice: BlockChoice) -> tuple[int, int]:
    """How many words and characters were chosen."""
    return (
        sum([page.words[block] for block in choice.blocks]),
        sum([len(page.texts[block]) for block in choice.blocks]),
    )


@dataclass(frozen=True, slots=True)
class _ParsedPage:
    decoded: DecodedText
    evidence: PageEvidence
    page: FlatPage
    choice: BlockChoice
    url: str
    is_truncated: bool


def page_context(evidence: PageEvidence) -> PageContext:
    return PageContext(evidence.title, evidence.meta("og:type").lower().startswith("article"))


def select_blocks(page: FlatPage, evidence: PageEvidence, classifier: BlockClassifier) -> BlockChoice:
    """The blocks of the page's own text."""
    if not page.texts:
        return BlockChoice((), 0.0, 1.0)
    context = page_context(evidence)
    table = block_table(page, context)
    probabilities = classifier(table)
    choice = choose_blocks(probabilities, table.words, page.texts)
    if context.is_article:
        choice = without_strays(choice, probabilities, table.words)
        choice = without_comments(choice, table.comments, table.words)
    elif not is_forum(evidence):
        choice = (
            without_strays(choice, probabilities, table.words) if is_prose(choice, table.words) else choice
        )
        choice = without_comment_sections(choice, page, table.comments, table.words)
    return replace(choice, agreement=agreement(choice.blocks, table.core, table.words))


def visible_page(
    page: FlatPage, size: tuple[int, int], *, confidence: float, markup: str, evidence: PageEvidence
) -> VisiblePage:
    """What the page shows. `size` is that of its text, in words and in characters."""
    words, characters = size
    visible = "\n".join(page.texts)[:20_000] if words < _LONG * 4 else ""
    # Scripts without spaces have few "words"; their characters count instead.
    return VisiblePage(max(words, characters // 8), confidence, visible, sum(page.words), markup, evidence)


def _reading(parsed: _ParsedPage) -> Reading:
    page, blocks = parsed.page, parsed.choice.blocks
    text = fix_encoding(replace_surrogates(page_to_markdown(page, blocks)))
    lines = lines_near_headline(page, parsed.evidence.title, blocks)
    metadata = page_metadata(parsed.evidence, lines, parsed.url)
    address = (
        BaseUrl(parsed.url or metadata.canonical_url).absolute(parsed.evidence.base)
        or parsed.url
        or metadata.canonical_url
    )
    metadata.origins["text"] = "block network"
    return Reading(
        text=text,
        plain=fix_encoding(replace_surrogates(page_to_plain_text(page, blocks))),
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
        images=images_of(page, blocks, address),
        links=links_of(page, blocks, address),
        media_type="text/html",
        method="html blocks",
        confidence=round(parsed.choice.confidence, 4),
        candidates=_candidates(parsed),
        attributes=_attributes(parsed, metadata),
        origins=metadata.origins,
    )


def _candidates(parsed: _ParsedPage) -> dict[str, Any]:
    page, choice = parsed.page, parsed.choice
    return {
        "blocks": len(page.texts),
        "chosen": len(choice.blocks),
        "words": sum(page.words),
        "chosen_words": sum(page.words[block] for block in choice.blocks),
        "cut": round(choice.cut, 4),
        "agreement_with_densest_part": round(choice.agreement, 4),
    }


def _attributes(parsed: _ParsedPage, metadata: PageMetadata) -> dict[str, Any]:
    attributes = metadata.attributes | {
        "charset": parsed.decoded.charset,
        "charset_origin": parsed.decoded.origin,
    }
    if is_paywalled(parsed.evidence):
        attributes["paywall"] = True
    if parsed.is_truncated or len(parsed.page.texts) >= MOST_BLOCKS:
        attributes["truncated"] = True
    return attributes
