"""Alarms in rows: delivered once on every channel, through the same outbox as documents, even when workers die."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy.exc import IntegrityError
from tests.flow.command_line import CommandResult, call
from tests.servers.receivers import HttpReceiver, http_receiver
from tests.support.crypto_scene import CRYPTO, crypto, drafts, settings_file
from tests.support.environments import on_sqlite
from tests.support.scene import HOUR, LEASE, START, Scene, ended_result, kept_result, make_lead

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.engine.engine import Engine as Worker
from headwater.model.alarm import Problem
from headwater.model.jobs import Job, State, Task
from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.ops.alarms.decision import decide_alarms
from headwater.ops.health import check_health
from headwater.settings.settings import read_settings
from headwater.store.changes.alarms import AlarmStore
from headwater.store.schema.flow import deliveries, quarantine
from headwater.store.schema.operations import alarms

DELIVER = Job(CRYPTO, Task.DELIVER)
SILENT = Problem(kind="silent", subject="s1", name="Ledger", title="Ledger is silent")


class WorkerDied(BaseException):
    """No code catches it: the worker is gone."""


@dataclass
class Notebook:
    """A channel that records what it was sent; it ends its worker `dying` times after sending."""

    dying: int = 0
    envelopes_sent: list[Envelope] = field(default_factory=list)

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        self.envelopes_sent += envelopes
        if self.dying:
            self.dying -= 1
            raise WorkerDied
        return [Sent("noted")] * len(envelopes)


def context(scene: Scene, channel: Any, owner: str = "worker") -> JobContext:
    app = App(read_settings(None, {}))
    return JobContext(
        owner=owner,
        recipes={CRYPTO: app.recipes[CRYPTO]},
        store=scene.store,
        archive=None,
        clock=lambda: scene.now,
        log=structlog.get_logger(),
        sinks={"ops": channel},
        channels=("ops",),
    )


def settle(scene: Scene, *problems: Problem, channels: tuple[str, ...] = ("ops",)) -> tuple[int, int]:
    raised, cleared = AlarmStore(scene.store.engine).settle(
        CRYPTO, partial(decide_alarms, problems, now=scene.now), channels, scene.now
    )
    return len(raised), len(cleared)


def test_c37_an_alarm_is_a_row_and_a_delivery_per_channel(scene: Scene):
    assert settle(scene, SILENT, channels=("ops", "mail")) == (1, 0)
    alarm = scene.row(alarms)
    assert (alarm["title"], alarm["raised_at"], alarm["cleared_at"]) == ("Ledger is silent", START, None)
    alarm_deliveries = scene.rows(deliveries)
    assert {(row["route"], row["record_kind"], row["record_id"]) for row in alarm_deliveries} == {
        ("ops", "alarm", alarm["id"]),
        ("mail", "alarm", alarm["id"]),
    }


def test_c37_an_alarm_is_delivered_when_it_is_raised_and_when_it_is_cleared(scene: Scene):
    channel = Notebook()
    worker = Worker(context(scene, channel))
    for problems in ((SILENT,), (SILENT,), ()):
        settle(scene, *problems)
        worker.run(DELIVER)
        scene.now += HOUR
    first, second = channel.envelopes_sent
    assert first.record.id == second.record.id
    assert (first.record.cleared_at, second.record.cleared_at) == (None, START + 2 * HOUR)
    assert first.key != second.key
    assert settle(scene, SILENT) == (0, 0)  # it flickers: it rests first
    scene.now += 6 * HOUR
    assert settle(scene, SILENT) == (1, 0)


def test_c35_a_worker_that_dies_after_sending_sends_again_with_the_same_key(scene: Scene):
    settle(scene, SILENT)
    channel = Notebook(dying=2)
    for owner in ("first", "second"):
        with pytest.raises(WorkerDied):
            Worker(context(scene, channel, owner)).run(DELIVER)
        assert Worker(context(scene, channel, "too early")).run(DELIVER) == 0
        scene.now += LEASE
    assert Worker(context(scene, channel, "third")).run(DELIVER) == 1
    assert len(channel.envelopes_sent) == 3
    assert len({envelope.key for envelope in channel.envelopes_sent}) == 1
    assert scene.row(deliveries)["state"] == State.DONE
    assert Worker(context(scene, channel, "fourth")).run(DELIVER) == 0


def test_c35_a_check_that_dies_before_its_commit_leaves_nothing_and_can_be_repeated(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as broken:
        broken.setattr("headwater.store.changes.alarms.open_deliveries", _die)
        with pytest.raises(WorkerDied):
            settle(scene, SILENT)
    assert (scene.rows(alarms), scene.rows(deliveries)) == ([], [])
    assert settle(scene, SILENT) == (1, 0)


def _die(*_: Any) -> None:
    raise WorkerDied


def test_two_checks_at_once_raise_one_alarm(scene: Scene):
    settle(scene, SILENT)
    row = dict(scene.row(alarms)) | {"id": "another"}
    with scene.store.engine.begin() as connection, pytest.raises(IntegrityError):
        connection.execute(alarms.insert(), row)
    assert scene.count(alarms) == 1


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as opened:
        yield opened


@pytest.fixture
def app(database: str, receiver: HttpReceiver, tmp_path: Path, scene: Scene) -> Iterator[App]:
    """An installation that notifies a receiver on the loopback, with the scene's clock."""
    path = settings_file(
        tmp_path, database, f'notify: {{ops: {{kind: webhook, url: "{receiver.url}/T0K3N"}}}}'
    )
    opened = App(read_settings(path, {}), clock=lambda: scene.now)
    yield opened
    opened.store.engine.dispose()


def poll_hourly(scene: Scene, name: str = "Ledger", count: int = 24, **values: Any) -> None:
    """A source with a new entry every hour until now."""
    source = crypto(name)
    for i in range(count):
        scene.poll(make_lead(f"{name}-{i}", source=source, body="b"), source=source)
        scene.now += HOUR
    scene.poll(source=source, **values)


def titles(scene: Scene) -> list[str]:
    return [row["title"] for row in scene.rows(alarms) if row["cleared_at"] is None]


def test_c37_a_silent_source_raises_an_alarm_and_a_new_entry_clears_it(app: App, scene: Scene):
    poll_hourly(scene)
    assert check_health(app)["recipes"][CRYPTO]["raised"] == []
    scene.now += 40 * HOUR
    assert check_health(app)["recipes"][CRYPTO]["raised"] == []  # no poll yet
    scene.poll(source=crypto())
    values = check_health(app)
    assert values["healthy"] is False
    assert values["recipes"][CRYPTO]["raised"] == ["Ledger is silent"]
    scene.poll(make_lead("news", source=crypto(), body="b"), source=crypto())
    assert check_health(app)["recipes"][CRYPTO]["cleared"] == ["Ledger is silent"]


def test_c37_a_source_that_writes_a_hundred_entries_a_day_has_a_rhythm_too(app: App, scene: Scene):
    source = crypto("Busy")
    for day in range(8):
        scene.poll(*(make_lead(f"{day}-{i}", source=source, body="b") for i in range(100)), source=source)
        scene.now += 24 * HOUR
    scene.poll(source=source)
    assert check_health(app)["recipes"][CRYPTO]["raised"] == []
    scene.now += 72 * HOUR
    scene.poll(source=source)
    assert check_health(app)["recipes"][CRYPTO]["raised"] == ["Busy is silent"]


def test_c37_a_source_that_was_stopped_is_reported(app: App, scene: Scene):
    poll_hourly(scene, error="http_500", failures=10, stop_reason="10 failures in a row")
    check_health(app)
    assert titles(scene) == ["Ledger was stopped"]


def test_c37_a_drop_in_quality_is_reported(app: App, scene: Scene):
    good_drafts = drafts(scene, crypto(), *(f"good{i}" for i in range(40)))
    scene.refine(*(kept_result(draft, quality=0.7 + i % 5 / 50) for i, draft in enumerate(good_drafts)))
    assert check_health(app)["recipes"][CRYPTO]["raised"] == []
    scene.now += HOUR
    bad = drafts(scene, crypto(), *(f"bad{i}" for i in range(12)))
    scene.refine(*(ended_result(draft, State.ASIDE, "empty") for draft in bad))
    assert check_health(app)["recipes"][CRYPTO]["raised"] == ["the quality of Ledger has dropped"]


def test_c14_a_day_on_which_too_few_polls_succeed_is_reported(app: App, scene: Scene):
    for i in range(20):
        scene.poll(source=crypto(f"Feed{i}"), **({"error": "timeout", "failures": 1} if i < 2 else {}))
    assert check_health(app)["recipes"][CRYPTO]["raised"] == []  # the first hour says nothing about a day
    scene.now += HOUR
    assert check_health(app)["recipes"][CRYPTO]["raised"] == ["only 90% of 20 polls succeeded"]
    scene.now += 25 * HOUR
    assert check_health(app)["recipes"][CRYPTO]["cleared"] == ["only 90% of 20 polls succeeded"]


def test_c37_a_rush_into_quarantine_is_reported(app: App, scene: Scene):
    apart = drafts(scene, crypto(), *(str(i) for i in range(51)))
    scene.refine(*(ended_result(draft, State.QUARANTINED, "error:ValueError") for draft in apart))
    titles = check_health(app)["recipes"][CRYPTO]["raised"]
    assert "51 records went into quarantine within an hour" in titles


@on_sqlite
def test_c37_fifty_silent_sources_are_one_alarm(app: App, scene: Scene):
    names = [f"Feed{i}" for i in range(8)]
    for i in range(24):
        for name in names:
            scene.poll(make_lead(f"{name}-{i}", source=crypto(name), body="b"), source=crypto(name))
        scene.now += HOUR
    scene.now += 100 * HOUR
    for name in names:
        scene.poll(source=crypto(name))
    check_health(app)
    assert titles(scene) == ["8 sources: silent"]


def test_c38_the_alarm_arrives_and_no_secret_is_in_a_row_or_a_log(
    app: App, scene: Scene, receiver: HttpReceiver, capsys: pytest.CaptureFixture[str]
):
    poll_hourly(scene, error="http_500", failures=10, stop_reason="10 failures in a row")
    check_health(app)
    receiver.answers = [(400, {})]
    worker = Worker(app.context("worker", fetching=False))
    assert worker.run(DELIVER) == 1
    assert scene.row(quarantine)["reason"] == "receiver_refused"
    assert app.operations.retry(None, CRYPTO, scene.now) == 1
    assert worker.run(DELIVER) == 1
    assert [posted.path for posted in receiver.posted] == ["/T0K3N", "/T0K3N"]
    assert len({posted.headers["Idempotency-Key"] for posted in receiver.posted}) == 1
    output = capsys.readouterr()
    assert "not delivered" in output.err
    for values in (output.out, output.err, str(scene.rows(deliveries)), str(scene.rows(alarms))):
        assert "T0K3N" not in values


@on_sqlite
def test_c37_a_receiver_that_is_down_for_hours_gets_the_alarm_in_the_end(
    app: App, scene: Scene, receiver: HttpReceiver
):
    poll_hourly(scene, error="http_500", failures=10, stop_reason="10 failures in a row")
    check_health(app)
    worker = Worker(app.context("worker", fetching=False))
    receiver.answers = [(503, {})] * 20
    for _ in range(21):
        worker.run(DELIVER)
        scene.now += timedelta(minutes=1)
    assert len(receiver.posted) == 21
    assert scene.row(deliveries)["state"] == State.DONE


Ask = Callable[..., CommandResult]


@pytest.fixture
def ask(app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    assert app.settings.notify
    return lambda *words: call(capsys, monkeypatch, "--config", str(tmp_path / "headwater.yaml"), *words)


def test_c32_the_command_reports_problems_by_its_exit_code(ask: Ask, scene: Scene):
    scene.poll(source=crypto("Good"), due_at=START + 10_000 * HOUR)
    answer = ask("health", "--json")
    assert (answer.code, answer.record["healthy"]) == (0, True)
    scene.poll(source=crypto("Bad"), error="http_500", failures=10, stop_reason="10 failures in a row")
    answer = ask("health")
    assert answer.code == 1
    assert "Unhealthy." in answer.out
    (listed,) = ask("alarms", "list", "--json").records
    assert listed["title"] == "Bad was stopped"
    assert "Bad was stopped" in ask("alarms", "list").out


def test_a_channel_can_be_tried(ask: Ask, scene: Scene, receiver: HttpReceiver):
    answer = ask("alarms", "test", "ops")
    assert answer.code == 0
    assert "Sent on ops: 200 taken" in answer.out
    assert len(receiver.posted) == 1
    unknown = ask("alarms", "test", "unknown")
    assert unknown.code == 1
    assert "there are: ops" in unknown.err


def test_c8_sources_are_shown_with_their_reliability_and_day_by_day(ask: Ask, scene: Scene):
    scene.now -= 40 * HOUR
    poll_hourly(scene, count=8, error="timeout", elapsed_ms=300, failures=1)
    now = scene.now
    (row,) = [
        source
        for source in ask("sources", "health", "--since", "1000d", "--json").records
        if source["name"] == "Ledger"
    ]
    assert (row["polls"], row["succeeded"], row["new"]) == (9, 8, 8)
    assert row["reliability"] == pytest.approx(8 / 9, abs=1e-4)
    assert row["remark"] == "failing x1"
    assert row["slowest_ms"] == 300
    assert "Ledger" in ask("sources", "health").out
    days = ask("sources", "health", "Ledger", "--since", "1000d", "--json").records
    assert sum(day["polls"] for day in days) == 9
    assert days[-1]["day"] == f"{now:%Y-%m-%d}"
