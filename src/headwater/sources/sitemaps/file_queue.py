"""The sitemap files of one look, in the order in which they are listed, within its limits."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.model.warning_log import WarningLog
from headwater.sources.scope import Scope


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """`path` leads to it: the indexes above it, then itself. `lastmod` is what the last of them says about it."""

    path: tuple[str, ...]
    lastmod: str = ""

    @property
    def url(self) -> str:
        return self.path[-1]


@dataclass(slots=True)
class SitemapFileQueue:
    """Each file once, what an index names right after it. A look that was cut short is gone on with by the next one:
    what stands before the file named by `resume` comes last. So every file has its turn, however few a look takes."""

    territory: Scope
    most: int
    deepest: int
    resume: tuple[str, ...]
    notes: WarningLog
    _waiting: deque[SitemapFile] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _asked: int = 0

    def start(self, urls: Iterable[str]) -> None:
        self._add([SitemapFile((url,)) for url in urls])

    def below(self, parent: SitemapFile, answered_from: str, children: Iterable[tuple[str, str]]) -> None:
        """What an index names: on its own host, or on one that belongs to the source."""
        if len(parent.path) >= self.deepest:
            self.notes("index_too_deep", parent.url)
            return
        allowed = self.territory.with_site(answered_from)
        found = []
        for url, lastmod in children:
            if url in allowed:
                found.append(SitemapFile((*parent.path, url), lastmod))
            else:
                self.notes("foreign_sitemap", url)
        self._add(found)

    def _add(self, files: Sequence[SitemapFile]) -> None:
        fresh = [file for file in {file.url: file for file in files}.values() if file.url not in self._known]
        position = next((number for number, file in enumerate(fresh) if self._on_the_way(file)), 0)
        self._waiting.extendleft(reversed(fresh[position:]))
        self._waiting.extend(fresh[:position])
        self._known.update(file.url for file in fresh)
        # More than this look can take need not wait: the next one finds them where they are.
        while len(self._waiting) > self.most + 1:
            self._known.discard(self._waiting.pop().url)

    def _on_the_way(self, file: SitemapFile) -> bool:
        return self.resume[: len(file.path)] == file.path

    def next(self) -> SitemapFile | None:
        if not self._waiting or self._asked >= self.most:
            return None
        self._asked += 1
        return self._waiting.popleft()

    def left(self) -> tuple[str, ...]:
        """The way to the first file that was not come to; empty when there is none."""
        if not self._waiting:
            return ()
        self.notes("files_left_out", f"{len(self._waiting)} or more for the next look")
        return self._waiting[0].path
