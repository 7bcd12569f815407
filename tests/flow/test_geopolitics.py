"""Flashpoints through the whole engine: two days of an invented world."""

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import yaml
from sqlalchemy import select, text
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest
from tests.support.poll_sessions import context_for

from headwater.engine.context import JobContext
from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.runtime.inline import run_inline
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import stories
from headwater_demo.clock import START
from headwater_demo.flashpoints.flashpoint_list import flashpoints
from headwater_demo.flashpoints.reports import REPORTS
from headwater_demo.internet import Internet, running
from headwater_recipes.geopolitics import configure

TRUTH = {report.url: (report.flashpoint, report.story) for report in REPORTS}
DAY = timedelta(days=1)
SETTLE = timedelta(minutes=5)


@dataclass
class DemoClock:
    """The time of the demo, but running."""

    shift: timedelta = timedelta(0)
    started: float = field(default_factory=time.monotonic)

    def __call__(self) -> datetime:
        return START + self.shift + timedelta(seconds=time.monotonic() - self.started)


@dataclass
class RecordingSink:
    envelopes: list[Envelope] = field(default_factory=list)

    def send(self, envelopes):
        self.envelopes += envelopes
        return [Sent() for _ in envelopes]


def rows(app, query):
    with read_transaction(app.store.engine) as connection:
        return [dict(row) for row in connection.execute(text(query)).mappings()]


def run(context: JobContext, clock: DemoClock) -> None:
    """Runs until everything is read, and again after the flashpoints have settled, which describes their stories."""
    for wait in (timedelta(0), SETTLE + timedelta(minutes=1)):
        clock.shift += wait
        assert run_inline(context, ["geopolitics"], horizon=timedelta(seconds=3), longest=LONGEST_RUN)


def live_stories(app) -> dict[str, set[str]]:
    """Live stories and the addresses in them."""
    urls_by_story = defaultdict(set)
    query = """SELECT m.story_id, d.url FROM story_members m JOIN documents d ON d.id = m.document_id
        JOIN stories s ON s.id = m.story_id WHERE s.state = 'live'"""
    for row in rows(app, query):
        urls_by_story[row["story_id"]].add(row["url"])
    return urls_by_story


def next_day(internet: Internet, app, clock: DemoClock) -> None:
    internet.advance(DAY)
    clock.shift += DAY
    app.operations.wake("geopolitics", app.clock())


def configured_recipe(tmp_path: Path, **options: object):
    list_file = tmp_path / "flashpoints.yaml"
    list_file.write_text(yaml.safe_dump(flashpoints()), encoding="utf-8")
    return configure(list_file, {"settle": "5m", **options})


def test_g11_stories_stay_within_flashpoints_and_continue_the_next_day(
    tmp_path: Path, own_environment: EnvironmentUnderTest
):
    recipe, clock, ops_sink = (
        configured_recipe(tmp_path, alerts={"channels": ["ops"], "new_story": 2, "growth": None}),
        DemoClock(),
        RecordingSink(),
    )
    with (
        running() as internet,
        context_for(tmp_path, internet.base_url, recipe, clock, own_environment) as (app, bare),
    ):
        app.register(recipe)
        context = replace(bare, sinks={"ops": ops_sink, "files": RecordingSink()})
        run(context, clock)
        first = live_stories(app)
        published_urls = {report.url for report in REPORTS if report.hours <= 0}
        assert sorted(url for story_urls in first.values() for url in story_urls) == sorted(published_urls)
        for story_urls in first.values():
            assert len({TRUTH[url][0] for url in story_urls}) == 1
        english = {
            frozenset(u for u in story_urls if "tribuna" not in u) for story_urls in first.values()
        } - {frozenset()}
        expected = defaultdict(set)
        for url in published_urls:
            if "tribuna" not in url:
                expected[TRUTH[url]].add(url)
        assert english == {frozenset(urls) for urls in expected.values()}
        first_alerts = {envelope.record.id for envelope in ops_sink.envelopes}
        assert len(first_alerts) == len(ops_sink.envelopes) == 6

        app.operations.wake("geopolitics", app.clock())
        run(context, clock)
        assert live_stories(app) == first
        assert len(ops_sink.envelopes) == 6

        next_day(internet, app, clock)
        run(context, clock)
        second = live_stories(app)
        new_urls = {url for story_urls in second.values() for url in story_urls} - published_urls
        assert {TRUTH[url] for url in new_urls} == {("kelmar-strait", "tanker"), ("valdora-vote", "recount")}
        assert second.keys() == first.keys()
        for name, story_urls in first.items():
            assert story_urls <= second[name]
        assert len(ops_sink.envelopes) == 6


def test_g13_g16_g21_a_story_has_summary_topic_score_and_their_evidence(
    tmp_path: Path, own_environment: EnvironmentUnderTest
):
    recipe, clock = configured_recipe(tmp_path), DemoClock()
    with (
        running() as internet,
        context_for(tmp_path, internet.base_url, recipe, clock, own_environment) as (app, context),
    ):
        app.register(recipe)
        run(replace(context, sinks={"files": RecordingSink()}), clock)
        with read_transaction(app.store.engine) as connection:
            by_title = {row["title"]: row for row in connection.execute(select(stories)).mappings()}
    story = next(row for title, row in by_title.items() if "Halcyon" in title)
    attributes = story["attributes"]
    assert attributes["articles"] == 3
    assert attributes["domains"] == 3
    assert attributes["topic"]["name"] == "conflict, war and peace"
    assert attributes["subject_title"] == "Kelmar Strait"
    components = attributes["components"]
    weighed = (
        0.30 * components["volume"]
        + 0.25 * components["recency"]
        + 0.25 * components["diversity"]
        + 0.20 * components["topic"]
    )
    assert abs(story["score"] - weighed) < 0.001
    # The newest article is fifteen hours old: recency is its own, not that of the run.
    assert abs(components["recency"] - 2 ** (-15 / 12)) < 0.01
    assert "Halcyon Dawn" in story["summary"]
    assert all(claim["documents"] for claim in attributes["claims"])
    assert attributes["rank"] == 1
