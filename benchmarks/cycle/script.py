"""The plain script: feedparser, trafilatura with its metadata (authors, keywords, picture, language are needed), and
four simple rules for duplicates, on SQLite, one article after another, with a commit per feed. The thrifty variant uses
the text of feeds that carry whole articles; the plain one reads the page of each."""

import hashlib
import io
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse, urlunparse

import feedparser
import trafilatura

from benchmarks.cycle import parts
from benchmarks.cycle.parts import PartTimer

Fetch = Callable[[str], bytes]
TRACKING = ("utm_source", "utm_medium", "utm_campaign", "fbclid", "gclid")
WHOLE = 600
SCHEMA = """
CREATE TABLE articles (id INTEGER PRIMARY KEY, guid TEXT NOT NULL UNIQUE, title TEXT NOT NULL, url TEXT NOT NULL UNIQUE,
  body TEXT, authors TEXT, description TEXT, published_on TEXT, publisher INTEGER, title_hash TEXT, content_hash TEXT);
CREATE INDEX idx_hashes ON articles (title_hash, content_hash);
CREATE INDEX idx_recent ON articles (publisher, published_on);
"""


def normalize_url(url: str) -> str:
    parsed = urlparse(url)
    query = {key: value for key, value in parse_qs(parsed.query).items() if key not in TRACKING}
    return urlunparse(
        (parsed.scheme, parsed.netloc, parsed.path, parsed.params, urlencode(query, doseq=True), "")
    )


def run_script(
    database: Path, urls: list[str], fetch: Fetch, timer: PartTimer, *, thrifty: bool
) -> dict[str, int]:
    timer.replace_timed(feedparser, ("parse", parts.READ))
    timer.replace_timed(trafilatura, ("bare_extraction", parts.READ), ("html2txt", parts.READ))
    timer.replace_timed(
        sys.modules[__name__], ("_is_known", parts.DUPLICATES), ("_is_copy", parts.DUPLICATES)
    )
    timer.switch(parts.STORE)
    connection = sqlite3.connect(database)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + SCHEMA)
    counts = {"articles": 0, "duplicates": 0}
    for publisher, url in enumerate(urls):
        for entry in feedparser.parse(io.BytesIO(fetch(url))).entries:
            counts[
                "articles" if _store(connection, publisher, entry, fetch, thrifty=thrifty) else "duplicates"
            ] += 1
        connection.commit()
    connection.close()
    return counts


def _store(
    connection: sqlite3.Connection, publisher: int, entry: Any, fetch: Fetch, *, thrifty: bool
) -> bool:
    url, guid = normalize_url(entry.link), entry.get("id") or entry.link
    if _is_known(connection, url, guid):
        return False
    body = _body(entry, fetch, thrifty=thrifty)
    title_hash = hashlib.md5(entry.title.lower().strip().encode(), usedforsecurity=False).hexdigest()
    content_hash = hashlib.md5(body[:1000].encode(), usedforsecurity=False).hexdigest()
    published = datetime(*entry.published_parsed[:6], tzinfo=UTC)
    if _is_copy(connection, publisher, entry.title, published, (title_hash, content_hash)):
        return False
    row = (guid, entry.title, url, body, entry.get("author"), entry.get("summary"), published.isoformat())
    connection.execute(
        "INSERT INTO articles (guid, title, url, body, authors, description, published_on, publisher, title_hash, "
        "content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*row, publisher, title_hash, content_hash),
    )
    return True


def _body(entry: Any, fetch: Fetch, *, thrifty: bool) -> str:
    content = entry.content[0].value if entry.get("content") else ""
    if thrifty and len(content) >= WHOLE:
        return str(trafilatura.html2txt(content))
    extracted = trafilatura.bare_extraction(fetch(entry.link).decode(), with_metadata=True)
    return str(extracted.text) if extracted is not None and extracted.text else ""


def _is_known(connection: sqlite3.Connection, url: str, guid: str) -> bool:
    query = "SELECT 1 FROM articles WHERE url = ? OR guid = ?"
    return connection.execute(query, (url, guid)).fetchone() is not None


def _is_copy(
    connection: sqlite3.Connection, publisher: int, title: str, published: datetime, hashes: tuple[str, str]
) -> bool:
    same_hashes = "SELECT 1 FROM articles WHERE title_hash = ? AND content_hash = ?"
    if connection.execute(same_hashes, hashes).fetchone():
        return True
    day = timedelta(hours=24)
    near = (publisher, (published - day).isoformat(), (published + day).isoformat())
    query = "SELECT title FROM articles WHERE publisher = ? AND published_on BETWEEN ? AND ?"
    return any(
        SequenceMatcher(None, title.lower(), other.lower()).ratio() > 0.9
        for (other,) in connection.execute(query, near)
    )
