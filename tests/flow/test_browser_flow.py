"""A page without text becomes a document: it is set aside, rendered once and read, in the real engine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from tests.servers.browser_site import STORY, Page, Site, require_browser, serving
from tests.support.poll_sessions import context_for, make_recipe, make_source, run

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.fetch.browser.renderer import BrowserLimits
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.model.jobs import State, Task
from headwater.model.recipe import Discovery, PollSession
from headwater.model.source import Lead
from headwater.settings.fetch import fetch_settings
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import captures, documents, leads, quarantine
from headwater_demo.internet import running

SHELL = '<html><head><title>App</title></head><body><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/main.js"></script></body></html>'
PAGE = {
    "/page": SHELL,
    "/main.js": f"document.getElementById('root').innerHTML = `<article>{STORY}</article>`",
}
EMPTY = {"/page": SHELL, "/main.js": "document.body.append('…')"}
SAME = {"/page": SHELL, "/main.js": "1"}


@contextmanager
def one_page_installation(
    tmp_path: Path, pages: dict[str, Page], *, renders: bool
) -> Iterator[tuple[App, JobContext, Site]]:
    """An installation whose only source names one page."""

    def discover(source: Any, now: Any) -> PollSession:
        yield from ()
        return Discovery(leads=(Lead(identity="page", url="http://news.example/page", title="Harbour"),))

    recipe = make_recipe(discover, make_source("one"))
    with serving(pages) as site, context_for(tmp_path, site.base, recipe) as (app, context):
        yield app, replace(context, renders=renders), site


def rows(app: App, table: Any) -> list[dict[str, Any]]:
    with read_transaction(app.store.engine) as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def unfinished(app: App) -> set[Task]:
    return set(app.store.next_due("trial")) - {Task.POLL}


def test_a_page_that_needs_scripts_becomes_a_document(tmp_path: Path):
    require_browser()
    with one_page_installation(tmp_path, PAGE, renders=True) as (app, context, site):
        run(context)
        (document,) = rows(app, documents)
        assert document["state"] == State.KEPT
        assert "clerks sign blocks" in document["text"]
        assert [row["policy"].get("rendered") for row in rows(app, captures)] == [None, True]
        assert rows(app, quarantine) == []
        (lead,) = rows(app, leads)
        assert (lead["state"], lead["render"]) == (State.DONE, False)
        assert site.paths() == ["/page", "/page", "/main.js"]


@pytest.mark.parametrize("pages", [EMPTY, SAME], ids=["other bytes", "the same bytes"])
def test_a_page_without_text_in_a_browser_is_tried_once(tmp_path: Path, pages: dict[str, Page]):
    require_browser()
    with one_page_installation(tmp_path, pages, renders=True) as (app, context, site):
        run(context)
        (document,) = rows(app, documents)
        assert (document["state"], document["reason"]) == (State.ASIDE, "js_required")
        assert site.paths().count("/page") == 2
        assert unfinished(app) == set()


def test_a_rendered_page_is_not_rendered_again_on_retry(tmp_path: Path):
    require_browser()
    with one_page_installation(tmp_path, EMPTY, renders=True) as (app, context, site):
        run(context)
        app.operations.retry(None, None, app.clock())
        run(context)
        assert site.paths().count("/page") == 2
        assert [row["reason"] for row in rows(app, quarantine)] == ["js_required"]


def test_without_a_browser_a_page_is_set_aside_and_rendered_later(tmp_path: Path):
    require_browser()
    with one_page_installation(tmp_path, PAGE, renders=False) as (app, context, site):
        run(context)
        (document,) = rows(app, documents)
        assert (document["state"], document["reason"]) == (State.ASIDE, "js_required")
        assert [row["state"] for row in rows(app, leads)] == [State.DONE]
        assert site.paths() == ["/page"]
        app.operations.retry(None, None, app.clock())
        run(replace(context, renders=True))
        (document,) = rows(app, documents)
        assert (document["state"], document["reason"]) == (State.KEPT, None)
        assert rows(app, quarantine) == []


def test_a_fetcher_without_a_browser_leaves_the_document_unchanged(tmp_path: Path):
    with one_page_installation(tmp_path, PAGE, renders=True) as (app, context, site):
        assert context.fetcher is not None
        bare = HttpFetcher(fetch_settings(app.settings), browser=BrowserLimits(program=""))
        run(replace(context, fetcher=bare))
        bare.close()
        assert [(row["record_id"], row["reason"]) for row in rows(app, quarantine)] == [
            (rows(app, documents)[0]["id"], "js_required")
        ]
        (lead,) = rows(app, leads)
        assert (lead["state"], lead["render"]) == (State.DONE, False)
        assert site.paths() == ["/page"]
        assert unfinished(app) == set()


def test_a_paywall_is_named_and_never_shown_to_the_browser(tmp_path: Path):
    wall = (
        "<html><head><title>Harbour ledgers</title></head><body><h1>Harbour ledgers</h1><p>It begins.</p>"
        "<div class='paywall'><h2>Subscribe to continue reading</h2><p>Already a subscriber? Log in.</p></div></body></html>"
    )
    with one_page_installation(tmp_path, {"/page": wall}, renders=True) as (app, context, site):
        run(context)
        (document,) = rows(app, documents)
        assert (document["state"], document["reason"]) == (State.DROPPED, "paywall")
        assert site.paths() == ["/page"]


def test_a_paywall_that_a_script_shows_is_dropped(tmp_path: Path):
    require_browser()
    behind = (
        "<h1>Harbour ledgers</h1><p>It begins.</p><p>Subscribe to continue reading. Already a subscriber?</p>"
    )
    pages = {"/page": SHELL, "/main.js": f"document.body.innerHTML = `{behind}`"}
    with one_page_installation(tmp_path, pages, renders=True) as (app, context, _):
        run(context)
        (document,) = rows(app, documents)
        assert (document["state"], document["reason"]) == (State.DROPPED, "paywall")
        assert rows(app, quarantine) == []


def test_a_shell_without_its_script_and_a_login_end_with_their_reasons(tmp_path: Path):
    require_browser()
    names = ("script-shell", "login")

    def discover(source: Any, now: Any) -> PollSession:
        yield from ()
        return Discovery(leads=tuple(Lead(identity=n, url=f"http://oddities.example/{n}") for n in names))

    recipe = make_recipe(discover, make_source("walls"))
    with running() as internet, context_for(tmp_path, internet.base_url, recipe) as (app, context):
        run(replace(context, renders=True))
        states = {
            row["url"].rpartition("/")[2]: (row["state"], row["reason"]) for row in rows(app, documents)
        }
        assert states == {
            "script-shell": (State.ASIDE, "js_required"),  # its script is missing
            "login": (State.DROPPED, "login"),
        }
        assert {row["url"] for row in rows(app, captures) if "rendered" in row["policy"]} == {
            "http://oddities.example/script-shell"
        }
        assert unfinished(app) == set()
