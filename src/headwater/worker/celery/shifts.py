"""A shift: what one message sets off. Batch after batch until nothing is due or the time is up, so that a message is
paid for by hundreds of records."""

import time
from collections.abc import Callable

from headwater.engine.desk import Desk
from headwater.engine.engine import Engine
from headwater.engine.network import Network
from headwater.model.errors import Temporary
from headwater.model.work import Job
from headwater.worker.loops import GRACE, give_back, step, wait_out

DESK_SECONDS = 30.0
# Longer, because towards its end connections stand idle.
NETWORK_SECONDS = 120.0
SHORT_REST = 0.02


def desk_shift(desk: Desk, job: Job, stop: Callable[[], bool], seconds: float = DESK_SECONDS) -> int:
    """Gives how many records were handled. Trouble with the ground (database, archive) is waited out as long as the
    shift lasts, then raised."""
    engine, until, total = Engine(desk), time.monotonic() + seconds, 0
    troubled = False
    while True:
        try:
            if troubled:  # between two batches a desk holds nothing: what is leased was left by the trouble
                desk.store.release([desk.owner], counts=False)
            handled = engine.run(job)
            troubled = False
        except Temporary as trouble:
            if stop() or time.monotonic() > until:
                give_back(desk)
                raise
            wait_out(desk, trouble)
            troubled = True
            continue
        total += handled
        if not handled or stop() or time.monotonic() > until:
            return total


def network_shift(network: Network, stop: Callable[[], bool], seconds: float = NETWORK_SECONDS) -> int:
    """Gives how many records were handled. What is under way when the time is up comes to its end; what is under way
    when the worker is to stop has a little time for it, and is given back."""
    until, total = time.monotonic() + seconds, 0
    stopped_at: float | None = None
    while True:
        if stopped_at is None and stop():
            stopped_at = time.monotonic()
        claiming = stopped_at is None and time.monotonic() < until
        handled = step(network, claiming=claiming)
        total += handled
        if not network.waiting and not network.uncommitted and not (claiming and handled):
            return total
        if stopped_at is not None and time.monotonic() > stopped_at + GRACE:
            give_back(network.desk)
            return total
        if not handled and not network.waiting:
            time.sleep(SHORT_REST)
