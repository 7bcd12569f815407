"""The blocks of a page as they are written down one after another."""

from dataclasses import dataclass, field

from headwater.extract.blocks import Block, Heading, Item, Paragraph, Table
from headwater_recipes.procedures.page.ranks import Ranks


@dataclass(slots=True)
class Sheet:
    blocks: list[Block] = field(default_factory=list)
    ranks: Ranks = field(default_factory=Ranks)

    def add(self, block: Block) -> None:
        """Where the value of a label has ended, a rule says so to what is no label itself: the more dashes, the deeper
        the label."""
        closed, self.ranks.closed = self.ranks.closed, 0
        ended = closed and self.blocks and not _is_label(self.blocks[-1])
        if ended and not (isinstance(block, Heading) and block.level <= closed):
            self.blocks.append(Paragraph("-" * (closed + 2)))
        self.blocks.append(block)


def is_rule(block: Block) -> bool:
    return isinstance(block, Paragraph) and not block.text.strip("-")


def _is_label(block: Block) -> bool:
    """A heading, or a line that is bold from end to end."""
    return isinstance(block, Heading) or (
        isinstance(block, Paragraph) and block.text.startswith("**") and block.text.endswith("**")
    )


def said(block: Block) -> str:
    """Its words on one line, for an item or cell that holds it."""
    match block:
        case Heading(text, _):
            return f"**{text}**"
        case Paragraph(text) | Item(text, _, _):
            return "" if is_rule(block) else text
        case Table(rows):
            return "; ".join(": ".join(filter(None, row)) for row in rows)
