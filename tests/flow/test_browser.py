"""Pages rendered by a real browser without network access of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from tests.servers.browser_site import (
    STORY,
    Listener,
    Page,
    Site,
    browsers,
    descendants,
    fetching,
    render,
    serving,
)
from tests.support.deadline import DEADLINE

from headwater.fetch.browser.renderer import BrowserLimits
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

SHELL = '<html><body><div id="root"></div><script src="/main.js"></script></body></html>'
FILL = f"document.getElementById('root').innerHTML = `<article>{STORY}</article>`;"


PRIVATE = """<div id=root></div><script>
const port = %d;
fetch("http://127.0.0.1:" + port + "/fetch").catch(() => 0);
fetch("http://localhost:" + port + "/name").catch(() => 0);
fetch("/hop").catch(() => 0);
navigator.sendBeacon("http://127.0.0.1:" + port + "/beacon", "x");
new Image().src = "http://127.0.0.1:" + port + "/image";
try { new WebSocket("ws://127.0.0.1:" + port + "/socket"); } catch (error) {}
try { new EventSource("http://127.0.0.1:" + port + "/events"); } catch (error) {}
const frame = document.createElement("iframe");
frame.src = "http://127.0.0.1:" + port + "/frame";
document.body.append(frame);
const script = document.createElement("script");
script.src = "http://127.0.0.1:" + port + "/script.js";
document.body.append(script);
try {
  const peer = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:" + port}]});
  peer.createDataChannel("x"); peer.createOffer().then(o => peer.setLocalDescription(o));
} catch (error) {}
const worker = new Worker(URL.createObjectURL(new Blob([`
  fetch("http://127.0.0.1:${port}/worker").catch(() => 0);
  try { new WebSocket("ws://127.0.0.1:${port}/worker"); } catch (error) {}
  try { new WebTransport("https://127.0.0.1:${port}/worker"); } catch (error) {}
`])));
window.open("http://127.0.0.1:" + port + "/popup");
setTimeout(() => { location.href = "http://127.0.0.1:" + port + "/away"; }, 50);
document.getElementById("root").textContent = "tried everything";
</script>"""


@pytest.fixture(scope="class")
def shared_site() -> Iterator[Site]:
    with serving({}) as site:
        yield site


@pytest.fixture(scope="class")
def fetcher(shared_site: Site) -> Iterator[HttpFetcher]:
    with fetching(shared_site) as fetcher:
        yield fetcher


@pytest.fixture
def site(shared_site: Site) -> Site:
    shared_site.requests.clear()
    return shared_site


class TestPagesOfOneBrowser:
    """These pages need only a browser: starting one takes longer than all of them."""

    def test_a_page_that_needs_scripts_has_its_text_and_records_rendering(
        self, site: Site, fetcher: HttpFetcher
    ):
        pages = {
            "/shell": SHELL,
            "/main.js": "fetch('/story').then(a => a.text()).then(t => {document.getElementById('root').innerHTML = t})",
            "/story": STORY,
        }
        site.show(pages)
        (answer,) = render(fetcher, "/shell")
        assert isinstance(answer, Response)
        assert "clerks sign blocks" in answer.body.decode()
        assert answer.policy["rendered"] is True
        assert answer.policy["page_requests"] == 2
        assert answer.url == "http://news.example/shell"
        assert site.paths() == ["/shell", "/main.js", "/story"]

    def test_a_consent_wall_is_accepted_once_and_the_page_behind_it_is_read(
        self, site: Site, fetcher: HttpFetcher
    ):
        wall = (
            "<h1>Before you continue</h1><p>We use cookies and care for your privacy.</p>"
            "<form action='/agreed' method='post'><button onclick=\"document.cookie='agreed=1;path=/'\">{}</button></form>"
        )
        pages = {
            "/english": wall.format("Accept all"),
            "/german": wall.format("Alle akzeptieren"),
            "/agreed": lambda cookie, body: STORY if "agreed=1" in cookie else "not yet",
        }
        site.show(pages)
        for answer in render(fetcher, "/english", "/german"):
            assert isinstance(answer, Response)
            assert "clerks sign blocks" in answer.body.decode()
            assert answer.url == "http://news.example/agreed"
        assert site.paths().count("/agreed") == 2

    def test_cookies_of_a_page_last_as_long_as_the_page_and_go_nowhere_else(
        self, site: Site, fetcher: HttpFetcher
    ):
        wall = (
            "cookie1|<p>cookies and privacy</p><form action=/agree method=post><button>Accept</button></form>"
        )
        page_requests: list[tuple[str, str]] = []

        def record_request(name: str, page: str) -> Page:
            return lambda cookie, _: (page_requests.append((name, cookie)), page)[1]

        pages = {
            "/wall": record_request("wall", wall),
            "/agree": record_request("agree", "cookie2|-> /story"),
            "/story": record_request("story", f"{STORY}<script src=http://other.example/other.js></script>"),
            "/other.js": record_request("other", "1"),
        }
        site.show(pages)
        for answer in (*render(fetcher, "/wall"), *render(fetcher, "/wall")):
            assert isinstance(answer, Response)
            assert "clerks sign blocks" in answer.body.decode()
            assert answer.url == "http://news.example/story"
            assert "set-cookie" not in answer.headers
        once = [("wall", ""), ("agree", "cookie1=1"), ("story", "cookie1=1; cookie2=1"), ("other", "")]
        assert page_requests == once * 2

    def test_a_consent_wall_that_stays_is_clicked_once(self, site: Site, fetcher: HttpFetcher):
        wall = "<p>cookies</p><button onclick=\"fetch('/click')\">Accept</button>"
        site.show({"/wall": wall, "/click": ""})
        (answer,) = render(fetcher, "/wall")
        assert isinstance(answer, Response)
        assert site.paths().count("/click") == 1

    def test_no_request_of_a_page_reaches_a_private_address(self, site: Site, fetcher: HttpFetcher):
        listener = Listener()
        pages = {
            "/page": f"<html><body>{PRIVATE % listener.port}</body></html>",
            "/hop": f"-> http://127.0.0.1:{listener.port}/hop",
        }
        site.show(pages)
        (answer,) = render(fetcher, "/page")
        assert isinstance(answer, Response)
        assert "tried everything" in answer.body.decode()
        assert answer.policy["page_refused"]["forbidden_address"] >= 4
        assert site.paths() == ["/page", "/hop"]
        assert not listener.reached()
        listener.close()

    def test_relative_addresses_hold_after_a_redirect(self, site: Site, fetcher: HttpFetcher):
        pages = {
            "/old": "-> /new/place",
            "/new/place": SHELL.replace("/main.js", "main.js"),
            "/new/main.js": FILL,
        }
        site.show(pages)
        (answer,) = render(fetcher, "/old")
        assert isinstance(answer, Response)
        assert "clerks sign blocks" in answer.body.decode()
        assert answer.url == "http://news.example/new/place"


def test_robots_and_the_rate_of_the_host_hold_for_the_requests_of_a_page():
    pages = {
        "/robots.txt": "User-agent: *\nDisallow: /secret",
        "/page": "<div id=root></div><script src=/secret/a.js></script>"
        + "".join(f"<script src=/open{n}.js></script>" for n in range(4))
        + f"<script>{FILL}</script>",
        **{f"/open{n}.js": "1" for n in range(4)},
        "/secret/a.js": "1",
    }
    with serving(pages) as site, fetching(site, rate=2.0) as fetcher:
        (answer,) = render(fetcher, "/page")
        assert isinstance(answer, Response)
        assert answer.policy["page_refused"] == {"robots": 1}
        assert sorted(site.paths()) == ["/open0.js", "/open1.js", "/open2.js", "/open3.js", "/page"]


def test_a_page_that_never_ends_is_stopped_and_the_next_one_is_rendered():
    pages = {"/busy": "<p>x</p><script>while (true) {}</script>", "/shell": SHELL, "/main.js": FILL}
    with serving(pages) as site, fetching(site, page_time=timedelta(seconds=4)) as fetcher:
        (busy,) = render(fetcher, "/busy")
        (rendered,) = render(fetcher, "/shell")
        while isinstance(rendered, Failure) and rendered.reason == "render_timeout":  # a loaded machine
            (rendered,) = render(fetcher, "/shell")
        assert isinstance(busy, Failure)
        assert (busy.reason, busy.temporary) == ("render_timeout", False)
        assert isinstance(rendered, Response)
        assert "clerks sign blocks" in rendered.body.decode()


def test_a_page_that_uses_too_much_memory_is_stopped():
    hog = "<script>const all = []; const more = () => { all.push(new Uint8Array(2e7).fill(1)); setTimeout(more, 20) }; more()</script>"
    polling = "<script>setInterval(() => fetch('/ping'), 100)</script>"
    with serving({"/hog": hog + polling, "/ping": ""}) as site:
        with fetching(site, memory=700 * 1024 * 1024, requests=1000) as fetcher:
            (answer,) = render(fetcher, "/hog")
        assert isinstance(answer, Failure)
        assert (answer.reason, answer.temporary) == ("render_memory", False)


def test_the_browser_restarts_after_its_pages_and_no_process_remains():
    with serving({"/shell": SHELL, "/main.js": FILL}) as site:
        process_counts = []
        with fetching(site, pages=2) as fetcher:
            assert descendants() == []  # it starts when it is needed
            for _ in range(3):
                (answer,) = render(fetcher, "/shell")
                assert isinstance(answer, Response)
                process_counts.append(browsers())
        assert [len(processes) for processes in process_counts] == [1, 0, 1]
        assert process_counts[0] != process_counts[2]
        assert descendants() == []


@pytest.mark.parametrize("moment", ["/busy", "/here.js"], ids=["while it starts", "while it shows a page"])
def test_closing_during_work_leaves_no_process(moment: str):
    pages = {"/busy": "<script src=/here.js></script><script>while (true) {}</script>", "/here.js": "1"}
    with serving(pages) as site:
        with fetching(site) as fetcher:
            fetcher.submit("busy", Request(url="http://news.example/busy", render=True))
            until = time.monotonic() + DEADLINE
            while moment not in site.paths() or not browsers():
                assert time.monotonic() < until, "it was not requested"
                assert fetcher.collect(1, timedelta(seconds=0.02)) == []
        assert descendants() == []


def test_an_error_and_a_file_are_answered_without_a_browser():
    with serving({"/main.js": "1"}) as site, fetching(site) as fetcher:
        missing, script = render(fetcher, "/missing", "/main.js")
        assert isinstance(missing, Response)
        assert missing.status == 404
        assert isinstance(script, Response)
        assert script.policy["rendered"] is False
        assert descendants() == []


def test_without_a_browser_the_reason_stays():
    with serving({"/shell": SHELL}) as site:
        settings = FetchSettings(overrides={"*.example": site.base}, rate=0)
        fetcher = HttpFetcher(settings, browser=BrowserLimits(program=""))
        (answer,) = render(fetcher, "/shell")
        fetcher.close()
        assert isinstance(answer, Failure)
        assert (answer.reason, answer.temporary) == ("js_required", False)
        assert site.requests == []


VICTIM = """
import sys, time
from tests.servers.browser_site import fetching, render
class Elsewhere: base = sys.argv[1]
with fetching(Elsewhere) as fetcher:
    render(fetcher, "/shell")
    print("shown", flush=True)
    time.sleep(60)
"""


def test_the_browser_of_a_killed_worker_ends_too():
    root = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(root), *(path for path in sys.path if path)])
    with serving({"/shell": SHELL, "/main.js": FILL}) as site:
        command = [sys.executable, "-c", VICTIM, site.base]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
        ) as worker:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "shown\n"
            family = psutil.Process(worker.pid).children(recursive=True)
            assert len(family) >= 3
            worker.kill()
        _, alive = psutil.wait_procs(family, timeout=DEADLINE)
        assert alive == []
