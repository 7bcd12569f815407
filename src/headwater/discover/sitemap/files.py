"""The sitemap files of one look, in their order, within its limits."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.pure.crawling import Territory
from headwater.pure.feeds.notes import Notes


@dataclass(frozen=True, slots=True)
class File:
    """`lastmod` is what the index says about it."""

    url: str
    depth: int
    lastmod: str = ""


@dataclass(slots=True)
class Files:
    """Breadth first, each once. A listing that was cut short last time goes on where it was cut."""

    territory: Territory
    most: int
    deepest: int
    resume: str
    notes: Notes
    _waiting: deque[File] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _asked: int = 0

    def start(self, urls: Iterable[str]) -> None:
        for url, _ in _rotated([(url, "") for url in urls], self.resume):
            self._add(File(url, 1))

    def below(self, parent: File, answered_from: str, children: Sequence[tuple[str, str]]) -> None:
        """What an index names: its own host, or one that belongs to the source."""
        if parent.depth >= self.deepest:
            self.notes("index_too_deep", parent.url)
            return
        allowed = self.territory.with_site(answered_from)
        for url, lastmod in _rotated(children, self.resume):
            if url in allowed:
                self._add(File(url, parent.depth + 1, lastmod))
            else:
                self.notes("foreign_sitemap", url)

    def _add(self, file: File) -> None:
        if file.url not in self._known:
            self._known.add(file.url)
            self._waiting.append(file)

    def next(self) -> File | None:
        if not self._waiting or self._asked >= self.most:
            return None
        self._asked += 1
        return self._waiting.popleft()

    def left(self) -> str:
        """The first file that was not come to; empty when all were."""
        if not self._waiting:
            return ""
        self.notes("files_left_out", f"{len(self._waiting)} for the next look")
        return self._waiting[0].url


def _rotated(children: Sequence[tuple[str, str]], first: str) -> Sequence[tuple[str, str]]:
    position = next((number for number, child in enumerate(children) if child[0] == first), 0)
    return [*children[position:], *children[:position]]
