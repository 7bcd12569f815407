"""Checks links in batches, within the politeness rules; each batch is stored before the next begins."""

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
    judge_check,
    needs_get,
    update_health,
)
from headwater.fetch.outage import is_none_reached
from headwater.model.http import RATE_LIMITED, Failure, Request, Response
from headwater.model.ports import Clock, Fetcher
from headwater.store.changes.link_health import DueLink, LinkHealthStore
from headwater.text.urls import host_of

BATCH = 100
REQUEST_TIMEOUT = timedelta(seconds=30)
BATCH_TIMEOUT = timedelta(
    minutes=8
)  # shorter than a lease, so that no one else checks the same links meanwhile
LONGEST_WAIT = timedelta(minutes=1)
TICK = timedelta(seconds=0.2)


@dataclass(frozen=True, slots=True)
class LinkResult:
    """A link after a check, and the alerts to raise."""

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
        """Check every link that is due. Links without an answer stay due."""
        try:
            while batch := self.links.claim(recipe, self.owner, self.clock(), priority=priority, limit=BATCH):
                checks = self._own_faults_excused(batch, self._ask(batch))
                checked = list(self._decided(batch, checks))
                self.links.finish([(one.link.id, one.health) for one in checked], self.owner)
                yield from checked
                if len(checks) < len(batch):
                    return
        finally:
            self.links.release(self.owner)

    def _decided(self, batch: Sequence[DueLink], checks: Mapping[str, LinkCheck]) -> Iterator[LinkResult]:
        now = self.clock()
        for link in batch:
            if link.id in checks:
                yield LinkResult(link, *update_health(link.health, checks[link.id], now))

    def _own_faults_excused(
        self, batch: Sequence[DueLink], checks: Mapping[str, LinkCheck]
    ) -> Mapping[str, LinkCheck]:
        if not is_none_reached(
            (host_of(link.url), checks[link.id].reason) for link in batch if link.id in checks
        ):
            return checks
        return {
            link_id: replace(check_result, result=CheckResult.UNKNOWN, reason="own_network")
            for link_id, check_result in checks.items()
        }

    def _ask(self, batch: Sequence[DueLink]) -> Mapping[str, LinkCheck]:
        """HEAD first, and GET if that is inconclusive. A host that asks for a pause gets it."""
        requests = {link.id: Request(url=link.url, method="HEAD", timeout=REQUEST_TIMEOUT) for link in batch}
        for link_id, request in requests.items():
            self.fetcher.submit(link_id, request)
        checks: dict[str, LinkCheck] = {}
        retry_at: dict[str, float] = {}
        deadline = time.monotonic() + self.batch_timeout.total_seconds()
        while len(checks) < len(batch) and time.monotonic() < deadline:
            for link_id in [
                link_id for link_id, time_due in retry_at.items() if time_due <= time.monotonic()
            ]:
                del retry_at[link_id]
                self.fetcher.submit(link_id, requests[link_id])
            if len(retry_at) + len(checks) == len(batch):
                time.sleep(TICK.total_seconds())
            for link_id, answer in self.fetcher.collect(BATCH, TICK):
                retry = _again(requests[link_id], answer)
                if retry is None:
                    checks[link_id] = judge_check(answer, self.clock())
                else:
                    requests[link_id], pause = retry
                    retry_at[link_id] = time.monotonic() + pause
        return checks


def _again(request: Request, answer: Response | Failure) -> tuple[Request, float] | None:
    """The next request and the delay before it in seconds; None if the answer is final."""
    if isinstance(answer, Failure) and answer.reason == RATE_LIMITED:
        wait = answer.delay or TICK
        return (request, wait.total_seconds()) if wait <= LONGEST_WAIT else None
    if request.method == "HEAD" and needs_get(answer):
        return replace(request, method="GET"), 0.0
    return None
