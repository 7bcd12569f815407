"""What the watermark keeps of each sitemap file for the next poll: bounded, plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from headwater.fetch.responses import conditional_headers, header_value
from headwater.model.http import Response

MOST_FILES = 2_000
LONGEST_TAG = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFileState:
    """A file at the last poll. `entries_taken` is set when a limit cut it short: the number of entries that were
    taken."""

    etag: str = ""
    last_modified: str = ""
    sha256: str = ""
    lastmod: str = ""
    entries_taken: int | None = None

    @property
    def headers(self) -> dict[str, str]:
        """Conditional headers; none for a file that was cut short, because the rest of it is needed even unchanged."""
        return {} if self.entries_taken is not None else conditional_headers(self.etag, self.last_modified)


@dataclass(slots=True)
class SitemapWatermark:
    """`previous` holds the states of the last poll, `current` those of this one. `resume` is the path of the file at
    which a poll that was cut short continues."""

    previous: Mapping[str, SitemapFileState]
    resume: tuple[str, ...] = ()
    current: dict[str, SitemapFileState] = field(default_factory=dict)

    def state_of(self, url: str) -> SitemapFileState:
        return self.previous.get(url, SitemapFileState())

    def record_unchanged(self, url: str, lastmod: str = "") -> None:
        if url in self.previous and len(self.current) < MOST_FILES:
            state = self.previous[url]
            self.current[url] = SitemapFileState(
                etag=state.etag, last_modified=state.last_modified, sha256=state.sha256, lastmod=lastmod
            )

    def record_read(
        self, url: str, response: Response, lastmod: str = "", entries_taken: int | None = None
    ) -> None:
        if len(self.current) < MOST_FILES:
            self.current[url] = SitemapFileState(
                etag=header_value(response.headers, "etag")[:LONGEST_TAG],
                last_modified=header_value(response.headers, "last-modified")[:LONGEST_TAG],
                sha256=body_digest(response),
                lastmod=lastmod[:LONGEST_TAG],
                entries_taken=entries_taken,
            )

    def as_record(self, resume: tuple[str, ...]) -> dict[str, Any]:
        """The watermark to store. Files that this poll did not reach keep their previous state."""
        room = MOST_FILES - len(self.current)
        unread = [(url, state) for url, state in self.previous.items() if url not in self.current][:room]
        files = {url: _row(state) for url, state in (*self.current.items(), *unread)}
        return {"files": files} | ({"resume": list(resume)} if resume else {})


def read_watermark(record: Mapping[str, Any]) -> SitemapWatermark:
    """The watermark of the last poll; anything that does not look like one is ignored."""
    files = record.get("files")
    rows = files.items() if isinstance(files, dict) else ()
    states = {url: _state(row) for url, row in rows if isinstance(row, dict)}
    resume = record.get("resume")
    return SitemapWatermark(states, tuple(map(str, resume)) if isinstance(resume, list) else ())


def body_digest(response: Response) -> str:
    return sha256(response.body).hexdigest()[:32]


def _state(row: Mapping[str, Any]) -> SitemapFileState:
    texts = {name: str(row[name]) for name in ("etag", "last_modified", "sha256", "lastmod") if row.get(name)}
    taken = row.get("taken")
    return SitemapFileState(**texts, entries_taken=taken if isinstance(taken, int) else None)


def _row(state: SitemapFileState) -> dict[str, Any]:
    row = {
        "etag": state.etag,
        "last_modified": state.last_modified,
        "sha256": state.sha256,
        "lastmod": state.lastmod,
    }
    return {name: value for name, value in row.items() if value} | (
        {} if state.entries_taken is None else {"taken": state.entries_taken}
    )
