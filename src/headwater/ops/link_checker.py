"""Asking links how they are: each once, politely, and everything found out is stored before the next batch begins."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from secrets import token_hex

from headwater.documents.link_health import (
    CheckResult,
    LinkAlert,
    LinkCheck,
    LinkPriority,
    LinkRecord,
    is_own_network_down,
    judge_check,
    needs_get,
    update_health,
)
from headwater.model.http import Failure, Request, Response
from headwater.model.ports import Clock, Fetcher
from headwater.store.admin.link_health import DueLink, LinkHealthStore

BATCH = 100
REQUEST_TIMEOUT = timedelta(seconds=30)
BATCH_TIMEOUT = timedelta(minutes=8)  # shorter than a lease: nobody else asks the same links meanwhile
LONGEST_WAIT = timedelta(minutes=1)
TICK = timedelta(seconds=0.2)


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A link after a look, and what people should be told about it."""

    link: DueLink
    health: LinkRecord
    alerts: tuple[LinkAlert, ...] = ()


@dataclass(frozen=True)
class LinkChecker:
    links: LinkHealthStore
    fetcher: Fetcher
    clock: Clock
    batch_timeout: timedelta = BATCH_TIMEOUT
    owner: str = field(default_factory=lambda: f"links-{os.getpid()}-{token_hex(4)}")

    def check(self, recipe: str, priority: LinkPriority | None = None) -> Iterator[LinkResult]:
        """Look at every link whose turn it is. What was not answered stays due."""
        try:
            while batch := self.links.claim(recipe, self.owner, self.clock(), priority=priority, limit=BATCH):
                looks = self._own_faults_excused(batch, self._ask(batch))
                checked = list(self._decided(batch, looks))
                self.links.finish([(one.link.id, one.health) for one in checked], self.owner)
                yield from checked
                if len(looks) < len(batch):
                    return
        finally:
            self.links.release(self.owner)

    def _decided(self, batch: Sequence[DueLink], looks: Mapping[str, LinkCheck]) -> Iterator[LinkResult]:
        now = self.clock()
        for link in batch:
            if link.id in looks:
                yield LinkResult(link, *update_health(link.health, looks[link.id], now))

    def _own_faults_excused(
        self, batch: Sequence[DueLink], looks: Mapping[str, LinkCheck]
    ) -> Mapping[str, LinkCheck]:
        if not is_own_network_down((link.url, looks[link.id]) for link in batch if link.id in looks):
            return looks
        return {
            id_: replace(look, result=CheckResult.UNKNOWN, reason="own_network")
            for id_, look in looks.items()
        }

    def _ask(self, batch: Sequence[DueLink]) -> Mapping[str, LinkCheck]:
        """HEAD first, GET where that proves nothing. A host that wants a pause gets it."""
        asking = {link.id: Request(url=link.url, method="HEAD", timeout=REQUEST_TIMEOUT) for link in batch}
        for id_, request in asking.items():
            self.fetcher.submit(id_, request)
        looks: dict[str, LinkCheck] = {}
        later: dict[str, float] = {}
        until = time.monotonic() + self.batch_timeout.total_seconds()
        while len(looks) < len(batch) and time.monotonic() < until:
            for id_ in [id_ for id_, when in later.items() if when <= time.monotonic()]:
                del later[id_]
                self.fetcher.submit(id_, asking[id_])
            if len(later) + len(looks) == len(batch):
                time.sleep(TICK.total_seconds())
            for id_, answer in self.fetcher.collect(BATCH, TICK):
                again = _again(asking[id_], answer)
                if again is None:
                    looks[id_] = judge_check(answer, self.clock())
                else:
                    asking[id_], pause = again
                    later[id_] = time.monotonic() + pause
        return looks


def _again(request: Request, answer: Response | Failure) -> tuple[Request, float] | None:
    """What to ask next, and after how many seconds; None when this answer is the one."""
    if isinstance(answer, Failure) and answer.reason == "rate_limited":
        wait = answer.delay or TICK
        return (request, wait.total_seconds()) if wait <= LONGEST_WAIT else None
    if request.method == "HEAD" and needs_get(answer):
        return replace(request, method="GET"), 0.0
    return None
