"""Parsing untrusted bytes where it can do no harm: in a child process that can be killed and has nothing to steal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.extract.sandbox.pool import pool_with_limits
from headwater.model.errors import Permanent
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable

if TYPE_CHECKING:  # an extractor needs nothing else of recipes
    from headwater.model.recipe import Parse

LARGEST = 256_000_000
# For what sources send: a feed of 32 MB, a sitemap of 50 MB.
PARSE_SECONDS, PARSE_MEGABYTES = 30.0, 1_024


@dataclass(frozen=True, slots=True)
class Sandboxed:
    """An extractor that runs another one in a child process. The other must be picklable: importable by name, or made
    of values that are. Concurrent threads use one child each; idle children are kept, and shared by all extractors."""

    extract: Extract
    seconds: float = 30.0
    megabytes: int = 512
    largest: int = LARGEST

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        (result,) = self.read_batch([(data, hints)])
        if isinstance(result, Permanent):
            raise result
        return result

    def read_batch(
        self, items: Sequence[tuple[bytes, ExtractHints]]
    ) -> Iterator[Reading | Unreadable | Permanent]:
        """One result for each item, in order. An item that fails has its own reason; the others are read all the same."""
        small_enough = [
            (hints.url, hints.media_type, data) for data, hints in items if len(data) <= self.largest
        ]
        results = pool_with_limits(self.seconds, self.megabytes).read(self.extract, small_enough)
        for data, _ in items:
            if len(data) > self.largest:
                yield Unreadable("too_large", f"{len(data)} bytes; at most {self.largest} are read")
            else:
                yield next(results)

    def close(self) -> None:
        """Ends the idle children with these limits. Not needed at exit."""
        pool_with_limits(self.seconds, self.megabytes).close()


def parse_in_sandbox(parse: Parse) -> Any:
    """What the parser returns. Raises Permanent when it takes too long, needs too much memory, or fails."""
    hints = parse.hints
    pool = pool_with_limits(PARSE_SECONDS, PARSE_MEGABYTES)
    (result,) = pool.read(parse.parser, [(hints.url, hints.media_type, parse.data)])
    if isinstance(result, Permanent):
        raise result
    return result
