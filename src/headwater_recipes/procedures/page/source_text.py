"""Finds passages of the extracted text in the captured bytes: the element and the offsets in HTML and XML, the page and the box in
PDF. Passages are compared by their letters and digits, because extraction changes spaces and punctuation."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater_recipes.procedures.sections.parts import lines_of

Place = dict[str, Any]
SKIPPED = frozenset({"script", "style", "noscript", "template"})
ATTRIBUTES = ("alt", "content", "title", "value", "aria-label", "data-label")
MOST_NODES, DEEPEST, LONGEST_PASSAGE, SHORTEST = 20_000, 150, 400, 3
MOST_ATTRIBUTES, MOST_LINES = 200, 2_000


@dataclass(frozen=True, slots=True)
class SourceNode:
    """A text of the source with the paths of its element and of all elements around it."""

    paths: tuple[str, ...]
    text: str
    attribute: str = ""


@dataclass(slots=True)
class SourceText:
    """The letters and digits of all texts, in order. `starts`: where each text begins among them."""

    nodes: list[SourceNode] = field(default_factory=list)
    letters: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # in the source texts, one after another
    first_nodes: dict[str, int] = field(default_factory=dict)  # the first text of each element, by its path

    @classmethod
    def of(cls, nodes: Iterable[SourceNode]) -> "SourceText":
        source = cls()
        pieces: list[str] = []
        count = end = 0
        for node in nodes:
            bare = letters_of(node.text)
            for path in node.paths:
                source.first_nodes.setdefault(path, len(source.nodes))
            source.nodes.append(node)
            source.starts.append(count)
            pieces.append(bare)
            count += len(bare)
            end += len(node.text)
            source.ends.append(end)
        source.letters = "".join(pieces)
        return source

    def find(self, passage: str, after: int = 0) -> tuple[int, int] | None:
        """Where the passage stands among the letters: the next place, else the first."""
        bare = letters_of(passage[:LONGEST_PASSAGE])
        if len(bare) < SHORTEST:
            return None
        start = self.letters.find(bare, after)
        start = self.letters.find(bare) if start < 0 else start
        if start < 0:
            return None
        whole = letters_of(passage)
        return start, start + len(whole if self.letters.startswith(whole, start) else bare)

    def place(self, start: int, end: int) -> Place:
        """The innermost element that contains all the letters, with the offsets in its text."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        head, tail = self.nodes[first], self.nodes[last]
        if head.attribute:
            return {"path": f"{head.paths[-1]}/@{head.attribute}", "start": 0, "end": len(head.text)}
        common = [one for one, other in zip(head.paths, tail.paths, strict=False) if one == other]
        path = common[-1] if common else head.paths[0]
        begins = self.first_nodes[path]
        base = self.ends[begins - 1] if begins else 0
        return {
            "path": path,
            "start": self._offset(first, start) - base,
            "end": self._offset(last, end - 1) + 1 - base,
        }

    def _offset(self, number: int, letter: int) -> int:
        """The offset in the source texts of a letter of one of them."""
        text, remaining = self.nodes[number].text, letter - self.starts[number]
        base = self.ends[number - 1] if number else 0
        for place, character in enumerate(text):
            if not character.isalnum():
                continue
            if remaining <= 0:
                return base + place
            remaining -= len(character.casefold())
        return base + len(text)


def letters_of(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def html_text(tree: LexborHTMLParser) -> SourceText:
    return SourceText.of(_text_nodes(tree))


def html_attributes(tree: LexborHTMLParser) -> SourceText:
    """Texts in attributes: alternative texts of images, contents of meta elements."""
    return SourceText.of(
        SourceNode((element_path(node),), text, name)
        for name in ATTRIBUTES
        for node in tree.css(f"[{name}]")[:MOST_ATTRIBUTES]
        if (text := node.attributes.get(name) or "").strip()
    )


def _text_nodes(tree: LexborHTMLParser) -> Iterator[SourceNode]:
    root = tree.root
    if root is None:
        return
    stack: list[tuple[LexborNode, tuple[str, ...]]] = [(root, (f"/{root.tag}",))]
    count = 0
    while stack and count < MOST_NODES:
        node, paths = stack.pop()
        if node.tag == "-text":
            count += 1
            yield SourceNode(paths, node.text(deep=False) or "")
            continue
        if node.tag in SKIPPED or len(paths) > DEEPEST:
            continue
        numbers: dict[str, int] = {}
        children: list[tuple[LexborNode, tuple[str, ...]]] = []
        for child in node.iter(include_text=True):
            tag = child.tag or ""
            numbers[tag] = numbers.get(tag, 0) + 1
            own = paths if tag == "-text" else (*paths, f"{paths[-1]}/{tag}[{numbers[tag]}]")
            children.append((child, own))
        stack += reversed(children)


def element_path(node: LexborNode) -> str:
    """The XPath of an element."""
    steps: list[str] = []
    current: LexborNode | None = node
    while current is not None and current.tag and not current.tag.startswith(("-", "_", "!")):
        number, before = 1, current.prev
        while before is not None:
            number += before.tag == current.tag
            before = before.prev
        steps.append(current.tag if current.tag == "html" else f"{current.tag}[{number}]")
        current = current.parent
    return "/" + "/".join(reversed(steps))


def line_places(text: str, source: SourceText) -> list[tuple[int, int, Place]]:
    """(start, end, place) of each line of the extracted text that the source contains."""
    places: list[tuple[int, int, Place]] = []
    after = 0
    for line in islice(lines_of(text), MOST_LINES):
        match = None if line.kind == "rule" else source.find(line.text, after)
        if match is not None:
            after = match[1]
            places.append((line.start, line.end, source.place(*match)))
    return places


def passage_places(passages: Mapping[str, str], *sources: SourceText) -> dict[str, Place]:
    """The place of each named passage, in the first source that contains it."""
    places: dict[str, Place] = {}
    for name, passage in passages.items():
        for source in sources:
            match = source.find(passage)
            if match is not None:
                places[name] = source.place(*match)
                break
    return places
