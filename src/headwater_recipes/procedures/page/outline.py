"""A page's own text as blocks: headings, paragraphs, items and tables, whatever elements the site uses for them."""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.extract.blocks import Block, Heading, ListItem, Paragraph
from headwater.text.letters import to_one_line
from headwater_recipes.procedures.labels.recognise import recognise_plain
from headwater_recipes.procedures.page.label_elements import (
    LONGEST_LABEL,
    class_of,
    has_picture_labels,
    is_label,
    items_with_titles,
    label_classes,
    preformatted_lines,
    stands_above,
    value_of,
)
from headwater_recipes.procedures.page.links import is_breadcrumb, is_text, leads_nowhere, markdown_link
from headwater_recipes.procedures.page.panels import Panels, find_panels
from headwater_recipes.procedures.page.shape import (
    BLOCKS,
    BOLD,
    LABEL_WORDS,
    LEVELS,
    continues_line,
    is_note,
    is_only_trigger,
    is_section,
    main_part,
    named_for_readers,
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
    is_heading,
    plain_line,
    run_markdown,
)

DEEPEST = 120


def outline(tree: LexborHTMLParser, address: str) -> list[Block]:
    """The blocks of the part that is the page's own."""
    body = tree.body
    if body is None:
        return []
    walker = _Walker(
        address=address,
        panels=find_panels(tree),
        labels=label_classes(tree),
        pictures=has_picture_labels(tree),
    )
    if (last := site_colophon(tree)) is not None:
        last.decompose()
    walker.walk(main_part(tree) or body, 0)
    walker.end_paragraph()
    return walker.sheet.blocks


@dataclass(slots=True)
class _Walker:
    address: str
    panels: Panels
    labels: frozenset[str] = frozenset()
    pictures: bool = False
    sheet: BlockList = field(default_factory=BlockList)
    writing: LineWriter = field(default_factory=LineWriter)

    def walk(self, node: LexborNode, depth: int, *, bold: bool = False) -> None:
        if depth > DEEPEST:
            self.writing.write(node.text(deep=True), bold=bold)
            return
        for child in node.iter(include_text=True):
            self._child(child, depth, bold=bold)

    def _child(self, child: LexborNode, depth: int, *, bold: bool) -> None:
        tag = child.tag or ""
        if tag == "-text":
            self.writing.write(child.text(deep=False) or "", bold=bold)
        elif tag == "br":
            self.writing.end_line()
        elif (value := value_of(child)) is not None:
            self._typed(value)
        elif tag == "pre":
            self.end_paragraph()
            self._typed(child.text(deep=True))
            self.end_paragraph()
        elif tag.startswith(("-", "_")) or is_chrome(child) or is_note(child):
            return
        elif tag in LEVELS or child.attributes.get("role") == "heading":
            self._heading(child, tag)
        elif child.mem_id in self.panels.triggers:
            self.end_paragraph()
        elif (
            tag in BLOCKS
            or ("-" in tag and not self._in_a_line())
            or child.css_first("p,div,ul,ol,table,dl,h1,h2,h3,h4,h5,h6") is not None
        ):
            self._block(child, tag, depth)
        else:
            self._inline(child, tag, depth, bold=bold)

    def _typed(self, text: str) -> None:
        """Lines that somebody broke by hand."""
        for line, titled in preformatted_lines(text):
            if titled:
                self.end_paragraph()
                self.sheet.add(Heading(line, self.sheet.ranks.below("typed")))
            elif line:
                self.writing.write(line, bold=False)
                self.writing.end_line()
            else:
                self.end_paragraph()

    def _in_a_line(self) -> bool:
        return any(run.text.strip() for run in self.writing.runs)

    def _heading(self, node: LexborNode, tag: str) -> None:
        self.end_paragraph()
        text, below = title_of(node)
        if not text or is_only_trigger(node, self.panels):
            return
        said = node.attributes.get("aria-level") or ""
        level = LEVELS.get(tag) or (int(said) if said.isdigit() and 0 < int(said) < 7 else 2)
        self.sheet.add(Heading(text, self.sheet.ranks.real(level)))
        if below:
            self.sheet.add(Paragraph(below))

    def _block(self, node: LexborNode, tag: str, depth: int) -> None:
        self.end_paragraph()
        if name := self.panels.names.get(node.mem_id) or named_for_readers(node):
            level = self.sheet.ranks.below("panel")
            self.sheet.add(Heading(name, level))
            if to_one_line(node.text(deep=True)) == name:
                return  # what a table of contents points at: the heading itself
            with self.sheet.ranks.under(level):
                self._contents(node, tag, depth)
        else:
            self._contents(node, tag, depth)
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
            with self.sheet.ranks.under(self.sheet.ranks.below(f"dt {node.parent.mem_id}")):
                self.walk(node, depth + 1)
                self.end_paragraph()
            if continues_line(node):
                self.sheet.ranks.closed = 0
        elif is_label(node, self.labels):
            self.sheet.add(Heading(to_one_line(node.text(deep=True)), self.sheet.ranks.below(class_of(node))))
        else:
            self.walk(node, depth + 1)
            self.end_paragraph()

    def _titled(self, node: LexborNode, depth: int) -> None:
        """What its first child names, and nothing that comes after it."""
        title = next((child for child in node.iter() if child.tag in {"summary", "legend"}), None)
        if title is None or not to_one_line(title.text(deep=True)):
            self.walk(node, depth + 1)
            return
        self._label(title, depth)
        self.end_paragraph()
        last = self.sheet.blocks[-1] if self.sheet.blocks else None
        with self.sheet.ranks.under(last.level if isinstance(last, Heading) else self.sheet.ranks.level):
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
            self.sheet.add(Heading(text, self.sheet.ranks.below(f"{node.tag} {around}")))

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
            and not self._in_a_line()
            and stands_above(node)
        ):
            self.end_paragraph()
            self.sheet.add(Heading(to_one_line(node.text(deep=True)), self.sheet.ranks.below(class_of(node))))
        elif tag in {"span", "label"} and (
            LABEL_WORDS & element_names(node) or class_of(node) in self.labels
        ):
            self.walk(node, depth + 1, bold=True)
            self.writing.write(END_OF_LABEL, bold=False)
        elif tag in BOLD:
            self.walk(node, depth + 1, bold=True)
            self.writing.write(" ", bold=False)
        else:
            self.walk(node, depth + 1, bold=bold)
            if tag == "span":
                self.writing.write("\u200b", bold=bold)

    def _picture(self, node: LexborNode) -> None:
        """A title that was drawn."""
        text = to_one_line(node.attributes.get("alt") or "")
        if self.pictures and not self._in_a_line() and recognise_plain(text) is not None:
            self.end_paragraph()
            self.sheet.add(Heading(text, self.sheet.ranks.below("picture")))

    def _button(self, node: LexborNode) -> None:
        """One that opens something names it; any other is no text."""
        text = to_one_line(node.text(deep=True))
        if (
            text
            and (opens_panel(node) or recognise_plain(text) is not None)
            and len(text.split()) <= LONGEST_LABEL
        ):
            self.end_paragraph()
            self.sheet.add(Heading(text, self.sheet.ranks.below(f"opens {class_of(node)}")))

    def _link(self, node: LexborNode, *, bold: bool) -> None:
        text = to_one_line(node.text(deep=True)).replace("[", "(").replace("]", ")")
        target = (node.attributes.get("href") or "").strip()
        if not text:
            return
        if leads_nowhere(target) and opens_panel(node):
            self.end_paragraph()
            self.sheet.add(Heading(text, self.sheet.ranks.below(f"opens {class_of(node)}")))
        elif not target.startswith("#") or self._in_a_line() or is_text(text, target):
            # A line that only leads to another place of the page is a table of contents, not text.
            beside = " " if self.writing.runs and self.writing.runs[-1].text.endswith(")") else ""
            self.writing.write(beside + markdown_link(text, target, self.address), bold=bold)

    def _list(self, node: LexborNode, depth: int) -> None:
        titled = items_with_titles(node)
        for child in node.iter():
            if child.mem_id in titled:
                self._titled_item(child, titled[child.mem_id], depth)
                continue
            if child.tag != "li":
                self._child(child, depth, bold=False)
            elif not (is_chrome(child) or child.mem_id in self.panels.triggers):
                self._list_item(child, depth)

    def _titled_item(self, node: LexborNode, title: str, depth: int) -> None:
        level = self.sheet.ranks.below("titled item")
        self.sheet.add(Heading(title, level))
        with self.sheet.ranks.under(level):
            for inner in node.iter():
                if inner.tag in {"ul", "ol"}:
                    self._list(inner, depth + 1)

    def _list_item(self, node: LexborNode, depth: int) -> None:
        """One line, with what is listed below it; an item that holds a heading or table is a part of its own."""
        if (name := self.panels.names.get(node.mem_id)) is not None:
            self.sheet.add(Heading(name, self.sheet.ranks.below()))
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
        first, *others = lines
        if others and (first.endswith(":") or len(others) > 1):
            first = f"{first} {'; '.join(one.rstrip('.;') for one in others)}"
        elif others:
            first = f"{first} {others[0]}"
        self.sheet.add(ListItem(first))

    def end_paragraph(self) -> None:
        for line in self.writing.take():
            text = plain_line(line)
            rest = bullet_of(text)
            if is_breadcrumb(text):
                continue
            if rest is not None:
                self.sheet.add(ListItem(rest))
            elif is_heading(line):
                self.sheet.add(Paragraph(f"**{text}**"))
            elif text:
                self.sheet.add(Paragraph(run_markdown(line)))

    def inside(self, node: LexborNode, depth: int) -> list[str]:
        """The lines of an item or cell."""
        inner = _Walker(address=self.address, panels=self.panels, labels=self.labels, pictures=self.pictures)
        inner.sheet.ranks.level = self.sheet.ranks.level
        inner.walk(node, depth + 1)
        inner.end_paragraph()
        return [text for block in inner.sheet.blocks if (text := block_text(block))]
