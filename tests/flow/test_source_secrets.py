"""Secrets of sources are sent, and appear nowhere else."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.flow.command_line import call
from tests.support.poll_sessions import context_for, make_recipe, run
from tests.support.stored_files import read_stored_files

from headwater.model.source import Source
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.feeds.poll import discover_feed

TOKEN, HEADER, LITERAL, OTHER = "tok-5d1f0aa2", "Bearer hdr-77ab31", "lit-90cc41de", "oth-66e2b7"
FEED = """<rss version="2.0"><channel><title>Private wire {auth}</title>
<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="http://wire.example{path}"/>
<item><title>One</title><link>http://wire.example/one?x=env:OTHER_SECRET</link></item></channel></rss>"""


@contextmanager
def serving_feeds(requests: list[tuple[str, str]]) -> Iterator[str]:
    """Every path is a feed that quotes the path and the last word of the header with which it was requested."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            header = self.headers.get("Authorization", "")
            requests.append((self.path, header))
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("Link", f'<http://wire.example{self.path}>; rel="self"')
            self.end_headers()
            quoted = FEED.replace("{path}", self.path.replace("&", "&amp;"))
            self.wfile.write(quoted.replace("{auth}", header.rpartition(" ")[2]).encode())

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def make_line(name: str, url: str, **options: object) -> Source:
    return make_source(SourceLine(name=name, url=url, options=dict(options)), "trial", "source")


@pytest.fixture
def polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[list[tuple[str, str]], Path]]:
    monkeypatch.setenv("FEED_TOKEN", TOKEN)
    monkeypatch.setenv("OTHER_SECRET", OTHER)
    (tmp_path / "auth").write_text(HEADER)
    sources = (
        make_line(
            "By reference",
            "http://wire.example/feed?page=1&token=env:FEED_TOKEN",
            headers={"Authorization": f"file:{tmp_path / 'auth'}"},
        ),
        make_line("Literal", f"http://wire.example/literal?sas={LITERAL}&page=2"),
    )
    recipe = make_recipe(discover_feed, sources[0])
    recipe = type(recipe)(**{name: getattr(recipe, name) for name in recipe.__slots__} | {"sources": sources})
    requests: list[tuple[str, str]] = []
    with serving_feeds(requests) as base_url, context_for(tmp_path, base_url, recipe) as (_, context):
        run(context)
    return requests, tmp_path


def test_secrets_of_sources_are_sent_and_appear_nowhere_else(
    polled: tuple[list[tuple[str, str]], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    requests, folder = polled
    data = folder / "data"
    assert (f"/feed?page=1&token={TOKEN}", HEADER) in requests
    # A URL that a feed names cannot ask for a variable.
    assert not any(OTHER in path for path, _ in requests)
    stored = read_stored_files(data)
    assert any(b"token=env:FEED_TOKEN" in content for content in stored.values())
    for secret in (TOKEN, HEADER.split()[1], OTHER):
        assert not [path for path, content in stored.items() if secret.encode() in content]
    heads = b"".join(
        line for path, content in stored.items() if "archive" in path.parts for line in content.splitlines()
        if line.lower().startswith((b"warc-", b"link:"))
    )  # fmt: skip
    assert b"sas=***" in heads
    assert LITERAL.encode() not in heads

    results = {
        words: call(capsys, monkeypatch, "--data", str(data), *words)
        for words in (
            ("sources", "list", "--json"),
            ("sources", "list"),
            ("sources", "show", "Literal", "--json"),
            ("sources", "health", "--json"),
            ("explain", "http://wire.example/one?x=env:OTHER_SECRET", "--json"),
        )
    }
    for words, result in results.items():
        assert (result.code, result.err) == (0, ""), words
        assert LITERAL not in result.out, words
        assert TOKEN not in result.out, words
    urls = {record["url"] for record in results["sources", "list", "--json"].records}
    assert urls == {
        "http://wire.example/feed?page=1&token=env:FEED_TOKEN",
        "http://wire.example/literal?sas=***&page=2",
    }


def test_checking_adding_and_changing_a_source_sends_its_secrets_and_shows_none_that_the_server_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FEED_AUTH", HEADER)
    monkeypatch.setenv("FEED_TOKEN", TOKEN)
    monkeypatch.chdir(tmp_path)
    requests: list[tuple[str, str]] = []
    with serving_feeds(requests) as base_url:
        Path("headwater.yaml").write_text(f"hosts: {{'*.example': '{base_url}'}}\n", encoding="utf-8")
        words = (
            "--data",
            "data",
            "sources",
            "add",
            "crypto",
            "http://wire.example/feed?token=env:FEED_TOKEN",
        )
        sent = f"/feed?token={TOKEN}"
        added = call(capsys, monkeypatch, *words, "--option", "headers={Authorization: 'env:FEED_AUTH'}")
        assert (added.code, (sent, HEADER) in requests) == (0, True), added.err
        requests.clear()
        changed = call(capsys, monkeypatch, *words, "--replace", "--every", "2h")
        assert (changed.code, {header for path, header in requests if path == sent}) == (0, {HEADER}), (
            changed.err
        )
        requests.clear()
        checked = call(capsys, monkeypatch, "--data", "data", "sources", "validate", "crypto", "--json")
        assert (checked.code, (sent, HEADER) in requests) == (0, True), checked.err
    output = added.out + added.err + changed.out + changed.err + checked.out + checked.err
    assert "Private wire ***" in output
    assert not [secret for secret in (TOKEN, HEADER.split()[1]) if secret in output]
