"""The cost of fetching: CPU per page, compared with a bare aiohttp loop and with Scrapy.

A server in another process answers for 500 virtual hosts with pages of 30 KB. Each contender runs in a process of its
own, several rounds in turn; its CPU is counted from after its imports to its last page, for Headwater including the
robots.txt of every host. The median round counts. Limits: at most 2.0 times bare aiohttp, and a third of Scrapy.
Scrapy is measured where it can be imported: `--scrapy-python` names an interpreter that has it.
"""

# ruff: noqa: PLC0415  # each contender runs in an interpreter of its own, which may lack the packages of the others

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

PAGE = b"<!doctype html><title>Page</title>" + b"<p>Words that fill a page of the usual size.</p>" * 625
AT_ONCE = 100
ROUNDS = 5
TIMES_BARE = 2.0
TIMES_LESS_THAN_SCRAPY = 3.0
FLAT_MEGABYTES = 16


class Pages(asyncio.Protocol):
    """A minimal server with persistent connections, so that its own cost stays small."""

    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(
        PAGE
    )
    robots = b"User-agent: *\nDisallow: /private\nAllow: /private/open\n"
    answers = (
        head + PAGE,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(robots) + robots,
    )

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        # Requests are small and come one at a time on a connection, so one piece is one request.
        self.transport.write(self.answers[data.startswith(b"GET /robots.txt ")])


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Pages, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Meter:
    """CPU and memory of this process from here on."""

    def __init__(self, pages: int) -> None:
        self._pages = pages
        self._began, self._wall = _cpu(), time.perf_counter()
        self._early = 0

    def record_progress(self, pages_done: int) -> None:
        if not self._early and pages_done >= self._pages // 4:
            self._early = _resident()

    def report(self) -> None:
        figures = {
            "cpu_ms_per_page": (_cpu() - self._began) * 1000 / self._pages,
            "pages_per_s": self._pages / (time.perf_counter() - self._wall),
            "grown_mb": (_resident() - self._early) / 2**20,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps(figures), flush=True)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def bare(port: int, pages: int, hosts: int) -> None:
    import aiohttp

    async def run() -> None:
        meter = Meter(pages)
        numbers = iter(range(pages))
        pages_done = 0

        async def worker(session: aiohttp.ClientSession) -> None:
            nonlocal pages_done
            for number in numbers:
                headers = {"Host": f"h{number % hosts}.example"}
                async with session.get(f"http://127.0.0.1:{port}/{number}", headers=headers) as response:
                    assert len(await response.read()) == len(PAGE)
                pages_done += 1
                meter.record_progress(pages_done)

        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:
            await asyncio.gather(*(worker(session) for _ in range(AT_ONCE)))
        meter.report()

    asyncio.run(run())


def headwater(port: int, pages: int, hosts: int) -> None:
    from datetime import timedelta

    from headwater.fetch.client.http_fetcher import HttpFetcher
    from headwater.fetch.settings import FetchSettings
    from headwater.model.http import Request, Response

    meter = Meter(pages)
    fetcher = HttpFetcher(
        FetchSettings(
            overrides={"*.example": f"http://127.0.0.1:{port}"},
            rate=0.0,
            concurrency=0,
            capacity=2 * AT_ONCE,
            connections=AT_ONCE,
            contact="ops@ledgerlane.example",
        )
    )
    pages_sent = pages_done = 0
    while pages_done < pages:
        while pages_sent < pages and fetcher.room():
            fetcher.submit(str(pages_sent), Request(url=f"http://h{pages_sent % hosts}.example/{pages_sent}"))
            pages_sent += 1
        for _, answer in fetcher.collect(AT_ONCE, timedelta(seconds=10)):
            assert isinstance(answer, Response), answer
            assert len(answer.body) == len(PAGE)
            pages_done += 1
        meter.record_progress(pages_done)
    meter.report()
    fetcher.close()


def scrapy(port: int, pages: int, hosts: int) -> None:
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess

    class Everything(Spider):
        name = "everything"
        custom_settings = {  # noqa: RUF012  # the way Scrapy is configured
            "CONCURRENT_REQUESTS": AT_ONCE,
            "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
            "DOWNLOAD_DELAY": 0,
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
        }
        pages_done = 0

        async def start(self):
            for number in range(pages):
                yield Request(
                    f"http://127.0.0.1:{port}/{number}", headers={"Host": f"h{number % hosts}.example"}
                )

        def parse(self, response):
            assert len(response.body) == len(PAGE)
            self.pages_done += 1
            meter.record_progress(self.pages_done)

        def closed(self, reason):
            assert self.pages_done == pages, reason
            meter.report()

    process = CrawlerProcess()
    process.crawl(Everything)
    meter = Meter(pages)
    process.start()


ROLES = {"bare": bare, "headwater": headwater, "scrapy": scrapy}


def run_role(python: str, role: str, port: int, options: argparse.Namespace) -> dict[str, float]:
    sizes = [str(port), str(options.pages), str(options.hosts)]
    command = [python, __file__, "--role", role, *sizes]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.strip().splitlines()[-1])


def can_import(python: str, name: str) -> bool:
    return subprocess.run([python, "-c", f"import {name}"], check=False, capture_output=True).returncode == 0


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    pythons = {"bare": sys.executable, "headwater": sys.executable}
    if can_import(options.scrapy_python, "scrapy"):
        pythons["scrapy"] = options.scrapy_python
    server = subprocess.Popen(
        [sys.executable, __file__, "--role", "serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        port = int(server.stdout.readline())
        rounds = [
            {role: run_role(python, role, port, options) for role, python in pythons.items()}
            for _ in range(options.rounds)
        ]
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    return {
        role: {name: statistics.median(figures[role][name] for figures in rounds) for name in rounds[0][role]}
        for role in pythons
    }


def report(figures: dict[str, dict[str, float]], options: argparse.Namespace) -> int:
    names = list(figures["bare"])
    print(f"{'':12}" + "".join(f"{name:>18}" for name in names))
    for role, row in figures.items():
        print(f"{role:12}" + "".join(f"{row[name]:18.3f}" for name in names))
    headwater_figures = figures["headwater"]
    times_bare = headwater_figures["cpu_ms_per_page"] / figures["bare"]["cpu_ms_per_page"]
    times_less = (
        figures["scrapy"]["cpu_ms_per_page"] / headwater_figures["cpu_ms_per_page"]
        if "scrapy" in figures
        else None
    )
    flat = headwater_figures["grown_mb"] <= FLAT_MEGABYTES
    within_limits = (
        times_bare <= TIMES_BARE and flat and (times_less is None or times_less >= TIMES_LESS_THAN_SCRAPY)
    )
    if times_less is None:
        print("scrapy was not measured: name an interpreter that has it with --scrapy-python")
    result = {
        "benchmark": "fetch",
        "pages": options.pages,
        "hosts": options.hosts,
        "cpu_ms_per_page": round(headwater_figures["cpu_ms_per_page"], 4),
        "times_bare_aiohttp": round(times_bare, 3),
        "times_less_than_scrapy": None if times_less is None else round(times_less, 2),
        "grown_mb": round(headwater_figures["grown_mb"], 2),
        "peak_mb": round(headwater_figures["peak_mb"], 1),
        "held": within_limits,
    }
    print(json.dumps(result))
    return 0 if within_limits else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.fetch", description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--scrapy-python", default=sys.executable)
    parser.add_argument("--role", choices=[*ROLES, "serve"], help=argparse.SUPPRESS)
    parser.add_argument("sizes", nargs="*", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role == "serve":
        asyncio.run(serve())
    elif options.role:
        ROLES[options.role](*options.sizes)
    else:
        return report(measure(options), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
