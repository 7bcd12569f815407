"""What the sandbox costs: entries of feeds, feeds, sitemaps and pages, parsed here and in a child process.

Processor time of both processes together; rounds alternate, so that a busy machine slows both alike.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from statistics import median

import psutil

from headwater.extract.html.fragment import FragmentReader
from headwater.extract.reader import read_any
from headwater.extract.sandbox.pool import close_all
from headwater.extract.sandbox.sandboxed import Sandboxed, parse_in_sandbox
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Parse
from headwater.sources.crawl.page import parse_untrusted_page
from headwater.sources.feeds.parser import parse_untrusted_feed
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap

PARAGRAPH = (
    "<p>The harbour board of <a href='https://north.example/{n}'>Northport</a> voted on Tuesday to raise its dues by "
    "<b>{n}</b> per cent, after months of talks with shipping lines and unions over the cost of dredging.</p>\n"
)
HINTS = ExtractHints(url="https://north.example/dues", media_type="text/html")


def entry(number: int, paragraphs: int) -> str:
    return "".join(PARAGRAPH.format(n=number * 100 + part) for part in range(paragraphs))


def entries(count: int) -> list[tuple[bytes, ExtractHints]]:
    """Bodies of 1 to 9 KB, as feeds have them."""
    return [(entry(number, 4 + number % 36).encode(), HINTS) for number in range(count)]


def feed(count: int) -> bytes:
    items = "".join(
        f"<item><title>Dues {n}</title><link>https://north.example/{n}</link><guid>g{n}</guid>"
        f"<pubDate>Tue, 10 Nov 2026 09:{n % 60:02}:00 GMT</pubDate>"
        f"<description><![CDATA[{entry(n, 12)}]]></description></item>"
        for n in range(count)
    )
    return f"<rss version='2.0'><channel><title>Northport</title>{items}</channel></rss>".encode()


def sitemap(count: int) -> bytes:
    urls = "".join(
        f"<url><loc>https://north.example/{n}</loc><lastmod>2026-11-10</lastmod></url>" for n in range(count)
    )
    return f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>".encode()


def page() -> bytes:
    links = "".join(f"<li><a href='/page/{n}'>Page {n}</a></li>" for n in range(200))
    text = f"<html><head><title>Dues</title></head><body><ul>{links}</ul>{entry(1, 40)}</body></html>"
    return text.encode()


def processor_time() -> float:
    children = [child.cpu_times() for child in psutil.Process().children()]
    return time.process_time() + sum(times.user + times.system for times in children)


def compare(here: Callable[[], object], there: Callable[[], object], rounds: int) -> dict[str, float]:
    """Milliseconds of processor time per call, and the ratio; the median over the rounds."""
    here(), there()
    spent: dict[str, list[float]] = {"here": [], "there": []}
    waited: dict[str, list[float]] = {"here": [], "there": []}
    for _ in range(rounds):
        for name, call in (("here", here), ("there", there)):
            started, used = time.perf_counter(), processor_time()
            call()
            spent[name].append(processor_time() - used)
            waited[name].append(time.perf_counter() - started)
    figures = {name: 1000 * sum(values) / rounds for name, values in spent.items()}
    return {
        "here_ms": round(figures["here"], 2),
        "there_ms": round(figures["there"], 2),
        "cost": round(figures["there"] / figures["here"], 3),
        "wall": round(median(waited["there"]) / median(waited["here"]), 3),
    }


def parsing(parse: Parse, times: int) -> tuple[Callable[[], object], Callable[[], object]]:
    return (
        lambda: [parse.parser(parse.data, parse.hints) for _ in range(times)],
        lambda: [parse_in_sandbox(parse) for _ in range(times)],
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    batch = entries(400)
    reader = FragmentReader(read_any)
    sandboxed = Sandboxed(reader)
    cases: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "entries of feeds, in batches of 100": (
            lambda: [reader(*item) for item in batch],
            lambda: [list(sandboxed.read_batch(part)) for part in _parts(batch, 100)],
        ),
        "feeds of 30 entries": parsing(Parse(parse_untrusted_feed, feed(30), HINTS), 40),
        "sitemaps of 2,000 URLs": parsing(Parse(parse_untrusted_sitemap, sitemap(2_000), HINTS), 20),
        "pages of a crawl": parsing(Parse(parse_untrusted_page, page(), HINTS), 100),
    }
    report = {name: compare(*calls, options.rounds) for name, calls in cases.items()}
    for name, figures in report.items():
        print(
            f"{name:40} {figures['cost']:6.2f} times the processor time, {figures['wall']:6.2f} times the wall time"
        )
    close_all()
    print(json.dumps({"benchmark": "sandbox", **report}))


def _parts(
    items: Sequence[tuple[bytes, ExtractHints]], size: int
) -> list[Sequence[tuple[bytes, ExtractHints]]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


if __name__ == "__main__":
    main()
