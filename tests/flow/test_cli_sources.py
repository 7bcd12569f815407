"""Validating feeds, adding them, and running a recipe until nothing is left to do."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call, call_in

from headwater.app import App
from headwater.model.source import Source
from headwater.runtime import worker_pool
from headwater.settings.settings import read_settings
from headwater.sources.feeds.opml import parse_opml
from headwater_demo.faults import Fault
from headwater_demo.internet import Internet, running

PLAIN_PAGE = b"<!doctype html><html><head><title>Plain</title></head><body><p>Hello.</p></body></html>"
FEED = (
    b'<rss version="2.0"><channel><title>Plain Wire</title><item><title>Old</title><link>http://plain.example/1</link>'
    b"<pubDate>Fri, 13 Nov 2020 08:41:00 GMT</pubDate></item></channel></rss>"
)


@contextmanager
def serving_site(pages: Mapping[str, bytes]) -> Iterator[str]:
    """A site of a few pages on this machine; everything else is not found."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


RunCli = Callable[..., CommandResult]


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as served:
        yield served


@pytest.fixture
def settings(internet: Internet, tmp_path: Path) -> Path:
    path = tmp_path / "headwater.yaml"
    (tmp_path / "none.yaml").write_text("sources: []\n")
    path.write_text(
        f'data: "{tmp_path / "data"}"\n'
        f'hosts: {{"*.example": "{internet.base_url}"}}\n'
        "requests_per_second: 0\n"
        f'recipes: {{crypto: {{sources: "{tmp_path / "none.yaml"}"}}}}\n'
    )
    return path


@pytest.fixture
def run_cli(settings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunCli:
    return lambda *words: call(capsys, monkeypatch, "--config", str(settings), *words)


def test_a_good_feed_is_reported_with_format_entries_and_age(run_cli: RunCli):
    answer = run_cli("sources", "validate", "http://ledgerlane.example/feed")
    assert answer.code == 0
    assert "rss20 'Ledger Lane'" in answer.out
    assert "entries, newest" in answer.out


def test_a_broken_but_readable_feed_is_reported_with_its_repairs(run_cli: RunCli):
    report = run_cli("sources", "validate", "http://oddfeeds.example/truncated.xml", "--json").record
    assert report["ok"] is True
    assert any(warning.startswith("malformed") for warning in report["warnings"])


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://oddfeeds.example/gone.xml", "http_410"),
        ("http://oddfeeds.example/entity-bomb.xml", "not_a_feed:refused_entities"),
        ("http://oddfeeds.example/empty.xml", "not_a_feed:empty"),
        ("http://10.0.0.1/feed", "forbidden_address"),
    ],
)
def test_an_unusable_feed_is_reported_with_its_reason(run_cli: RunCli, url: str, reason: str):
    answer = run_cli("sources", "validate", url, "--json")
    assert answer.code == 1
    assert (answer.record["ok"], answer.record["reason"]) == (False, reason)
    assert f"not usable: {reason}" in run_cli("sources", "validate", url).out


def test_a_page_is_reported_with_the_feeds_it_names(run_cli: RunCli):
    answer = run_cli("sources", "validate", "http://ledgerlane.example/")
    assert answer.code == 1
    assert "try http://ledgerlane.example/feed" in answer.out


def test_c2_the_page_of_a_site_names_its_feed(run_cli: RunCli):
    added = run_cli("sources", "add", "crypto", "http://ledgerlane.example/", "--json").record
    assert (added["name"], added["url"]) == ("Ledger Lane", "http://ledgerlane.example/feed")


def test_c2_the_usual_addresses_are_tried_when_a_site_names_no_feed(run_cli: RunCli, settings: Path):
    with serving_site({"/": PLAIN_PAGE, "/comments/feed": FEED, "/rss.xml": FEED}) as address:
        settings.write_text(
            settings.read_text().replace("hosts: {", f'hosts: {{"plain.example": "{address}", ')
        )
        added = run_cli("sources", "add", "crypto", "http://plain.example/", "--json")
        failed = run_cli("sources", "add", "crypto", "http://plain.example/other", "--name", "Other")
    assert added.record["url"] == "http://plain.example/rss.xml"
    assert failed.code == 1
    assert "it answers with status 404" in failed.err


def test_c5_a_feed_that_does_not_answer_in_two_seconds_is_not_added(run_cli: RunCli, internet: Internet):
    internet.fault("hashfield.example", "/rss.xml", Fault(delay=8), times=1)
    answer = run_cli("sources", "add", "crypto", "http://hashfield.example/rss.xml")
    assert answer.code == 1
    assert "in time" in answer.err


def test_c2_a_stale_feed_is_reported(run_cli: RunCli, settings: Path):
    with serving_site({"/feed": FEED}) as address:
        settings.write_text(
            settings.read_text().replace("hosts: {", f'hosts: {{"plain.example": "{address}", ')
        )
        report = run_cli("sources", "validate", "http://plain.example/feed", "--json").record
        added = run_cli("sources", "add", "crypto", "http://plain.example/feed")
    assert (report["ok"], report["freshness"]) == (True, "stale")
    assert "nothing new for a long time" in added.out


def test_c41_a_fallback_is_stored_with_the_feed(run_cli: RunCli):
    words = ("--fallback", "http://ledgerlane.example/feed/markets")
    assert run_cli("sources", "add", "crypto", "http://ledgerlane.example/feed", *words).code == 0
    assert run_cli("sources", "show", "Ledger Lane", "--json").record["options"] == {"fallback": [words[1]]}
    refused = run_cli(
        "sources", "add", "crypto", "http://hashfield.example/rss.xml", "--fallback", "file:///x"
    )
    assert (refused.code, "fallback" in refused.err) == (1, True)


def test_c7_c8_the_update_frequency_of_a_feed_is_shown(run_cli: RunCli, settings: Path):
    assert run_cli("init").code == 0
    app = App(read_settings(settings))
    frequency = {"every": 10_800, "quiet": 86_400 * 2, "window": 600_000, "entries": 20}
    source = Source(
        id="0123456789abcdef01234567",
        recipe="crypto",
        kind="feed",
        name="Wire",
        url="http://w.example/",
        watermark={"update_frequency": frequency},
    )
    app.store.register([source], app.clock())
    app.store.engine.dispose()
    assert "every 3 h" in run_cli("sources", "list").out
    assert "something new every 3 h; silent for up to 2 d" in run_cli("sources", "show", "Wire").out


LIST = """<?xml version="1.0"?><opml version="2.0"><body><outline text="News"><outline text="Harbour">
<outline type="rss" text="Ledger" xmlUrl="http://ledgerlane.example/feed" htmlUrl="http://ledgerlane.example/"/>
</outline><outline type="rss" text="Closed" xmlUrl="http://oddfeeds.example/gone.xml"/></outline></body></opml>"""


def test_c1_a_list_is_imported_checked_and_exported_again(run_cli: RunCli, tmp_path: Path):
    path, out = tmp_path / "feeds.opml", tmp_path / "out.opml"
    path.write_text(LIST)
    results = run_cli("sources", "import", "crypto", str(path), "--json").records
    assert [(item["name"], item["result"]) for item in results] == [
        ("Ledger", "added"),
        ("Closed", "left out"),
    ]
    assert results[1]["reason"] == "http_410"
    assert "1 there already" in run_cli("sources", "import", "crypto", str(path)).out
    assert run_cli("sources", "export", "crypto", "--out", str(out)).code == 0
    outlines, _ = parse_opml(out.read_bytes())
    assert [(item.name, item.url, item.site, item.categories) for item in outlines] == [
        ("Ledger", "http://ledgerlane.example/feed", "http://ledgerlane.example/", ("News/Harbour",))
    ]


@pytest.mark.parametrize("text", ["<html></html>", '<opml version="2.0"><body/></opml>', ""])
def test_a_file_without_a_feed_list_is_reported_in_one_sentence(run_cli: RunCli, tmp_path: Path, text: str):
    path = tmp_path / "feeds.opml"
    path.write_text(text)
    answer = run_cli("sources", "import", "crypto", str(path))
    assert (answer.code, "feeds.opml" in answer.err, "Traceback" in answer.err) == (1, True, False)


def test_a_feed_is_added_under_its_own_title_and_only_once(run_cli: RunCli):
    first = run_cli(
        "sources", "add", "crypto", "http://ledgerlane.example/feed", "--every", "15m", "--json"
    ).record
    assert (first["name"], first["new"]) == ("Ledger Lane", True)
    again = run_cli(
        "sources", "add", "crypto", "http://ledgerlane.example/feed", "--cron", "0 * * * *", "--json"
    )
    assert again.record == first | {"new": False}
    stored = run_cli("sources", "show", "Ledger Lane", "--json").record
    assert (stored["trigger_seconds"], stored["trigger_cron"]) == (900, None)
    words = ("--cron", "0 * * * *", "--replace", "--json")
    changed = run_cli("sources", "add", "crypto", "http://ledgerlane.example/feed", *words)
    assert changed.record["changed"] is True
    stored = run_cli("sources", "show", "Ledger Lane", "--json").record
    assert (stored["origin"], stored["trigger_seconds"], stored["trigger_cron"]) == (
        "operator",
        None,
        "0 * * * *",
    )


def test_a_feed_that_is_added_again_keeps_its_other_options(run_cli: RunCli):
    url, fallback = "http://ledgerlane.example/feed", "http://ledgerlane.example/feed/markets"
    assert run_cli("sources", "add", "crypto", url, "--every", "15m").code == 0
    assert run_cli("sources", "add", "crypto", url, "--fallback", fallback, "--replace").code == 0
    assert run_cli("sources", "add", "crypto", url, "--name", "Lane", "--replace").code == 0
    stored = run_cli("sources", "show", "Lane", "--json").record
    assert (stored["trigger_seconds"], stored["options"]) == (900, {"fallback": [fallback]})
    words = ("--name", "Lane", "--every", "5m", "--no-check", "--replace", "--json")
    changed = run_cli("sources", "add", "crypto", f"{url}/", *words).record
    assert (changed["id"], changed["url"], changed["changed"]) == (stored["id"], url, True)
    (listed,) = run_cli("sources", "list", "--json").records
    assert run_cli("sources", "show", listed["id"], "--json").record["trigger_seconds"] == 300


def test_a_password_in_an_address_is_neither_stored_nor_repeated(run_cli: RunCli):
    refused = run_cli("sources", "add", "crypto", "http://me:geheim@ledgerlane.example/feed", "--no-check")
    assert (refused.code, refused.out) == (1, "")
    assert "remove the user and the password" in refused.err
    assert "geheim" not in refused.err


def test_a_feed_is_added_without_a_check_only_on_request(run_cli: RunCli):
    url = "http://oddfeeds.example/gone.xml"
    assert run_cli("sources", "add", "crypto", url).code == 1
    assert run_cli("sources", "add", "crypto", url, "--no-check", "--name", "Closed").code == 0
    assert run_cli("sources", "validate", "crypto").code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--every", "5x"), "every: '5x' is not a duration"),
        (("--cron", "often"), "cron: 'often'"),
        (("--cron", "0 * * * *", "--every", "1h"), "not both"),
    ],
)
def test_a_bad_trigger_is_reported_before_any_request(
    run_cli: RunCli, internet: Internet, words, message: str
):
    internet.clear_log()
    answer = run_cli("sources", "add", "crypto", "http://ledgerlane.example/feed", *words)
    assert answer.code == 1
    assert message in answer.err
    assert internet.log() == []


def test_a_recipe_runs_until_nothing_is_left_to_do(settings: Path, run_cli: RunCli):
    assert run_cli("sources", "add", "crypto", "http://hashfield.example/rss.xml").code == 0
    run = (settings.parent, "--config", str(settings), "run", "crypto", "--once")
    first = call_in(*run, "--json", "--quiet")
    assert (first.code, first.err) == (0, "")
    summary = first.record
    assert summary["this_run"]["kept"] == summary["in_all"]["delivered"] > 0
    assert summary["in_all"]["waiting"] == 0
    again = run_cli("run", "crypto", "--once", "--in-process")
    assert again.code == 0
    assert "nothing new from 1 source\n" in again.out


def test_g2_each_part_of_the_work_runs_alone(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(worker_pool, "WorkerPool")
    assert run_cli("sources", "add", "crypto", "http://hashfield.example/rss.xml").code == 0

    def counts_after(task: str) -> dict[str, int]:
        return run_cli("run", "crypto", "--once", "--task", task, "--json", "--quiet").record["in_all"]

    assert counts_after("refine")["came_in"] == 0
    came_in = counts_after("poll")["came_in"]
    assert counts_after("fetch") | {"to_deliver": 0} == counts_after("gather")
    refined = counts_after("refine")
    assert (
        refined["came_in"] == refined["to_deliver"] + refined["duplicate"] + refined["dropped"] == came_in > 0
    )
    assert refined["waiting"] == refined["delivered"] == 0
    assert counts_after("deliver")["delivered"] == refined["kept"]
    assert counts_after("gather")["stories"] > 0
    assert "there is no task" in run_cli("run", "crypto", "--task", "replay").err


def test_a_recipe_runs_in_one_process(run_cli: RunCli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(worker_pool, "WorkerPool")
    assert run_cli("sources", "add", "crypto", "http://hashfield.example/rss.xml").code == 0
    summary = run_cli("run", "crypto", "--once", "--json", "--quiet", "--in-process").record
    assert summary["this_run"]["kept"] == summary["in_all"]["delivered"] > 0
    assert summary["in_all"]["waiting"] == 0


def test_a_source_removed_from_the_list_is_paused_at_the_next_run_and_reported(
    settings: Path, run_cli: RunCli
):
    feeds = settings.parent / "none.yaml"
    line = "  - {{name: {0}, url: 'http://hashfield.example/{0}.xml'}}\n"
    feeds.write_text("sources:\n" + line.format("rss") + line.format("other"))
    run = ("run", "crypto", "--until-idle", "--quiet", "--in-process")
    assert run_cli(*run).code == 0
    feeds.write_text("sources:\n" + line.format("rss"))
    again = run_cli(*run)
    assert again.code == 0
    assert "paused, because no longer in the list of crypto: other." in again.err
    assert "unlisted" in run_cli("sources", "list").out
    shown = run_cli("sources", "show", "other").out
    assert "no longer in the list" in " ".join(shown.split())
    (row,) = [row for row in run_cli("sources", "list", "--json").records if row["name"] == "other"]
    assert (row["active"], row["reason"]) == (False, "unlisted")


SITE = {
    "/": b'<!doctype html><html lang="en"><head><title>Plain Site</title><link rel="alternate" '
    b'type="application/rss+xml" href="/feed"></head><body><p><a href="/2">Hello.</a></p></body></html>',
    "/2": PLAIN_PAGE,
    "/feed": FEED,
    "/robots.txt": b"User-agent: *\nDisallow: /1\nSitemap: http://plain.example/sitemap.xml\n",
    "/sitemap.xml": b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>http://plain.example/1</loc></url><url><loc>http://plain.example/2</loc></url></urlset>",
    "/api": b'{"items": [{"link": "/1"}]}',
}


@pytest.fixture
def plain_site(settings: Path) -> Iterator[str]:
    with serving_site(SITE) as address:
        settings.write_text(
            settings.read_text().replace("hosts: {", f'hosts: {{"plain.example": "{address}", ')
        )
        yield address


def test_a_site_offers_its_feed_its_sitemap_and_its_page_with_a_preview(run_cli: RunCli, plain_site: str):
    record = run_cli("sources", "add", "news", "http://plain.example/", "--json").record
    assert (record["kind"], record["url"], record["name"]) == (
        "feed",
        "http://plain.example/feed",
        "Plain Wire",
    )
    assert [item["title"] for item in record["preview"]["items"]] == ["Old"]
    assert record["preview"]["pages"] == "disallowed"
    assert record["others"] == [
        {"kind": "sitemap", "url": "http://plain.example/sitemap.xml"},
        {"kind": "page", "url": "http://plain.example/"},
    ]


def test_the_kind_of_an_address_is_detected(run_cli: RunCli, plain_site: str):
    sitemap = run_cli("sources", "add", "news", "http://plain.example/sitemap.xml", "--json").record
    assert (sitemap["kind"], sitemap["preview"]["item_count"]) == ("sitemap", 2)
    refused = run_cli("sources", "add", "news", "http://plain.example/api")
    assert (refused.code, "options.fields" in refused.err) == (1, True)
    words = ("--kind", "json", "--option", "items=items", "--option", "fields={url: link}", "--json")
    assert run_cli("sources", "add", "news", "http://plain.example/api", *words).record["kind"] == "json"


def test_a_sitemap_in_the_usual_place_is_found_and_json_that_is_cut_off_is_refused(
    run_cli: RunCli, settings: Path
):
    pages = {"/": PLAIN_PAGE, "/sitemap.xml": SITE["/sitemap.xml"], "/api": b'{"items": [{"link": "/1"'}
    with serving_site(pages) as address:
        settings.write_text(
            settings.read_text().replace("hosts: {", f'hosts: {{"bare.example": "{address}", ')
        )
        record = run_cli("sources", "add", "news", "http://bare.example/", "--json").record
        assert (record["kind"], record["url"]) == ("sitemap", "http://bare.example/sitemap.xml")
        refused = run_cli("sources", "add", "news", "http://bare.example/api")
    assert (refused.code, "its JSON is cut off or not valid" in refused.err) == (1, True)


def test_a_source_of_a_given_kind_has_the_same_check_and_preview(run_cli: RunCli, plain_site: str):
    def add(path: str, kind: str, *words: str) -> CommandResult:
        return run_cli("sources", "add", "news", f"http://plain.example{path}", "--kind", kind, *words)

    items = ("--option", "items=items", "--option", "fields={url: link, title: link}", "--json")
    previews = {
        "json": add("/api", "json", *items),
        "sitemap": add("/sitemap.xml", "sitemap", "--json"),
        "crawl": add("/", "crawl", "--json"),
        "page": add("/", "page", "--json"),
        "seeds": add("/2", "seeds", "--json"),
        "feed": add("/feed", "feed", "--json"),
    }
    listed = {
        kind: [item["url"].removeprefix("http://plain.example") for item in answer.record["preview"]["items"]]
        for kind, answer in previews.items()
    }
    assert listed == {
        "json": ["/1"],
        "sitemap": ["/1", "/2"],
        "crawl": ["/2"],
        "page": ["/"],
        "seeds": ["/2"],
        "feed": ["/1"],
    }
    assert previews["json"].record["preview"]["pages"] == "disallowed"
    assert previews["page"].record["name"] == "Plain Site"
    missing = add("/api", "json", *items[:-1], "--option", "items=itmes", "--replace")
    assert "it lists nothing now; no_items: nothing at 'itmes'" in missing.out


def test_a_source_of_a_given_kind_that_cannot_be_polled_is_added_only_without_a_check(
    run_cli: RunCli, plain_site: str
):
    words = ("sources", "add", "news", "http://plain.example/gone", "--kind", "page")
    refused = run_cli(*words)
    assert (refused.code, "it answers with status 404" in refused.err) == (1, True)
    assert "--no-check" in refused.err
    assert run_cli(*words, "--no-check").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("crypto", "http://plain.example/sitemap.xml"), "is a sitemap, and the recipe 'crypto' has no such"),
        (("crypto", "http://plain.example/", "--kind", "crawl"), "does not know the kind 'crawl'"),
        (
            ("news", "http://plain.example/", "--kind", "crawl", "--option", "depht=2"),
            "did you mean 'depth'?",
        ),
        (("news", "http://plain.example/", "--option", "depth"), "give NAME=VALUE"),
        (("news",), "either an address or --bundled"),
        (("news", "http://127.0.0.1:9/feed"), 'set `allow: ["127.0.0.1:9"]` in the settings'),
        (("news", "--bundled"), "comes without a list"),
    ],
)
def test_a_source_that_cannot_be_added_is_refused_with_what_to_do(
    run_cli: RunCli, plain_site: str, words: tuple[str, ...], message: str
):
    refused = run_cli("sources", "add", *words)
    assert refused.code == 1
    assert message in refused.err
    assert run_cli("sources", "list", "--recipe", words[0], "--json").out.count("plain.example") == 0


def test_lists_name_a_recipe_of_the_settings_that_is_left_out(tmp_path: Path):
    assert call_in(tmp_path, "init").code == 0
    (tmp_path / "headwater.yaml").write_text("recipes: {energy: {like: nwes}}\n")
    for words in (("docs", "list"), ("sources", "list")):
        assert "left out: recipes.energy.like: there is no recipe 'nwes'" in call_in(tmp_path, *words).err


def test_the_list_that_comes_with_a_recipe_is_added_on_request(run_cli: RunCli):
    record = run_cli("sources", "add", "crypto", "--bundled", "--json").record
    assert record == {"recipe": "crypto", "sources": 44, "new": 44}


def test_a_bundled_list_with_subjects_is_named_in_the_settings(tmp_path: Path):
    """Every process that works on the recipe must know its subjects. Comments in the file stay."""
    (tmp_path / "headwater.yaml").write_text("# mine\ncontact: me@example.org\n")
    record = call_in(tmp_path, "sources", "add", "markets", "--bundled", "--json").record
    assert (record["subjects"], record["settings"]) == (50, "headwater.yaml")
    assert record["new"] == record["sources"] > 50
    expected = "# mine\ncontact: me@example.org\nrecipes:\n  markets:\n    sources: bundled\n"
    assert (tmp_path / "headwater.yaml").read_text() == expected
    again = call_in(tmp_path, "sources", "add", "markets", "--bundled")
    assert "Added 0 sources" in again.out
    assert (tmp_path / "headwater.yaml").read_text() == expected
    (tmp_path / "headwater.yaml").write_text("recipes: {markets: {sources: mine.yaml}}\n")
    (tmp_path / "mine.yaml").write_text("entities: []\nsources: []\n")
    refused = call_in(tmp_path, "sources", "add", "markets", "--bundled")
    assert (refused.code, "your own list mine.yaml" in refused.err) == (1, True)
