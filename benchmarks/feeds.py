"""Speed of reading feeds, and how much of broken feeds is recovered, compared with peers.

    python -m benchmarks.feeds [--data DIR] [--quick]

Without a folder of feeds it generates its own. The last line is one JSON object.
"""

import argparse
import html
import io
import json
import random
import re
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import fastfeedparser
import feedparser

from headwater.sources.feeds.feed import NotAFeed
from headwater.sources.feeds.parser import parse_feed

# A peer that crashes on a document has recovered nothing of it.
PEER_CRASHES = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
Corpus = dict[str, bytes]
Counts = tuple[int, int, int]
WORDS = (
    "harbour",
    "tide",
    "ledger",
    "quorum",
    "bridge",
    "signal",
    "paper",
    "lantern",
    "committee",
    "market",
    "rope",
    "voyage",
    "engine",
    "figure",
    "measure",
    "council",
    "answer",
    "season",
    "river",
    "granite",
    "window",
    "thread",
    "copper",
    "orchard",
)
START = datetime(2026, 11, 13, 8, 0, tzinfo=UTC)


def sentence(chance: random.Random, length: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(length)).capitalize()


def body(chance: random.Random, paragraphs: int) -> str:
    return "".join(
        f'<p>{sentence(chance, 30)} &amp; <a href="https://wire.example/x">{sentence(chance, 4)}</a>.</p>\n'
        for _ in range(paragraphs)
    )


def rss(chance: random.Random, entries: int, *, escaped: bool, paragraphs: int) -> bytes:
    items = []
    for number in range(entries):
        text = body(chance, paragraphs)
        content = html.escape(text, quote=False) if escaped else f"<![CDATA[{text}]]>"
        moment = (START - timedelta(hours=number)).strftime("%a, %d %b %Y %H:%M:%S +0000")
        items.append(
            f"<item><title>{sentence(chance, 8)} &amp; café {number}</title>"
            f"<link>https://wire.example/{number}?a=1&amp;b=2</link>"
            f'<guid isPermaLink="false">w-{number}</guid><pubDate>{moment}</pubDate>'
            f"<dc:creator>Ilse Brandt</dc:creator><category>Ropes</category><category>Tides</category>"
            f"<description>{sentence(chance, 20)}</description>"
            f"<content:encoded>{content}</content:encoded></item>\n"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<channel><title>Wire</title><link>https://wire.example/</link><description>All of it</description>"
        f"{''.join(items)}</channel></rss>"
    ).encode()


def atom(chance: random.Random, entries: int, *, paragraphs: int) -> bytes:
    items = []
    for number in range(entries):
        text = html.escape(body(chance, paragraphs), quote=False)
        moment = (START - timedelta(hours=number)).isoformat()
        items.append(
            f"<entry><title>{sentence(chance, 8)} {number}</title><id>urn:x:{number}</id>"
            f'<link href="https://wire.example/{number}"/><updated>{moment}</updated>'
            f"<published>{moment}</published><author><name>Jon Doe</name></author>"
            f'<category term="tides"/><summary>{sentence(chance, 20)}</summary>'
            f'<content type="html">{text}</content></entry>\n'
        )
    return (
        '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Wire</title>'
        f'<id>urn:x</id><link href="https://wire.example/"/>{"".join(items)}</feed>'
    ).encode()


def made_corpus() -> Corpus:
    chance = random.Random(7)
    return {
        "rss20 headlines": rss(chance, 100, escaped=False, paragraphs=0),
        "rss20 full text, sections": rss(chance, 50, escaped=False, paragraphs=12),
        "rss20 full text, escaped": rss(chance, 50, escaped=True, paragraphs=12),
        "rss20 small": rss(chance, 10, escaped=False, paragraphs=2),
        "atom10 full text": atom(chance, 50, paragraphs=12),
        "atom10 small": atom(chance, 10, paragraphs=1),
    }


def folder_corpus(folder: Path) -> Corpus:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def damaged(data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """The same feed with common defects."""
    size = len(data)
    end = chance.randrange(size // 3, size)
    yield "cut off", data[:end]
    start = chance.randrange(size // 2)
    yield "bytes lost", data[:start] + data[start + chance.randrange(1, 60) :]
    yield "ampersands", data.replace(b"&amp;", b"&")
    yield "foreign entity", data.replace(b"</title>", b"&nbsp;&hellip;</title>")
    yield "other encoding", data.decode("utf-8", "replace").encode("latin-1", "replace")
    yield "control characters", data.replace(b"</title>", b"\x0b\x01</title>")
    yield "no namespaces", re.sub(rb' xmlns(:\w+)?="[^"]*"', b"", data)
    tags = list(re.finditer(rb"</[A-Za-z:]+>", data))
    for closing in chance.sample(tags, min(3, len(tags))):
        yield "closing tag lost", data[: closing.start()] + data[closing.end() :]
    yield "junk around", b"Notice: cold cache\n" + data + b"<script>1</script>"


def ours(data: bytes) -> Counts:
    try:
        entries = parse_feed(data).entries
    except NotAFeed:
        return 0, 0, 0
    return len(entries), sum(1 for entry in entries if entry.title), sum(1 for entry in entries if entry.link)


def with_feedparser(data: bytes) -> Counts:
    return feedparser_counts(data)


def with_bare_feedparser(data: bytes) -> Counts:
    """Without cleaning of markup and links inside bodies, which the other readers do not do either."""
    return feedparser_counts(data, sanitize_html=False, resolve_relative_uris=False)


def feedparser_counts(data: bytes, **options: bool) -> Counts:
    try:
        entries = feedparser.parse(io.BytesIO(data), **options).entries
    except PEER_CRASHES:
        return 0, 0, 0
    links = [entry.get("link") or "" for entry in entries]
    return (
        len(entries),
        sum(1 for entry in entries if entry.get("title")),
        sum(1 for link in links if "://" in link),
    )


def with_fastfeedparser(data: bytes) -> Counts:
    try:
        entries = fastfeedparser.parse(data).entries
    except PEER_CRASHES:
        return 0, 0, 0
    return (
        len(entries),
        sum(1 for entry in entries if entry.get("title")),
        sum(1 for entry in entries if entry.get("link")),
    )


READERS: dict[str, Callable[[bytes], Counts]] = {
    "headwater": ours,
    "feedparser": with_feedparser,
    "bare feedparser": with_bare_feedparser,
    "fastfeedparser": with_fastfeedparser,
}


def seconds_per_call(data: bytes, rounds: int) -> dict[str, float]:
    """The least CPU time of several runs per reader, in turns.

    Not wall time: on a busy machine a long call is interrupted in every run and a short one in almost none, which would
    favour the faster reader.
    """
    best = dict.fromkeys(READERS, float("inf"))
    for _ in range(rounds):
        for name, reader in READERS.items():
            repeats = 1 if "feedparser" in name.split() else 5
            start = time.process_time()
            for _ in range(repeats):
                reader(data)
            best[name] = min(best[name], (time.process_time() - start) / repeats)
    return best


def measure_speed(corpus: Corpus, rounds: int) -> dict[str, float]:
    """Total CPU milliseconds over the corpus by reader, with a line for each feed."""
    totals = dict.fromkeys(READERS, 0.0)
    print(f"{'feed':32} {'KB':>7} {'entries':>7} " + " ".join(f"{name + ' ms':>18}" for name in READERS))
    for name, data in corpus.items():
        times = {reader: value * 1000 for reader, value in seconds_per_call(data, rounds).items()}
        for reader, value in times.items():
            totals[reader] += value
        cells = " ".join(f"{times[reader]:18.3f}" for reader in READERS)
        print(f"{name[:32]:32} {len(data) / 1024:7.1f} {ours(data)[0]:7} {cells}")
    return totals


def measure_rescue(corpus: Corpus) -> tuple[dict[str, list[int]], int]:
    """Entries, titles and links recovered from damaged feeds, and how often feedparser recovered more."""
    chance = random.Random(11)
    saved = {name: [0, 0, 0] for name in READERS}
    worse = 0
    for data in corpus.values():
        for _kind, broken in damaged(data, chance):
            counts = {name: call(broken) for name, call in READERS.items()}
            worse += any(a < b for a, b in zip(counts["headwater"], counts["feedparser"], strict=True))
            for name, reader_counts in counts.items():
                saved[name] = [a + b for a, b in zip(saved[name], reader_counts, strict=True)]
    return saved, worse


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    corpus = folder_corpus(options.data) if options.data else made_corpus()
    totals = measure_speed(corpus, 3 if options.quick or options.data else 12)
    small = {name: data for name, data in corpus.items() if 200 < len(data) < 60_000}
    saved, worse = measure_rescue(small)
    print(f"\n{'saved from damaged feeds':32} {'entries':>9} {'titles':>9} {'links':>9}")
    for name, (entries, titles, links) in saved.items():
        print(f"{name:32} {entries:9} {titles:9} {links:9}")
    report = {
        "benchmark": "feeds",
        "feeds": len(corpus),
        "bytes": sum(map(len, corpus.values())),
        "processor_milliseconds": {name: round(value, 3) for name, value in totals.items()},
        "times_faster_than_feedparser": round(totals["feedparser"] / totals["headwater"], 1),
        "times_faster_than_bare_feedparser": round(totals["bare feedparser"] / totals["headwater"], 1),
        "times_faster_than_fastfeedparser": round(totals["fastfeedparser"] / totals["headwater"], 2),
        "saved_entries_titles_links": saved,
        "feedparser_saved_more": worse,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
