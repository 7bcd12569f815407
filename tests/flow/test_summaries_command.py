"""`headwater summaries` as an operator calls it, and tier C from the sources to the stories."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.flow.command_line import call
from tests.flow.test_geopolitics import DemoClock, RecordingSink, configured_recipe, rows, run
from tests.flow.test_geopolitics_embeddings import toy
from tests.servers.batch_api import ApiFaults, BatchServer, batch_server
from tests.support.poll_sessions import context_for
from tests.support.scene import Scene
from tests.support.summary_rounds import KEY, SummaryScene

from headwater.app import App, now
from headwater.cli.pipeline.run import update_stories_after_run
from headwater.runtime.summaries import followed_recipes, summarize_stories
from headwater.settings.llm import SummarySettings
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings, read_settings
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import stories
from headwater_demo.internet import running

__all__ = ["toy"]
TIER_C = "recipes: {geopolitics: {options: {tier: C}}}"


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with batch_server(statuses=("in_progress", "completed")) as opened:
        yield opened


@pytest.fixture
def settings(tmp_path: Path, server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with two stories in tier C."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    app = App(Settings(data=str(tmp_path / "data")))
    SummaryScene(Scene(app.store, now=now()), server).publish("a1", "b1")
    with write_transaction(app.store.engine) as connection:
        connection.execute(stories.update().values(recipe="geopolitics"))
    app.store.engine.dispose()
    return tmp_path / "headwater.yaml"


def write_settings(
    path: Path, server: BatchServer, *lines: str, more: str = "mode: batch"
) -> tuple[str, str]:
    endpoint = f"endpoint: '{server.address}', model: gpt-4o-mini, key: 'env:MODEL_KEY'"
    summaries = f"summaries: {{{endpoint}, {more}}}"
    config = [f"data: {path.parent / 'data'}", summaries, *(lines or (TIER_C,))]
    path.write_text("\n".join(config), encoding="utf-8")
    return "--config", str(path)


def test_g14_an_operator_sees_the_price_sends_polls_and_gets_answers(
    settings, server, capsys, monkeypatch, caplog
):
    caplog.set_level(logging.DEBUG)
    options = write_settings(settings, server, TIER_C, "log_level: debug")
    dry_run = call(capsys, monkeypatch, *options, "summaries", "run", "--dry-run", "--json")
    assert dry_run.code == 0, dry_run.err
    assert dry_run.record["planned"] == 2
    assert 0 < dry_run.record["cost"] < 0.01
    assert "2 stories to be summarised for about $0.000" in dry_run.err
    assert server.requests == []
    first_run = call(capsys, monkeypatch, *options, "summaries", "run", "--json")
    assert (first_run.record["batches_sent"], first_run.record["stories_updated"]) == (1, 0)
    status = call(capsys, monkeypatch, *options, "summaries", "status", "--json").record
    assert status["requests"] == {"geopolitics": {"asked": 2}}
    assert status["spent_24_hours"] == pytest.approx(dry_run.record["cost"])
    assert status["batches"][0]["status"] == "in_progress"
    finished = call(capsys, monkeypatch, *options, "summaries", "run")
    assert "1 ended; 2 stories updated." in finished.out
    assert "completed" in call(capsys, monkeypatch, *options, "summaries", "status").out
    assert server.keys == {f"Bearer {KEY}"}
    assert KEY not in dry_run.err + first_run.err + first_run.out + finished.out + finished.err + caplog.text


def test_g14_cancelling_ends_open_batches_and_sends_nothing(settings, server, capsys, monkeypatch):
    server.statuses = ("validating", "in_progress", "in_progress", "in_progress", "completed")
    options = write_settings(settings, server)
    call(capsys, monkeypatch, *options, "summaries", "run")
    server.line = lambda _: "batch_cancelled"
    cancelled = call(capsys, monkeypatch, *options, "summaries", "cancel", "--json")
    assert cancelled.record == {"cancelled": 0, "batches": 1}
    assert server.batches["batch_0"]["status"] == "cancelling"
    call(capsys, monkeypatch, *options, "summaries", "run")
    assert call(capsys, monkeypatch, *options, "summaries", "status", "--json").record["requests"] == {
        "geopolitics": {"cancelled": 2}
    }
    assert call(capsys, monkeypatch, *options, "summaries", "cancel").out.startswith(
        "0 requests and 0 batches"
    )
    assert call(capsys, monkeypatch, *options, "summaries", "retry", "--json").record == {"count": 2}
    assert server.posts("/batches") == 1


def test_g14_a_batch_of_a_tier_c_run_is_followed_without_the_tier(settings, server, capsys, monkeypatch):
    call(capsys, monkeypatch, *write_settings(settings, server), "summaries", "run")
    options = write_settings(settings, server, "recipes: {}")
    finished = call(capsys, monkeypatch, *options, "summaries", "run", "--json")
    assert finished.code == 0, finished.err
    assert (
        finished.record["planned"],
        finished.record["batches_ended"],
        finished.record["stories_updated"],
    ) == (0, 1, 2)
    assert "nothing new is requested" in " ".join(finished.err.split())
    assert server.posts("/batches") == 1


def test_g14_a_worker_without_the_tier_follows_a_sent_batch(settings, server, capsys, monkeypatch):
    call(capsys, monkeypatch, *write_settings(settings, server), "summaries", "run")
    write_settings(settings, server, "recipes: {}")
    app = App(read_settings(settings, {}))
    assert followed_recipes(app) == ["geopolitics"]
    figures = summarize_stories(app)
    app.store.engine.dispose()
    assert (figures["batches_ended"], figures["stories_updated"], figures["asked"]) == (1, 2, 0)


def test_g14_a_batch_of_a_tier_c_run_can_be_cancelled_without_the_tier(settings, server, capsys, monkeypatch):
    server.statuses = ("validating", "in_progress", "in_progress", "in_progress", "completed")
    call(capsys, monkeypatch, *write_settings(settings, server), "summaries", "run")
    options = write_settings(settings, server, "recipes: {}")
    assert call(capsys, monkeypatch, *options, "summaries", "cancel", "--json").record["batches"] == 1
    assert server.batches["batch_0"]["status"] == "cancelling"


@pytest.mark.parametrize(
    "mistake",
    [
        ("recipes: {}", "mode: batch", "for geopolitics, set recipes.geopolitics.options.tier to C"),
        (TIER_C, "mode: sometimes", "mode"),
        (TIER_C, "mode: batch, daily_budget: 0", "summaries.daily_budget"),
        (TIER_C, "mode: batch, options: {stream: true}", "stream"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(settings, server, capsys, monkeypatch, mistake):
    line, more, words = mistake
    answer = call(capsys, monkeypatch, *write_settings(settings, server, line, more=more), "summaries", "run")
    assert answer.code != 0
    assert words in " ".join(answer.err.split())
    assert "Traceback" not in answer.err
    assert server.requests == []


def test_nothing_is_sent_without_an_endpoint(settings, server, capsys, monkeypatch):
    settings.write_text(f"data: {settings.parent / 'data'}\n{TIER_C}", encoding="utf-8")
    answer = call(capsys, monkeypatch, "--config", str(settings), "summaries", "run")
    assert "summaries.endpoint: no endpoint is set" in " ".join(answer.err.split())
    assert server.requests == []


def test_g18_tier_c_has_local_summaries_at_once_and_model_summaries_later(
    tmp_path: Path, toy, server, capsys
):
    recipe, clock = configured_recipe(tmp_path, tier="C", model="toy"), DemoClock()
    with running() as internet, context_for(tmp_path, internet.base_url, recipe, clock) as (app, bare):
        app.register(recipe)
        run(replace(bare, sinks={"files": RecordingSink()}), clock)
        local = rows(app, "SELECT story_id, summary FROM news_clusters")
        assert all(row["summary"] for row in local)
        recipe_settings = RecipeSettings(
            sources=str(tmp_path / "flashpoints.yaml"), options={"tier": "C", "model": "toy", "settle": "5m"}
        )
        endpoint = SummarySettings(endpoint=server.address, model="small", premium_model="large")
        settings = msgspec.structs.replace(
            app.settings, summaries=endpoint, recipes={"geopolitics": recipe_settings}
        )
        tier_c_app = App(settings, clock)
        server.faults.append(ApiFaults("POST /chat/completions", 401))
        update_stories_after_run(tier_c_app, ["geopolitics"], quiet=True)
        assert (
            "no summaries by the language model this time: summaries: the endpoint refused the key"
            in " ".join(capsys.readouterr().err.split())
        )
        update_stories_after_run(tier_c_app, ["geopolitics"], quiet=True)
        after = {row["story_id"]: row["summary"] for row in rows(app, "SELECT * FROM news_clusters")}
        assert all(after[row["story_id"]] != row["summary"] for row in local)
        hot = rows(app, "SELECT story_id FROM news_clusters WHERE is_top_hotspot")
        models = [chat["model"] for chat in server.chats]
        assert models.count("large") == len(hot) == max(1, len(local) // 10)
        assert models.count("small") == len(local) - len(hot)
        before = len(server.chats)
        app.operations.wake("geopolitics", clock())
        run(replace(bare, sinks={"files": RecordingSink()}), clock)
        update_stories_after_run(tier_c_app, ["geopolitics"], quiet=True)
        assert len(server.chats) == before
        tier_c_app.store.engine.dispose()
