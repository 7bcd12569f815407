"""The readers of this recipe. A child process imports them with its first page; the other processes never do."""

from collections.abc import Mapping

from headwater.extract.reader import ALIASES, READERS
from headwater.extract.sandbox.sandboxed import Sandboxed
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.model.recipe import Extract


def read_procedure(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    """Reads bytes as `page.reader.read_procedure` does."""
    from headwater_recipes.procedures.page.reader import read_procedure as read_now  # noqa: PLC0415 - see above

    return read_now(data, hints)


def procedure_readers() -> Mapping[str, Extract]:
    """The readers of all media types. Each runs in a child process that can be killed."""
    reader: Extract = Sandboxed(read_procedure)
    return dict.fromkeys(("*", *READERS, *ALIASES), reader)
