"""Live events from rows, and metrics whose names the dashboard and the alert rules use."""

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
import yaml
from sqlalchemy import Engine, update
from tests.support.api_installation import NOW, api_client, fill, installation
from tests.support.scene import START
from tests.support.web_client import client_of, refuse_runs

from headwater.app import App
from headwater.store.reads.figures import MOST_REASONS, OTHER, histogram, most_frequent
from headwater.store.schema.flow import documents
from headwater.web.events import LOOK_BACK, EventStream, event_lines, read_event_id
from headwater.web.problems import HttpProblem
from headwater.web.serving import make_context

DEPLOY = Path(__file__).resolve().parents[2] / "deploy" / "monitoring"


@pytest.fixture
def app(tmp_path) -> Iterator[App]:
    with installation(tmp_path) as opened:
        yield opened


@pytest.fixture
def any_app(engine: Engine, tmp_path) -> Iterator[App]:
    """On each of the two databases."""
    with installation(tmp_path, engine.url.render_as_string(hide_password=False)) as opened:
        yield opened


def stream(app: App, position) -> EventStream:
    return EventStream(
        make_context(app, refuse_runs), ("document", "story", "alarm"), app.catalogue.recipes(), position
    )


def test_events_come_in_order_and_once_and_after_a_restart_nothing_is_missing(any_app: App):
    app = any_app
    ids = fill(app)
    first = stream(app, START)
    events = first.read()
    assert [event.id for event in events] == ["a" * 40, ids[0], "5" * 40, ids[1], ids[2]]
    assert first.read() == []
    # Another server goes on after the second document, and a row whose commit came late is still found.
    lines = event_lines(events[3]).decode()
    position = read_event_id(re.search(r"^id: (.*)$", lines, re.MULTILINE)[1])
    with app.store.engine.begin() as connection:
        late = {"updated_at": position - LOOK_BACK / 2, "revision": 2}
        connection.execute(update(documents).where(documents.c.id == ids[0]).values(**late))
    second = stream(app, position)
    assert [event.id for event in second.read()] == [ids[0], ids[1], ids[2]]
    assert json.loads(re.search(r"^data: (.*)$", lines, re.MULTILINE)[1])["id"] == ids[1]
    for wrong in ("yesterday", "0001-01-01T00:00:00+14:00/x", "9999-12-31T23:59:59-14:00/x"):
        with pytest.raises(HttpProblem):
            read_event_id(wrong)


def test_a_client_that_got_nothing_before_it_was_cut_off_misses_nothing(app: App):
    ids = fill(app)
    first = stream(app, NOW)
    first.skip_stored()
    assert first.read() == []

    async def first_line() -> str:
        async for line in first.lines():
            return line.decode()
        return ""

    line = asyncio.run(first_line())
    assert "data:" not in line
    with app.store.engine.begin() as connection:
        # Dated before the client came and committed afterwards.
        late = {"updated_at": NOW - LOOK_BACK / 2, "revision": 2}
        connection.execute(update(documents).where(documents.c.id == ids[0]).values(**late))
    assert [event.id for event in first.read()] == [ids[0]]
    again = stream(app, read_event_id(re.search(r"^id: (.*)$", line, re.MULTILINE)[1]))
    assert [event.id for event in again.read()] == [ids[0]]
    # One that is cut off again and again does not go back further and further.
    assert again.position == NOW


def test_a_stream_ends_when_the_server_stops(app: App):
    ids = fill(app)

    async def follow() -> list[str]:
        events = stream(app, START)
        lines = []
        async for line in events.lines():
            lines.append(line.decode())
            if ids[2] in lines[-1]:
                events.context.stopping.set()
        return lines

    lines = asyncio.run(follow())
    assert lines[0].startswith("retry:")
    assert sum(line.startswith("id: ") for line in lines) == 5
    assert f"id: {START.isoformat()}/start" in lines[0]


def test_events_are_followed_over_http_from_the_last_one_on(app: App):
    ids = fill(app)

    async def follow() -> list[httpx2.Response]:
        context = make_context(app, refuse_runs)
        async with client_of(context) as client:
            context.stopping.set()  # the stream ends after what is there
            name = f"{(START + timedelta(minutes=1)).isoformat()}/document/{ids[1]}"
            stream_of_one = client.get("/api/v1/events?kind=document", headers={"Last-Event-ID": name})
            wrong = client.get("/api/v1/events", headers={"Last-Event-ID": "soon"})
            return [await stream_of_one, await wrong]

    events, wrong = asyncio.run(follow())
    assert events.headers["content-type"].startswith("text/event-stream")
    assert re.findall(r"^event: (\w+)\ndata: .*?\"id\":\"(\w+)\"", events.text, re.MULTILINE) == [
        ("document", ids[1]),
        ("document", ids[2]),
    ]
    assert wrong.status_code == 400


def test_metrics_are_counted_from_rows_with_few_labels(any_app: App):
    app = any_app
    ids = fill(app)
    with app.store.engine.begin() as connection:
        recent = {"created_at": NOW - timedelta(minutes=5)}
        connection.execute(update(documents).where(documents.c.id == ids[0]).values(**recent))
    with api_client(app) as client:
        answer = client.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        text = answer.text
        assert 'headwater_documents{recipe="trial",state="kept"} 3.0' in text
        assert 'headwater_quarantined_records{reason="too_deep",recipe="trial"} 1.0' in text
        assert 'headwater_open_alarms{kind="silence",recipe="trial"} 1.0' in text
        assert 'headwater_fetches_last_hour{recipe="trial",status="2xx"} 3.0' in text
        assert 'headwater_publication_lag_seconds_count{recipe="trial"} 1.0' in text
        assert client.get("/metrics").text == text
        labels = set(re.findall(r'(\w+)="', text))
        assert labels == {"recipe", "state", "reason", "kind", "status", "task", "result", "le"}


def test_reasons_and_histograms_stay_small():
    counts = {f"reason {number}": number for number in range(1, 100)}
    bounded = most_frequent(counts)
    assert len(bounded) == MOST_REASONS + 1
    assert sum(bounded.values()) == sum(counts.values())
    assert OTHER in bounded
    assert histogram([0.2, 0.5, 3.0], (0.2, 1.0)) == [("0.2", 1.0), ("1", 2.0), ("+Inf", 3.0)]


def used_names(text: str) -> set[str]:
    names = set(re.findall(r"\bheadwater_\w+", text))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def test_the_dashboard_and_the_alert_rules_use_metrics_that_exist(app: App):
    fill(app)
    with api_client(app) as client:
        exported = set(re.findall(r"^# TYPE (headwater_\w+) ", client.get("/metrics").text, re.MULTILINE))
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((DEPLOY / "alert-rules.yaml").read_text(encoding="utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    expressions += [rule["expr"] for rule in alerts]
    for expression in expressions:
        assert used_names(expression), expression
        assert used_names(expression) <= exported, expression
        assert expression.count("(") == expression.count(")")
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in alerts)
    shown = {name for expression in expressions for name in used_names(expression)}
    assert exported - shown <= {"headwater_metrics_seconds", "headwater_sources"}
