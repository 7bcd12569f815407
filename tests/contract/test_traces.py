"""Traces: every document has one from poll to delivery, made from rows, with the same ids however often it is sent."""

from collections.abc import Iterator
from datetime import timedelta

import msgspec
import pytest
from tests.servers.receivers import HttpReceiver, http_receiver
from tests.support.scene import ME, START, Scene, kept_result

from headwater.app import App
from headwater.model.jobs import DeliveryResult, Task
from headwater.ops.traces import SETTLING, TASK
from headwater.runtime.maintenance import Maintenance, tasks_for
from headwater.settings.settings import Settings

MINUTE = timedelta(minutes=1)


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as running:
        yield running


@pytest.fixture
def maintenance(scene: Scene, receiver: HttpReceiver) -> Maintenance:
    """Traces are switched on before the first poll; everything takes a minute."""
    app = App(Settings(data="unused", traces_url=f"{receiver.url}/v1/traces"), clock=lambda: scene.now)
    app.__dict__["engine"] = scene.store.engine
    maintenance = Maintenance(app, tasks={TASK: tasks_for(app)[TASK]})
    maintenance.run_now(TASK)
    return maintenance


def take_all_the_way(scene: Scene) -> str:
    leads = [scene.lead("a")]
    scene.now += MINUTE
    scene.poll(*leads)
    scene.now += MINUTE
    scene.fetch(*leads)
    (draft,) = scene.claim(Task.REFINE)
    scene.now += MINUTE
    scene.refine(kept_result(draft, routes=("out",)))
    (delivery,) = scene.claim(Task.DELIVER)
    scene.now += MINUTE
    scene.store.finish_deliver([DeliveryResult(id=delivery.id, revision=1, receipt="1")], ME, scene.now)
    scene.now += SETTLING + MINUTE
    return draft.id


def spans_of(receiver: HttpReceiver) -> list[dict]:
    requests = [msgspec.json.decode(posted.body) for posted in receiver.posted]
    return [
        span
        for request in requests
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def values_of(span: dict) -> dict[str, str]:
    return {pair["key"]: next(iter(pair["value"].values())) for pair in span["attributes"]}


def test_a_document_has_one_trace_from_poll_to_delivery(
    scene: Scene, maintenance: Maintenance, receiver: HttpReceiver
):
    document = take_all_the_way(scene)
    result = maintenance.run_now(TASK)
    spans = {span["name"]: span for span in spans_of(receiver)}
    assert set(spans) == {"document trial", "poll", "fetch", "refine", "deliver out"}
    assert result == {"until": (scene.now - SETTLING).isoformat(), "spans": 5}
    assert {posted.path for posted in receiver.posted} == {"/v1/traces"}
    root = spans["document trial"]
    assert {span["traceId"] for span in spans.values()} == {root["traceId"]}
    assert {span.get("parentSpanId") for span in spans.values()} == {None, root["spanId"]}
    assert (len(root["traceId"]), len(root["spanId"])) == (32, 16)
    assert values_of(root)["headwater.document"] == document
    assert values_of(root)["headwater.state"] == "kept"
    assert values_of(spans["fetch"])["http.response.status_code"] == "200"
    minutes = {
        name: (int(span["endTimeUnixNano"]) // 10**9 - int(START.timestamp())) / 60
        for name, span in spans.items()
    }
    assert (minutes["poll"], minutes["refine"], minutes["deliver out"]) == (1, 3, 4)


def test_a_collector_that_is_away_gets_everything_later_under_the_same_ids(
    scene: Scene, maintenance: Maintenance, receiver: HttpReceiver
):
    take_all_the_way(scene)
    receiver.answers += [(200, {}), (503, {})]
    assert maintenance.run_now(TASK)["postponed"] == "receiver_busy"
    first = {span["spanId"] for span in spans_of(receiver)}
    receiver.posted.clear()
    assert maintenance.run_now(TASK)["spans"] == 5
    assert {span["spanId"] for span in spans_of(receiver)} == first
    receiver.posted.clear()
    assert maintenance.run_now(TASK)["spans"] == 0
    assert receiver.posted == []


def test_without_a_collector_there_is_no_task(scene: Scene):
    app = App(Settings(data="unused"), clock=lambda: scene.now)
    assert TASK not in tasks_for(app)
