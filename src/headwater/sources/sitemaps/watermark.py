"""What a look remembers of each sitemap file for the next one. Bounded, plain data: it is the source's watermark."""

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
    """A file as it was last time. `taken` is set when a limit cut it short: so many of its lines were taken."""

    etag: str = ""
    last_modified: str = ""
    sha256: str = ""
    lastmod: str = ""
    taken: int | None = None

    @property
    def headers(self) -> dict[str, str]:
        """Of a file that was not read to its end the rest is still wanted, unchanged or not."""
        return {} if self.taken is not None else conditional_headers(self.etag, self.last_modified)


@dataclass(slots=True)
class SitemapWatermark:
    """`before` is the last look's, `now` what this one adds; `resume` is where a cut listing goes on next time."""

    before: Mapping[str, SitemapFileState]
    resume: tuple[str, ...] = ()
    now: dict[str, SitemapFileState] = field(default_factory=dict)

    def known(self, url: str) -> SitemapFileState:
        return self.before.get(url, SitemapFileState())

    def keep(self, url: str, lastmod: str = "") -> None:
        """The file is as it was."""
        if url in self.before and len(self.now) < MOST_FILES:
            known = self.before[url]
            self.now[url] = SitemapFileState(
                etag=known.etag, last_modified=known.last_modified, sha256=known.sha256, lastmod=lastmod
            )

    def read(self, url: str, response: Response, lastmod: str = "", taken: int | None = None) -> None:
        if len(self.now) < MOST_FILES:
            self.now[url] = SitemapFileState(
                etag=header_value(response.headers, "etag")[:LONGEST_TAG],
                last_modified=header_value(response.headers, "last-modified")[:LONGEST_TAG],
                sha256=body_digest(response),
                lastmod=lastmod[:LONGEST_TAG],
                taken=taken,
            )

    def watermark(self, resume: tuple[str, ...]) -> dict[str, Any]:
        """Files that this look did not come to are remembered as they were."""
        room = MOST_FILES - len(self.now)
        kept = [(url, known) for url, known in self.before.items() if url not in self.now][:room]
        files = {url: _row(known) for url, known in (*self.now.items(), *kept)}
        return {"files": files} | ({"resume": list(resume)} if resume else {})


def read_watermark(watermark: Mapping[str, Any]) -> SitemapWatermark:
    """What an earlier look left; whatever does not look like it is forgotten."""
    files = watermark.get("files")
    rows = files.items() if isinstance(files, dict) else ()
    known = {url: _known(row) for url, row in rows if isinstance(row, dict)}
    resume = watermark.get("resume")
    return SitemapWatermark(known, tuple(map(str, resume)) if isinstance(resume, list) else ())


def body_digest(response: Response) -> str:
    return sha256(response.body).hexdigest()[:32]


def _known(row: Mapping[str, Any]) -> SitemapFileState:
    said = {name: str(row[name]) for name in ("etag", "last_modified", "sha256", "lastmod") if row.get(name)}
    taken = row.get("taken")
    return SitemapFileState(**said, taken=taken if isinstance(taken, int) else None)


def _row(known: SitemapFileState) -> dict[str, Any]:
    row = {
        "etag": known.etag,
        "last_modified": known.last_modified,
        "sha256": known.sha256,
        "lastmod": known.lastmod,
    }
    return {name: value for name, value in row.items() if value} | (
        {} if known.taken is None else {"taken": known.taken}
    )
