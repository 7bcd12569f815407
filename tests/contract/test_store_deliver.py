"""The outbox: each delivery is sent until it arrived, in its newest revision."""

import pytest
from sqlalchemy import delete
from tests.support.scene import HOUR, ME, RECIPE, START, Scene, ended_result, kept_result, make_story

from headwater.model.jobs import Delivery, DeliveryResult, GatherResult, Postponement, Quarantine, State, Task
from headwater.model.ports import QueueItem
from headwater.store.changes.lost_queue_items import resend_lost_items
from headwater.store.changes.operations import Operations
from headwater.store.changes.queues import SqlQueues
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import deliveries, quarantine
from headwater.store.schema.operations import queue_items

DAY = 24 * HOUR


def _claim_delivery(scene: Scene) -> Delivery:
    (delivery,) = scene.claim(Task.DELIVER)
    return delivery


def _finish(scene: Scene, delivery: Delivery, **fields) -> dict:
    scene.store.finish_deliver(
        [DeliveryResult(id=delivery.id, revision=delivery.revision, **fields)], ME, scene.now
    )
    return scene.row(deliveries)


def test_a_delivery_carries_the_document(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    delivery = _claim_delivery(scene)
    assert (delivery.route, delivery.revision, delivery.attempts) == ("out", 1, 1)
    assert delivery.record == scene.store.documents([draft.id])[draft.id]


def test_a_sent_delivery_is_done_with_its_receipt(scene: Scene):
    scene.keep("a", routes=("out",))
    row = _finish(scene, _claim_delivery(scene), receipt="out/1.json")
    assert (row["state"], row["due_at"], row["sent_revision"]) == (State.DONE, None, 1)
    assert (row["sent_at"], row["receipt"], row["lease_owner"]) == (START, "out/1.json", None)
    assert scene.claim(Task.DELIVER) == []


@pytest.mark.parametrize(("counts", "attempts"), [(True, 1), (False, 0)])
def test_a_postponed_delivery_is_due_later(scene: Scene, counts: bool, attempts: int):
    scene.keep("a", routes=("out",))
    row = _finish(
        scene, _claim_delivery(scene), later=Postponement(at=START + HOUR, reason="http_503", counts=counts)
    )
    assert (row["state"], row["due_at"], row["reason"]) == (State.WAITING, START + HOUR, "http_503")
    assert (row["attempts"], row["lease_owner"]) == (attempts, None)


def test_the_next_attempt_knows_who_has_the_record_already(scene: Scene):
    scene.keep("a", routes=("out",))
    later = Postponement(at=START, reason="mail_postponed", counts=False)
    _finish(scene, _claim_delivery(scene), later=later, progress="ada has it")
    delivery = _claim_delivery(scene)
    assert delivery.progress == "ada has it"
    assert _finish(scene, delivery, receipt="sent")["progress"] is None


def test_a_new_revision_goes_to_everyone(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    later = Postponement(at=START + HOUR, reason="mail_postponed", counts=False)
    _finish(scene, _claim_delivery(scene), later=later, progress="ada has it")
    scene.refine(kept_result(scene.change(draft, "Another text."), routes=("out",)))
    delivery = _claim_delivery(scene)
    assert (delivery.revision, delivery.progress) == (2, "")


def test_a_dropped_delivery_keeps_its_reason(scene: Scene):
    scene.keep("a", routes=("out",))
    row = _finish(scene, _claim_delivery(scene), drop_reason="unwanted")
    assert (row["state"], row["reason"], row["due_at"]) == (State.DROPPED, "unwanted", None)


def test_a_quarantined_delivery_waits_for_an_operator(scene: Scene):
    scene.keep("a", routes=("out",))
    row = _finish(scene, _claim_delivery(scene), quarantine=Quarantine(reason="unknown_route"))
    assert (row["state"], row["reason"], row["due_at"]) == (State.QUARANTINED, "unknown_route", None)
    assert (scene.row(quarantine)["record_id"], scene.row(quarantine)["task"]) == (row["id"], Task.DELIVER)
    Operations(scene.store.engine).retry(None, None, START)
    assert _claim_delivery(scene).id == row["id"]


def test_several_ends_in_one_batch_are_kept_apart(scene: Scene):
    scene.keep("a", "b", "c", "d", routes=("out",))
    delivered, later, dropped, in_quarantine = scene.claim(Task.DELIVER)
    scene.store.finish_deliver(
        [
            DeliveryResult(id=delivered.id, revision=1, receipt="r"),
            DeliveryResult(id=later.id, revision=1, later=Postponement(at=START + HOUR, reason="busy")),
            DeliveryResult(id=dropped.id, revision=1, drop_reason="no"),
            DeliveryResult(id=in_quarantine.id, revision=1, quarantine=Quarantine(reason="bad")),
        ],
        ME,
        START,
    )
    assert {row["id"]: row["state"] for row in scene.rows(deliveries)} == {
        delivered.id: State.DONE, later.id: State.WAITING, dropped.id: State.DROPPED, in_quarantine.id: State.QUARANTINED,
    }  # fmt: skip


def test_a_newer_revision_that_came_while_this_one_was_sent_stays_due(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    delivery = _claim_delivery(scene)
    scene.refine(kept_result(scene.change(draft, "changed"), routes=("out",)))
    row = _finish(scene, delivery, receipt="r")
    assert (row["state"], row["due_at"], row["sent_revision"], row["revision"]) == (
        State.WAITING,
        START,
        1,
        2,
    )
    again = _claim_delivery(scene)
    assert (again.revision, again.record.revision) == (2, 2)


@pytest.mark.parametrize(
    "end", [{"drop_reason": "no"}, {"quarantine": Quarantine(reason="bad")}], ids=["drop", "apart"]
)
def test_a_newer_revision_is_sent_whatever_became_of_the_older(scene: Scene, end):
    (draft,) = scene.keep("a", routes=("out",))
    delivery = _claim_delivery(scene)
    scene.refine(kept_result(scene.change(draft, "changed"), routes=("out",)))
    _finish(scene, delivery, **end)
    assert _claim_delivery(scene).revision == 2
    assert scene.count(quarantine) == 0


def test_a_later_revision_is_sent_after_the_first_arrived(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    _finish(scene, _claim_delivery(scene))
    scene.refine(kept_result(scene.change(draft, "changed"), routes=("out",)))
    assert _claim_delivery(scene).revision == 2


def test_a_revision_that_was_sent_is_not_sent_again(scene: Scene):
    from headwater.store.claims.outbox import open_deliveries
    from headwater.store.connect import write_transaction

    (draft,) = scene.keep("a", routes=("out",))
    _finish(scene, _claim_delivery(scene))
    document = scene.store.documents([draft.id])[draft.id]
    with write_transaction(scene.store.engine) as connection:
        open_deliveries(connection, [(document, "out", "document", 1)], START)
    assert scene.claim(Task.DELIVER) == []


def test_a_sent_revision_ends_the_quarantine_of_the_one_before(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    _finish(scene, _claim_delivery(scene), quarantine=Quarantine(reason="bad"))
    scene.refine(kept_result(scene.change(draft, "changed"), routes=("out",)))
    row = _finish(scene, _claim_delivery(scene))
    assert (row["state"], row["reason"], scene.count(quarantine)) == (State.DONE, None, 0)


def test_a_bad_revision_in_between_does_not_disturb_the_delivery(scene: Scene):
    (draft,) = scene.keep("a", routes=("out",))
    scene.refine(ended_result(scene.change(draft, "bad"), State.DROPPED, "paywall"))
    delivery = _claim_delivery(scene)
    assert (delivery.revision, delivery.record.id) == (1, draft.id)


def test_an_ended_story_is_withdrawn(scene: Scene):
    (draft,) = scene.keep("a", group="day")
    (group_batch,) = scene.claim(Task.GATHER)
    story = make_story("s1", "day", draft.id)
    scene.store.finish_gather(
        [
            GatherResult(
                group=group_batch.id, version=group_batch.version, stories=(story,), routes={"s1": ("out",)}
            )
        ],
        ME,
        START,
    )
    scene.keep("b", group="day")
    (group_batch,) = scene.claim(Task.GATHER)
    result = GatherResult(group=group_batch.id, version=group_batch.version, clustered_ids=("s1",))
    scene.store.finish_gather([result], ME, START)
    assert _claim_delivery(scene).record is None


def test_r41_an_item_of_a_queue_whose_row_was_lost_is_delivered_again(scene: Scene):
    (draft,) = scene.keep("a", routes=("queue",))
    delivery = _claim_delivery(scene)
    _finish(scene, delivery, receipt="1")
    engine, item = (
        scene.store.engine,
        QueueItem(id=delivery.id, queue="queue", recipe=RECIPE, document=draft.id, payload={}),
    )

    def resend() -> int:
        return resend_lost_items(
            engine, RECIPE, ["queue"], since=START - HOUR, until=scene.now - 4 * HOUR, now=scene.now
        )

    assert SqlQueues(engine, lambda: START).push([item]) == 1
    scene.now = START + 5 * HOUR
    assert resend() == 0
    with write_transaction(engine) as connection:
        connection.execute(delete(queue_items))
    assert resend() == 1
    assert _claim_delivery(scene).record == delivery.record
    assert resend() == 0


def test_r41_a_later_revision_does_not_bring_back_an_item_that_retention_removed(scene: Scene):
    """The item was made and done with the first revision, long ago."""
    (draft,) = scene.keep("a", routes=("queue",))
    _finish(scene, _claim_delivery(scene), receipt="1")
    scene.now = START + 28 * DAY
    scene.refine(kept_result(scene.change(draft, "changed"), routes=("queue",)))
    assert _finish(scene, _claim_delivery(scene), receipt="1")["sent_at"] == scene.now
    scene.now = START + 31 * DAY
    span = {"since": scene.now - 7 * DAY, "until": scene.now - 4 * HOUR}
    assert resend_lost_items(scene.store.engine, RECIPE, ["queue"], **span, now=scene.now) == 0
