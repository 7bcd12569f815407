"""Saved searches as an operator uses them: a run with an alert and a rule, then the commands over what it stored."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from tests.flow.command_line import CommandResult, call_in
from tests.servers.receivers import HttpReceiver, http_receiver
from tests.support.crypto_scene import ask
from tests.support.recipe_run import RECIPE, RecipeRun

from headwater.model.jobs import State
from headwater.ops.health import check_health
from headwater.ops.saved_searches import SearchRequest, add_search
from headwater.settings.channels import Channel
from headwater.sources.feeds.parser import parse_feed
from headwater.store.schema.flow import deliveries
from headwater_demo.internet import running


@pytest.fixture(scope="module")
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as server:
        yield server


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory, receiver: HttpReceiver) -> Iterator[RecipeRun]:
    """A run of two feeds. The most frequent word of its texts is unknown, so the searches are for words of all prose."""
    folder = tmp_path_factory.mktemp("searches")
    with running(size="small") as internet:
        feeds = [(feed["name"], feed["url"]) for feed in internet.feeds()[:2]]
        run = RecipeRun(folder, internet, feeds=feeds)
        hook = Channel(kind="webhook", url=receiver.url)
        run.__dict__["settings"] = msgspec.structs.replace(run.settings, notify={"hook": hook})
        add_search(run.app, SearchRequest(name="alert", query="the -bitcoin", channel="hook"))
        add_search(run.app, SearchRequest(name="no-bitcoin", query="bitcoin", recipe=RECIPE, action="drop"))
        add_search(run.app, SearchRequest(name="queued", query="ethereum OR the", channel="queue"))
        run.run()
        yield run
        run.app.store.engine.dispose()


@pytest.fixture
def headwater(finished_run: RecipeRun) -> Callable[..., CommandResult]:
    folder = finished_run.folder
    lines = [
        f"data: {finished_run.settings.data}",
        f"recipes: {{{RECIPE}: {{sources: {folder}/feeds.yaml}}}}",
        "notify: {hook: {kind: webhook, url: 'http://127.0.0.1:9/'}}",
    ]
    (folder / "headwater.yaml").write_text("\n".join(lines), encoding="utf-8")
    return lambda *words: call_in(folder, *words)


def test_matches_are_sent_and_a_rule_drops_with_its_name(finished_run: RecipeRun, receiver: HttpReceiver):
    engine = finished_run.app.store.engine
    of_search = "FROM matches m JOIN saved_searches s ON s.id = m.search_id WHERE s.name = "
    rows = ask(engine, f"SELECT record_id {of_search} 'alert'")
    queued = ask(engine, f"SELECT record_id {of_search} 'queued' AND m.record_kind = 'document'")
    items = ask(engine, "SELECT document_id FROM queue_items WHERE queue = 'search:queued'")
    assert sorted(row["record_id"] for row in queued) == sorted(row["document_id"] for row in items) != []
    assert len(rows) > 5
    sent = [json.loads(posted.body) for posted in receiver.posted]
    assert {body["route"] for body in sent} == {"search:alert"}
    assert sorted(body["record"]["id"] for body in sent) == sorted(row["record_id"] for row in rows)
    dropped = ask(engine, "SELECT title, text FROM documents WHERE reason = 'search:no-bitcoin'")
    assert dropped
    kept = ask(engine, "SELECT title, text FROM documents WHERE state = 'kept'")
    assert not [row for row in kept if "bitcoin" in f"{row['title']} {row['text']}".lower().split()]


def test_the_past_is_tried_before_a_search_is_saved(headwater: Callable[..., CommandResult]):
    answer = headwater("searches", "test", "the", "--of", "document", "--limit", "2", "--json").record
    assert answer["matches"] > len(answer["shown"]) == 2
    assert headwater("searches", "test", "the", "--since", "1h", "--json").record["matches"] == 0
    assert "0 matches" in headwater("searches", "test", "xyzzy").out
    assert [row["name"] for row in headwater("searches", "list", "--json").records] == [
        "alert",
        "no-bitcoin",
        "queued",
    ]


def test_a_search_is_added_applied_read_as_a_feed_paused_and_removed(
    headwater: Callable[..., CommandResult], tmp_path: Path
):
    assert headwater("searches", "add", "past", "the", "--of", "document").code == 0
    applied = headwater("searches", "apply", "past", "--json").record
    assert applied["matching"] == applied["changed"] > 0
    assert headwater("searches", "apply", "past", "--json").record["changed"] == 0
    feed = json.loads(headwater("searches", "feed", "past", "--format", "json").out)
    assert len(feed["items"]) == min(applied["matching"], 50)
    file = tmp_path / "past.atom"
    assert headwater("searches", "feed", "past", "--out", str(file)).code == 0
    entries = parse_feed(file.read_bytes()).entries
    assert [entry.title for entry in entries] == [item["title"] for item in feed["items"]]
    assert headwater("searches", "pause", "past", "--json").record["state"] == "paused"
    assert headwater("searches", "resume", "past").code == 0
    assert headwater("searches", "remove", "past", "--json").record["matches"] == applied["matching"]


def test_mistakes_are_answered_with_what_to_do(headwater: Callable[..., CommandResult]):
    for words, hint in (
        (("add", "Bad Name", "x"), "small letters"),
        (("add", "x", "the", "--channel", "nowhere"), "there are: hook, queue"),
        (("add", "x", "the", "--deliver", "hourly"), "needs a channel"),
        (("add", "x", "the", "--channel", "queue", "--deliver", "daily"), "immediately"),
        (("add", "x", "the", "--action", "drop"), "name the recipe"),
        (("add", "x", "--", "-the"), "every document"),
        (("add", "x", "since:someday"), "is not a date"),
        (("add", "alert", "x"), "another name"),
        (("feed", "nothing"), "searches list"),
        (("feed", "alert", "--format", "opml"), "atom, rss, json"),
    ):
        answer = headwater("searches", *words)
        assert answer.code == 1
        assert hint in answer.err
        assert "Traceback" not in answer.err


def test_a_failing_channel_is_in_status(finished_run: RecipeRun, headwater: Callable[..., CommandResult]):
    with finished_run.app.store.engine.begin() as connection:
        failing = deliveries.update().where(deliveries.c.route == "search:alert")
        connection.execute(failing.values(state=State.WAITING, reason="receiver_unreachable"))
    assert "receiver_unreachable" in headwater("status").out
    (row,) = headwater("status", "--json").record["recipes"][0]["failing_deliveries"]
    assert (row["route"], row["reason"]) == ("search:alert", "receiver_unreachable")
    assert "deliveries fail: receiver_unreachable" in headwater("searches", "list").out
    with finished_run.app.store.engine.begin() as connection:
        connection.execute(deliveries.update().values(state=State.DONE, reason=None))


def test_a_deleted_channel_is_reported(finished_run: RecipeRun, headwater: Callable[..., CommandResult]):
    settings = finished_run.folder / "headwater.yaml"
    headwater("searches", "list")
    text = settings.read_text(encoding="utf-8").splitlines()[:-1]
    settings.write_text("\n".join(text), encoding="utf-8")
    rows = call_in(finished_run.folder, "searches", "list", "--json").records
    assert {row["name"]: bool(row["problem"]) for row in rows} == {
        "alert": True,
        "no-bitcoin": False,
        "queued": False,
    }
    assert "no longer in the setting notify" in call_in(finished_run.folder, "searches", "list").out
    assert "saved search alert" in call_in(finished_run.folder, "health").out
    assert check_health(finished_run.app)["searches"] == {}
