"""Pages that need a browser, on loopback servers that record their requests."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import psutil
from tests.support.deadline import DEADLINE

from headwater.fetch.browser.program import find_browser
from headwater.fetch.browser.renderer import BrowserLimits
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

STORY = (
    "<p>"
    + "The harbour office keeps its ledgers on a chain of its own now, and clerks sign blocks. " * 8
    + "</p>"
)
Page = str | Callable[[str, bytes], str]


def require_browser() -> None:
    assert find_spec("playwright"), (
        "these tests need the package playwright: run `make test`, which installs it"
    )
    assert find_browser(), (
        "these tests need Chromium: install it, e.g. `apt-get install chromium-headless-shell`"
    )


class Site:
    """Answers every host by path; a page is HTML, or JavaScript where its path says so. "-> url" is a redirect, and
    "cookie…|" before a page sets that cookie."""

    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages
        self.requests: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.headers["Host"], self.path))
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                page = site.pages.get(self.path)
                if callable(page):
                    page = page(self.headers.get("Cookie") or "", body)
                cookie, page = page.split("|", 1) if page and page.startswith("cookie") else ("", page)
                moved = page is not None and page.startswith("-> ")
                self.send_response(404 if page is None else 302 if moved else 200)
                if cookie:
                    self.send_header("Set-Cookie", f"{cookie}=1; Path=/; HttpOnly")
                if moved:
                    self.send_header("Location", page[3:])
                kind = "text/javascript" if self.path.endswith(".js") else "text/html"
                body = (page or "nothing").encode()
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def show(self, pages: dict[str, Page]) -> None:
        """Other pages from now on."""
        self.pages = pages

    def paths(self) -> list[str]:
        return [path for _, path in self.requests if path != "/robots.txt"]

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Listener:
    """Records every connection and every datagram that reaches its port."""

    def __init__(self) -> None:
        self.stream = socket.create_server(("127.0.0.1", 0))
        self.port = self.stream.getsockname()[1]
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(("127.0.0.1", self.port))

    def reached(self) -> bool:
        for end in (self.stream, self.datagrams):
            end.settimeout(0.2)
        try:
            connection, _ = self.stream.accept()
            connection.close()
        except TimeoutError:
            pass
        else:
            return True
        try:
            return bool(self.datagrams.recvfrom(1))
        except TimeoutError:
            return False

    def close(self) -> None:
        self.stream.close()
        self.datagrams.close()


@contextmanager
def serving(pages: dict[str, Page]) -> Iterator[Site]:
    site = Site(pages)
    try:
        yield site
    finally:
        site.close()


@contextmanager
def fetching(site: Site, *, rate: float = 0, **limits: object) -> Iterator[HttpFetcher]:
    require_browser()
    settings = FetchSettings(overrides={"*.example": site.base}, rate=rate, contact="contact@reader.example")
    fetcher = HttpFetcher(settings, browser=BrowserLimits(**limits))
    try:
        yield fetcher
    finally:
        fetcher.close()


def render(fetcher: HttpFetcher, *paths: str) -> list[Response | Failure]:
    """The answers in the order of the paths."""
    for number, path in enumerate(paths):
        fetcher.submit(str(number), Request(url=f"http://news.example{path}", render=True))
    answers: dict[str, Response | Failure] = {}
    until = time.monotonic() + DEADLINE
    while len(answers) < len(paths):
        assert time.monotonic() < until, "no answer in time"
        answers |= dict(fetcher.collect(10, timedelta(seconds=1)))
    return [answers[str(number)] for number in range(len(paths))]


def browsers() -> set[int]:
    """The main processes of the browsers below this process: those that were not started by another browser process."""
    processes = {p.pid: p for p in psutil.Process().children(recursive=True) if "chrom" in _name(p)}
    return {number for number, process in processes.items() if _parent(process) not in processes}


def descendants() -> list[str]:
    """Browsers and their driver, by name."""
    names = [_name(process) for process in psutil.Process().children(recursive=True)]
    return [name for name in names if "chrom" in name or "node" in name]


def _name(process: psutil.Process) -> str:
    try:
        return process.name() if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return ""


def _parent(process: psutil.Process) -> int:
    try:
        return process.ppid()
    except psutil.Error:
        return 0
