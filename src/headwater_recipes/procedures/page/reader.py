"""Reads bytes of any type into a Reading whose text keeps the structure that the fields of a procedure depend on."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from headwater.extract.blocks import Block, Heading, blocks_to_markdown, blocks_to_plain_text
from headwater.extract.html.forms import read_forms
from headwater.extract.html.parser import truncate_markup
from headwater.extract.html.reader import read_html
from headwater.extract.reader import read_any
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import decode_text, fix_encoding
from headwater.text.letters import replace_surrogates
from headwater.text.mojibake import fix_mojibake
from headwater.text.sniffing import HTML, PDF, XML, sniff_media_type
from headwater.text.words import count_words
from headwater_recipes.procedures.fields.organism import name_in
from headwater_recipes.procedures.fields.telephones import number_in
from headwater_recipes.procedures.labels.recognise import recognise
from headwater_recipes.procedures.page.gazette import read_gazette
from headwater_recipes.procedures.page.linked_data import service_facts
from headwater_recipes.procedures.page.links import buttons_of
from headwater_recipes.procedures.page.outline import outline
from headwater_recipes.procedures.page.pdf_places import pdf_line_places
from headwater_recipes.procedures.page.site_frame import site_frame
from headwater_recipes.procedures.page.source_text import (
    html_attributes,
    html_text,
    line_places,
    passage_places,
)
from headwater_recipes.procedures.page.writer import is_rule

UNREADABLE_TYPES = frozenset(
    {"login", "error_page", "soft_404", "redirect_stub", "too_large", "malformed", "paywall"}
)
FEWEST_WORDS = 30


def read_procedure(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """Read web pages by their elements, documents of the gazette by their structure, and everything else with the general
    readers."""
    kind = sniff_media_type(data, hints.media_type) if data.strip() else ""
    if kind == HTML:
        return read_page(data, hints)
    gazette = read_gazette(data) if kind == XML else None
    if gazette is not None:
        return gazette
    reading = read_any(data, hints)
    if kind != PDF or not isinstance(reading, Reading):
        return reading
    places = pdf_line_places(data, reading.text)
    return replace(reading, attributes={**reading.attributes, "line_places": places})


def read_page(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """The general reader provides the metadata and detects error pages. The text is the outline of the elements, if that has
    more sections of a procedure."""
    result = read_html(data, hints)
    if isinstance(result, Unreadable) and result.reason in UNREADABLE_TYPES:
        return result
    # Repair before any cleaning: a broken letter may look like white space.
    markup, _ = fix_mojibake(truncate_markup(decode_text(data, hints.media_type).text)[0])
    tree = LexborHTMLParser(markup)
    source, described = html_text(tree), html_attributes(tree)
    frame = site_frame(tree)
    blocks = outline(tree, hints.url or "")
    text = fix_encoding(replace_surrogates(blocks_to_markdown(blocks)))
    if count_words(text) < FEWEST_WORDS and not _parts(blocks):
        return result
    reading = (
        result if isinstance(result, Reading) else Reading(text="", media_type="text/html", confidence=0.5)
    )
    return replace(
        reading,
        text=text,
        plain=fix_encoding(
            replace_surrogates(blocks_to_plain_text(block for block in blocks if not is_rule(block)))
        ),
        method="procedure outline",
        title=_title(blocks) or reading.title,
        attributes={
            **reading.attributes,
            **_attributes(tree, blocks, markup, hints.url or ""),
            "site": frame,
            "line_places": line_places(text, source),
            "frame_places": passage_places(_frame_passages(tree, frame, reading), source, described),
        },
        origins={
            **reading.origins,
            "text": "procedure outline",
            "title": "first heading" if _title(blocks) else reading.origins.get("title", ""),
        },
    )


def _title(blocks: list[Block]) -> str:
    titles = [block.text for block in blocks if isinstance(block, Heading) and block.level == 1]
    if len(titles) == 1:
        return titles[0]
    return next((text for text in titles if recognise(text) is None), "")


def _parts(blocks: list[Block]) -> int:
    return sum(isinstance(block, Heading) and recognise(block.text) is not None for block in blocks)


def _attributes(tree: LexborHTMLParser, blocks: list[Block], markup: str, address: str) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    title = tree.css_first("title")
    if title is not None:
        attributes["page_title"] = " ".join(title.text(deep=True).split())[:300]
    if facts := service_facts(tree):
        attributes["linked_data"] = facts
    if buttons := buttons_of(tree, address):
        attributes["buttons"] = buttons
    headings = [{"level": block.level, "text": block.text} for block in blocks if isinstance(block, Heading)]
    if headings:
        attributes["headings"] = headings
    if "<form" in markup.lower() and (forms := read_forms(markup)):
        attributes["forms"] = forms
    return attributes


def _frame_passages(tree: LexborHTMLParser, frame: Mapping[str, Any], reading: Reading) -> dict[str, str]:
    """The passages in the frame of the site that fields may come from."""
    texts = {name: text for name, text in frame.items() if isinstance(text, str)}
    texts["path"] = " · ".join(frame.get("path", ()))
    title = tree.css_first("title")
    texts["title"] = title.text(deep=True) if title is not None else ""
    passages = {name: name_in(text) or text for name, text in texts.items() if text.strip()}
    passages["telephone"] = number_in(str(frame.get("footer") or ""))
    return passages | {"description": reading.description}
