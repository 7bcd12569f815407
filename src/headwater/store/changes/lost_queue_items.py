"""Items of queues that were delivered and whose row is gone: they are delivered again."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Engine, select, update

from headwater.model.jobs import State
from headwater.store.connect import write_transaction
from headwater.store.in_list import in_list
from headwater.store.schema.flow import deliveries
from headwater.store.schema.operations import queue_items


def resend_lost_items(
    engine: Engine, recipe: str, queues: Sequence[str], *, since: datetime, until: datetime, now: datetime
) -> int:
    """Make deliveries due again that began and were sent to these queues in that time, and without an item; returns how many.
    The item gets the id that it had. A later revision of an older delivery made no item: its item may have been removed."""
    has_item = (
        select(queue_items.c.id)
        .where(queue_items.c.document_id == deliveries.c.record_id, queue_items.c.queue == deliveries.c.route)
        .exists()
    )
    lost = select(deliveries.c.id).where(
        deliveries.c.recipe == recipe,
        deliveries.c.created_at >= since,
        deliveries.c.sent_at >= since,
        deliveries.c.sent_at < until,
        deliveries.c.state == State.DONE,
        in_list(deliveries.c.route, queues),
        ~has_item,
    )
    due_again = {"state": State.WAITING, "due_at": now, "attempts": 0}
    with write_transaction(engine) as connection:
        ids = list(connection.scalars(lost.order_by(deliveries.c.id)))
        if ids:
            connection.execute(update(deliveries).where(in_list(deliveries.c.id, ids)).values(**due_again))
    return len(ids)
