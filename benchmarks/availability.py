"""Whether a feed is available, for a mixed set of addresses, and how long validation takes: `python -m benchmarks.availability`.

Each kind of address comes ten times, each time on a host of its own: feeds in several formats, slow ones, redirects, loops, error
statuses, missing pages that answer 200, parked domains, truncated and empty answers, TLS faults, refused connections and unknown
hosts. Limits: 99 % of the verdicts are right, and a feed that answers at once is validated in less than two seconds. Every host gets at
most one request per second, robots.txt included, so a redirect or a slow server adds its own second. The last line is one JSON object.
"""

import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

from benchmarks.loopback import Answer, serving
from headwater.app import App
from headwater.extract.sandbox.pool import close_all
from headwater.ops.feed_check import check_feeds
from headwater.settings.settings import Settings

TIMES = 10
LEAST_ACCURACY, MOST_SECONDS = 0.99, 2.0
ITEMS = "".join(
    f"<item><title>Report {n}</title><link>http://wire.example/{n}</link><guid>{n}</guid>"
    f"<pubDate>Fri, 13 Nov 2026 0{n}:00:00 GMT</pubDate><description>The port reports {n}.</description></item>"
    for n in range(8)
)
RSS = f'<?xml version="1.0"?><rss version="2.0"><channel><title>Wire</title>{ITEMS}</channel></rss>'.encode()
ENTRIES = "".join(
    f"<entry><title>Report {n}</title><id>{n}</id><link href='http://wire.example/{n}'/>"
    f"<updated>2026-11-13T0{n}:00:00Z</updated></entry>"
    for n in range(8)
)
ATOM = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Wire</title>{ENTRIES}</feed>'.encode()
JSON_FEED = json.dumps(
    {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Wire",
        "items": [
            {"id": str(n), "url": f"http://wire.example/{n}", "content_text": "Text."} for n in range(8)
        ],
    }
).encode()
LOST = (
    b"<html><title>Page not found</title><body><h1>404</h1><p>We could not find this page.</p></body></html>"
)
PARKED = b"<html><title>quick.example</title><body><p>This domain is for sale. Related searches: news</p></body></html>"
XML, HTML = {"Content-Type": "application/rss+xml"}, {"Content-Type": "text/html"}

# By kind: whether a feed can be read there.
KINDS = {
    "rss": True,
    "atom": True,
    "json": True,
    "as_html": True,
    "gzip": True,
    "one_second": True,
    "redirect": True,
    "broken_xml": True,
    "status_404": False,
    "status_410": False,
    "status_403": False,
    "status_500": False,
    "status_503": False,
    "loop": False,
    "soft_404": False,
    "parked": False,
    "empty": False,
    "no_entries": False,
    "truncated": False,
    "ten_seconds": False,
    "tls": False,
    "refused": False,
    "unknown_host": False,
}
STATIC: dict[str, Answer] = {
    "rss": (200, XML, RSS),
    "atom": (200, {"Content-Type": "application/atom+xml"}, ATOM),
    "json": (200, {"Content-Type": "application/feed+json"}, JSON_FEED),
    "as_html": (200, HTML, RSS),
    "gzip": (200, XML | {"Content-Encoding": "gzip"}, gzip.compress(RSS)),
    "broken_xml": (200, XML, RSS.replace(b"</title>", b" & Co</title>", 1).replace(b"</channel></rss>", b"")),
    "loop": (302, {"Location": "/feed"}, b""),
    "soft_404": (200, HTML, LOST),
    "parked": (200, HTML, PARKED),
    "empty": (200, XML, b""),
    "no_entries": (200, XML, b"<rss version='2.0'><channel><title>Wire</title></channel></rss>"),
    "truncated": (200, XML | {"X-Length": str(len(RSS))}, RSS[:200]),
}
AT_ONCE = ("rss", "atom", "json", "gzip")
PAUSES = {"one_second": 1.0, "ten_seconds": 10.0}


def answer(host: str, path: str) -> Answer:
    kind = host.removesuffix(".example").rpartition("-")[0]
    if path == "/robots.txt":
        return 404, {}, b""
    if kind in PAUSES:
        time.sleep(PAUSES[kind])
        return STATIC["rss"]
    if kind == "redirect" and path == "/feed":
        return 301, {"Location": "/new"}, b""
    if kind.startswith("status_"):
        return int(kind[-3:]), HTML, LOST
    return STATIC.get(kind, STATIC["rss"])


def addresses() -> dict[str, str]:
    return {
        f"http{'s' if kind == 'tls' else ''}://{kind}-{number}.{'invalid' if kind == 'unknown_host' else 'example'}/feed": kind
        for kind in KINDS
        for number in range(TIMES)
    }


def main() -> int:
    kinds = addresses()
    with tempfile.TemporaryDirectory() as folder, serving(answer) as base:
        plain = base.replace("http://", "https://")  # a server that speaks no TLS
        hosts = {f"tls-{n}.example": plain for n in range(TIMES)} | {
            f"refused-{n}.example": "http://127.0.0.1:1" for n in range(TIMES)
        }
        app = App(
            Settings(data=str(Path(folder) / "data"), hosts=hosts | {"*.example": base}, log_level="error")
        )
        results = check_feeds(app, list(kinds), timedelta(seconds=MOST_SECONDS))
        seconds: dict[str, float] = {}
        for kind in (*AT_ONCE, "redirect", "one_second"):
            start = time.perf_counter()
            (result,) = check_feeds(app, [f"http://{kind}-99.example/feed"], timedelta(seconds=MOST_SECONDS))
            seconds[kind] = round(time.perf_counter() - start, 3)
            print(f"validated {kind:14}{seconds[kind]:8.3f} s  {'usable' if result.ok else result.reason}")
        close_all()
    errors = Counter(kinds[result.url] for result in results if result.ok != KINDS[kinds[result.url]])
    reasons = {kind: Counter(r.reason or "usable" for r in results if kinds[r.url] == kind) for kind in KINDS}
    for kind, counts in reasons.items():
        print(f"{kind:16}{'up' if KINDS[kind] else 'down':6}{dict(counts)}")
    accuracy = 1 - errors.total() / len(results)
    slowest = max(seconds[kind] for kind in AT_ONCE)
    within = {"accuracy": accuracy >= LEAST_ACCURACY, "validation": slowest < MOST_SECONDS}
    figures = {
        "benchmark": "availability",
        "addresses": len(results),
        "accuracy": round(accuracy, 4),
        "errors": dict(errors),
        "slowest_validation_s": slowest,
        "seconds": seconds,
        "within": within,
    }
    print(json.dumps(figures))
    return 0 if all(within.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
