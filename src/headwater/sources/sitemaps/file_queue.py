"""The sitemap files of one poll, in listed order and within its limits."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.model.warning_log import WarningLog
from headwater.sources.scope import Scope


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """`path` holds the URLs of the indexes above the file, then its own. `lastmod` is what its index says."""

    path: tuple[str, ...]
    lastmod: str = ""

    @property
    def url(self) -> str:
        return self.path[-1]


@dataclass(slots=True)
class SitemapFileQueue:
    """Each file once; the children of an index follow it. A poll that was cut short is continued by the next one: files
    before the one named by `resume` come last. So every file gets its turn, however few a poll reads."""

    scope: Scope
    max_files: int
    max_depth: int
    resume: tuple[str, ...]
    warnings: WarningLog
    _waiting: deque[SitemapFile] = field(default_factory=deque)
    _queued_urls: set[str] = field(default_factory=set)
    _requested: int = 0

    def start(self, urls: Iterable[str]) -> None:
        self._add([SitemapFile((url,)) for url in urls])

    def add_children(
        self, parent: SitemapFile, response_url: str, children: Iterable[tuple[str, str]]
    ) -> None:
        """Queue the files that an index names, if they are on its host or in the scope of the source."""
        if len(parent.path) >= self.max_depth:
            self.warnings("index_too_deep", parent.url)
            return
        allowed = self.scope.with_site(response_url)
        files = []
        for url, lastmod in children:
            if url in allowed:
                files.append(SitemapFile((*parent.path, url), lastmod))
            else:
                self.warnings("foreign_sitemap", url)
        self._add(files)

    def _add(self, files: Sequence[SitemapFile]) -> None:
        new_files = [
            file for file in {file.url: file for file in files}.values() if file.url not in self._queued_urls
        ]
        position = next((number for number, file in enumerate(new_files) if self._leads_to_resume(file)), 0)
        self._waiting.extendleft(reversed(new_files[position:]))
        self._waiting.extend(new_files[:position])
        self._queued_urls.update(file.url for file in new_files)
        # Files beyond the limit of this poll are dropped: the next poll finds them again.
        while len(self._waiting) > self.max_files + 1:
            self._queued_urls.discard(self._waiting.pop().url)

    def _leads_to_resume(self, file: SitemapFile) -> bool:
        return self.resume[: len(file.path)] == file.path

    def next(self) -> SitemapFile | None:
        if not self._waiting or self._requested >= self.max_files:
            return None
        self._requested += 1
        return self._waiting.popleft()

    def resume_path(self) -> tuple[str, ...]:
        """The path of the first file that was not read; empty if all were."""
        if not self._waiting:
            return ()
        self.warnings("files_left_out", f"{len(self._waiting)} or more for the next poll")
        return self._waiting[0].path
