"""The text of a page as blocks: headings, paragraphs, items and tables, whatever elements the site uses for them."""

import re
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph
from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import LONGEST_LABEL, recognise_plain
from headwater_recipes.procedures.page.label_elements import (
    begins_pair,
    class_of,
    fills_line,
    has_picture_labels,
    has_slanted_labels,
    is_above_block,
    is_label,
    items_with_titles,
    label_classes,
    preformatted_lines,
    value_of,
)
from headwater_recipes.procedures.page.links import is_breadcrumb, is_empty_target, is_text, markdown_link
from headwater_recipes.procedures.page.panels import Panels, find_panels
from headwater_recipes.procedures.page.shape import (
    BLOCKS,
    BOLD,
    LABEL_WORDS,
    LEVELS,
    SLANTED,
    continues_line,
    hidden_label,
    is_note,
    is_only_trigger,
    is_section,
    line_top,
    main_part,
    opens_panel,
    site_colophon,
    title_of,
)
from headwater_recipes.procedures.page.site_frame import element_names, is_chrome
from headwater_recipes.procedures.page.tables import write_table
from headwater_recipes.procedures.page.writer import (
    END_OF_LABEL,
    BlockList,
    LineWriter,
    block_text,
    bullet_of,
    is_bold,
    is_heading,
    plain_line,
    run_markdown,
)

DEEPEST = 120
LARGEST_GAP, UNKNOWN_GAP = 1.4, 1000.0
STAR_SIGN = re.compile(r"[\w)»]\*+(?=[\s.,;:)]|$)")
STARRED_LINE = re.compile(r"^[ \t]{0,8}\*\s", re.MULTILINE)
MOST_STARRED = 2
FEWEST_STOPPED, MOST_LABEL_WORDS, MOST_BOLD = 3, 8, 500


def outline(tree: LexborHTMLParser, address: str) -> list[Block]:
    """The blocks of the main content of the page."""
    body = tree.body
    if body is None:
        return []
    walker = _Walker(
        address=address,
        panels=find_panels(tree),
        labels=label_classes(tree),
        pictures=has_picture_labels(tree),
        stopped_labels=_has_stopped_labels(tree),
        slanted_labels=has_slanted_labels(tree),
        starred_notes=_has_starred_notes(body.text(deep=True, separator="\n")),
    )
    if (last := site_colophon(tree)) is not None:
        last.decompose()
    walker.walk(main_part(tree) or body, 0)
    walker.end_paragraph()
    return walker.block_list.blocks


def _has_starred_notes(text: str) -> bool:
    """Whether a star refers to a note below the text. Otherwise lines with a star are items."""
    return STAR_SIGN.search(text) is not None and 0 < len(STARRED_LINE.findall(text)) <= MOST_STARRED


def _has_stopped_labels(tree: LexborHTMLParser) -> bool:
    """Whether several paragraphs of the page begin with a few bold words and a stop, or consist of them: its labels end so."""
    texts = [
        text
        for node in tree.css("p > b, p > strong")[:MOST_BOLD]
        if (text := to_one_line(node.text(deep=True))).endswith(".")
        and len(text.split()) <= MOST_LABEL_WORDS
        and node.parent is not None
        and to_one_line(node.parent.text(deep=True)).startswith(text)
    ]
    return len(texts) >= FEWEST_STOPPED


@dataclass(slots=True)
class _Walker:
    address: str
    panels: Panels
    labels: frozenset[str] = frozenset()
    pictures: bool = False
    starred_notes: bool = False
    stopped_labels: bool = False
    slanted_labels: bool = False
    last_top: float | None = None
    smallest_gap: float = UNKNOWN_GAP
    block_list: BlockList = field(default_factory=BlockList)
    line_writer: LineWriter = field(default_factory=LineWriter)

    def walk(self, node: LexborNode, depth: int, *, bold: bool = False) -> None:
        if depth > DEEPEST:
            self.line_writer.write(node.text(deep=True), bold=bold)
            return
        for child in node.iter(include_text=True):
            self._child(child, depth, bold=bold)

    def _child(self, child: LexborNode, depth: int, *, bold: bool) -> None:
        tag = child.tag or ""
        if tag == "-text":
            self.line_writer.write(child.text(deep=False) or "", bold=bold)
        elif tag == "br":
            self.line_writer.end_line()
        elif (value := value_of(child)) is not None:
            self._preformatted(value)
        elif tag == "pre":
            self.end_paragraph()
            self._preformatted(child.text(deep=True))
            self.end_paragraph()
        elif tag.startswith(("-", "_")) or is_chrome(child) or is_note(child):
            return
        elif tag in LEVELS or child.attributes.get("role") == "heading":
            self._heading(child, tag)
        elif child.mem_id in self.panels.triggers:
            self.end_paragraph()
        elif (
            tag in BLOCKS
            or ("-" in tag and not self._is_inside_line())
            or child.css_first("p,div,ul,ol,table,dl,h1,h2,h3,h4,h5,h6") is not None
        ):
            self._block(child, tag, depth)
        else:
            self._inline(child, tag, depth, bold=bold)

    def _preformatted(self, text: str) -> None:
        """Text with its own line breaks."""
        for line, titled in preformatted_lines(text):
            if titled:
                self.end_paragraph()
                self.block_list.add(Heading(line, self.block_list.levels.below("typed")))
            elif line:
                self.line_writer.write(line, bold=False)
                self.line_writer.end_line()
            else:
                self.end_paragraph()

    def _is_inside_line(self) -> bool:
        return any(run.text.strip() for run in self.line_writer.runs)

    def _heading(self, node: LexborNode, tag: str) -> None:
        self.end_paragraph()
        text, below = title_of(node)
        if not text or is_only_trigger(node, self.panels):
            return
        level_text = node.attributes.get("aria-level") or ""
        level = LEVELS.get(tag) or (
            int(level_text) if level_text.isdigit() and 0 < int(level_text) < 7 else 2
        )
        self.block_list.add(Heading(text, self.block_list.levels.real(level)))
        if below:
            self.block_list.add(Paragraph(below))

    def _block(self, node: LexborNode, tag: str, depth: int) -> None:
        if (top := line_top(node)) is not None:
            self._positioned_line(node, depth, top)
            return
        self.end_paragraph()
        if name := self.panels.names.get(node.mem_id) or hidden_label(node):
            level = self.block_list.levels.below("panel")
            self.block_list.add(Heading(name, level))
            if to_one_line(node.text(deep=True)) == name:
                return  # a table of contents links to the heading itself
            with self.block_list.levels.under(level):
                self._contents(node, tag, depth)
        else:
            self._contents(node, tag, depth)
        self.end_paragraph()

    def _positioned_line(self, node: LexborNode, depth: int, top: float) -> None:
        """One line of a page that was printed to HTML: each line stands at its place, and a gap ends a paragraph."""
        gap = top - self.last_top if self.last_top is not None else 0.0
        self.smallest_gap = min(self.smallest_gap, gap) if gap > 0 else self.smallest_gap
        if not 0 < gap <= LARGEST_GAP * self.smallest_gap:
            self.end_paragraph()
        self.last_top = top
        self.walk(node, depth + 1)
        self.line_writer.end_line()
        if self.line_writer.lines and is_bold(self.line_writer.lines[-1]):
            self.end_paragraph()

    def _contents(self, node: LexborNode, tag: str, depth: int) -> None:
        if tag == "table":
            write_table(self, node, depth)
        elif tag in {"ul", "ol", "menu"}:
            self._list(node, depth)
        elif tag in {"dt", "summary", "legend"}:
            self._label(node, depth)
        elif tag in {"details", "fieldset"}:
            self._titled(node, depth)
        elif tag == "dd" and node.parent is not None:
            with self.block_list.levels.under(self.block_list.levels.below(f"dt {node.parent.mem_id}")):
                self.walk(node, depth + 1)
                self.end_paragraph()
            if continues_line(node):
                self.block_list.levels.closed = 0
        elif is_label(node, self.labels):
            self.block_list.add(
                Heading(to_one_line(node.text(deep=True)), self.block_list.levels.below(class_of(node)))
            )
        else:
            self.walk(node, depth + 1)
            self.end_paragraph()

    def _titled(self, node: LexborNode, depth: int) -> None:
        """A block whose first child is its title."""
        title = next((child for child in node.iter() if child.tag in {"summary", "legend"}), None)
        if title is None or not to_one_line(title.text(deep=True)):
            self.walk(node, depth + 1)
            return
        self._label(title, depth)
        self.end_paragraph()
        last = self.block_list.blocks[-1] if self.block_list.blocks else None
        with self.block_list.levels.under(
            last.level if isinstance(last, Heading) else self.block_list.levels.level
        ):
            for child in node.iter(include_text=True):
                if child.mem_id != title.mem_id:
                    self._child(child, depth, bold=False)
            self.end_paragraph()

    def _label(self, node: LexborNode, depth: int) -> None:
        heading = node.css_first("h1,h2,h3,h4,h5,h6")
        if heading is not None:
            self.walk(node, depth + 1)
            return
        text = to_one_line(node.text(deep=True))
        if text:
            around = node.parent.mem_id if node.parent is not None and node.tag == "dt" else 0
            self.block_list.add(Heading(text, self.block_list.levels.below(f"{node.tag} {around}")))

    def _inline(self, node: LexborNode, tag: str, depth: int, *, bold: bool) -> None:
        if tag == "a":
            self._link(node, bold=bold)
        elif tag == "button":
            self._button(node)
        elif tag == "img":
            self._picture(node)
        elif (
            tag in {"span", "label"}
            and class_of(node) in self.labels
            and not self._is_inside_line()
            and (is_above_block(node) or begins_pair(node))
        ):
            self.end_paragraph()
            self.block_list.add(
                Heading(to_one_line(node.text(deep=True)), self.block_list.levels.below(class_of(node)))
            )
        elif tag in {"span", "label"} and (
            LABEL_WORDS & element_names(node) or class_of(node) in self.labels
        ):
            self.walk(node, depth + 1, bold=True)
            self.line_writer.write(END_OF_LABEL, bold=False)
        elif tag in BOLD or (self.slanted_labels and tag in SLANTED and fills_line(node)):
            self.walk(node, depth + 1, bold=True)
            self.line_writer.write(" ", bold=False)
        else:
            self.walk(node, depth + 1, bold=bold)
            if tag == "span":
                self.line_writer.write("\u200b", bold=bold)

    def _picture(self, node: LexborNode) -> None:
        """A title that is an image."""
        text = to_one_line(node.attributes.get("alt") or "")
        if self.pictures and not self._is_inside_line() and recognise_plain(text) is not None:
            self.end_paragraph()
            self.block_list.add(Heading(text, self.block_list.levels.below("picture")))

    def _button(self, node: LexborNode) -> None:
        """A button that opens a panel is its title. Other buttons are not text."""
        text = to_one_line(node.text(deep=True))
        if (
            text
            and (opens_panel(node) or recognise_plain(text) is not None)
            and len(text.split()) <= LONGEST_LABEL
        ):
            self.end_paragraph()
            self.block_list.add(Heading(text, self.block_list.levels.below(f"opens {class_of(node)}")))

    def _link(self, node: LexborNode, *, bold: bool) -> None:
        text = to_one_line(node.text(deep=True)).replace("[", "(").replace("]", ")")
        target = (node.attributes.get("href") or "").strip()
        if not text:
            return
        if is_empty_target(target) and opens_panel(node):
            self.end_paragraph()
            self.block_list.add(Heading(text, self.block_list.levels.below(f"opens {class_of(node)}")))
        elif not target.startswith("#") or self._is_inside_line() or is_text(text, target):
            # A line that only links within the page is a table of contents, not text.
            beside = " " if self.line_writer.runs and self.line_writer.runs[-1].text.endswith(")") else ""
            self.line_writer.write(beside + markdown_link(text, target, self.address), bold=bold)

    def _list(self, node: LexborNode, depth: int) -> None:
        titled = items_with_titles(node)
        count = 0
        for child in node.iter():
            count += child.tag == "li"
            if child.mem_id in titled:
                self._titled_item(child, titled[child.mem_id], depth)
                continue
            if child.tag != "li":
                self._child(child, depth, bold=False)
            elif not (is_chrome(child) or child.mem_id in self.panels.triggers):
                self._list_item(child, depth, f"{count}." if node.tag == "ol" else "")

    def _titled_item(self, node: LexborNode, title: str, depth: int) -> None:
        level = self.block_list.levels.below("titled item")
        self.block_list.add(Heading(title, level))
        with self.block_list.levels.under(level):
            for inner in node.iter():
                if inner.tag in {"ul", "ol"}:
                    self._list(inner, depth + 1)

    def _list_item(self, node: LexborNode, depth: int, number: str) -> None:
        """One line with its nested list. An item with a heading or table becomes blocks of its own."""
        if (name := self.panels.names.get(node.mem_id)) is not None:
            self.block_list.add(Heading(name, self.block_list.levels.below()))
        inner = node.css_first(
            "h1,h2,h3,h4,h5,h6,table,dl,summary,button[aria-expanded],button[aria-controls]"
        )
        if inner is not None or is_section(node):
            self.walk(node, depth + 1)
            self.end_paragraph()
            return
        lines = self.inside(node, depth)
        if not lines:
            return
        first, *further_lines = lines
        if further_lines and (first.endswith(":") or len(further_lines) > 1):
            first = f"{first} {'; '.join(line.rstrip('.;') for line in further_lines)}"
        elif further_lines:
            first = f"{first} {further_lines[0]}"
        self.block_list.add(ListItem(first, 0, number))

    def end_paragraph(self) -> None:
        for line in self.line_writer.take():
            text = plain_line(line)
            item_text = bullet_of(text)
            if is_breadcrumb(text) or (self.starred_notes and STARRED_LINE.match(text)):
                continue
            if item_text is not None and not is_bold(line):
                self.block_list.add(ListItem(item_text))
            elif is_heading(line):
                self.block_list.add(Paragraph(f"**{text}**"))
            elif self.stopped_labels and is_bold(line) and len(text.split()) <= MOST_LABEL_WORDS:
                self.block_list.add(Paragraph(f"**{text.rstrip('.')}**"))
            elif text:
                self.block_list.add(Paragraph(run_markdown(line)))

    def inside(self, node: LexborNode, depth: int) -> list[str]:
        """The lines inside an item or cell."""
        inner = replace(self, block_list=BlockList(), line_writer=LineWriter())
        inner.block_list.levels.level = self.block_list.levels.level
        inner.walk(node, depth + 1)
        inner.end_paragraph()
        return [text for block in inner.block_list.blocks if (text := block_text(block))]
