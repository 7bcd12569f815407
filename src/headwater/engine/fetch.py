"""Leads to captures: ask, archive the bytes, then commit that they are there."""

from dataclasses import replace
from datetime import timedelta

from structlog.typing import FilteringBoundLogger

from headwater.engine.alone import commit_apart, explain
from headwater.engine.captures import capture_of
from headwater.engine.desk import Desk
from headwater.model.capture import Capture
from headwater.model.lead import StoredLead
from headwater.model.web import Failure, Request, Response
from headwater.model.work import Fetched, Job, Later, Quarantined
from headwater.pure.marking import of_fetched
from headwater.pure.responses import GiveUp, Retry, Unchanged, conditional, fresh_until, judge

# Answers that asking again would only repeat; the lead ends with its reason.
DEAD_ENDS = frozenset(
    {"http_401", "http_402", "http_404", "http_410", "http_451", "robots", "reserved", "forbidden_address"}
)

# What a fetcher without a browser says to a wish for one.
NO_BROWSER = "js_required"

# What did not come in the usual time gets twice as much when it is tried again.
LONGER = timedelta(minutes=6)


class Fetches:
    """The fetches of one recipe that are under way."""

    def __init__(self, desk: Desk, job: Job) -> None:
        assert desk.fetcher is not None
        self.desk, self.job, self.fetcher = desk, job, desk.fetcher
        self.prefix = f"fetch:{job.recipe}"
        self.leads: dict[str, StoredLead] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.ended: list[Fetched] = []

    @property
    def waiting(self) -> int:
        return len(self.leads)

    def claim(self, limit: int) -> None:
        for stored in self.desk.store.claim_leads(self.desk.claim(self.job, limit)):
            if stored.id in self.leads:  # its lease ran out while it was under way, and now it is ours again
                continue
            if stored.attempts > self.desk.patience.deaths:
                apart = Quarantined(
                    reason="worker_died", detail=f"its worker died {stored.attempts - 1} times"
                )
                self.ended.append(Fetched(lead=stored.id, version=stored.lead.version, result=apart))
                continue
            self.leads[stored.id] = stored
            # What a browser shows may differ although the page that it starts from is the same.
            headers = {} if stored.render else conditional(stored.etag, stored.last_modified)
            patience = LONGER if stored.attempts > 1 else None
            request = Request(url=stored.lead.url, headers=headers, timeout=patience, render=stored.render)
            self.fetcher.submit(f"{self.prefix}/{stored.id}", request)

    def hear(self, key: str, answer: Response | Failure) -> None:
        stored = self.leads.pop(key, None)
        if stored is not None:  # else an answer to somebody who is no more
            self.ended.append(self._decide(stored, answer))

    def _decide(self, stored: StoredLead, answer: Response | Failure) -> Fetched:
        now = self.desk.clock()
        verdict = judge(answer, attempts=stored.attempts - 1, now=now)
        nothing = Fetched(lead=stored.id, version=stored.lead.version, rendered=stored.render, result=None)
        if isinstance(verdict, Retry):
            seconds = verdict.delay.total_seconds()
            self._log(stored).info("postponed", reason=verdict.reason, seconds=seconds)
            return replace(
                nothing, result=Later(at=now + verdict.delay, reason=verdict.reason, counts=verdict.counted)
            )
        if isinstance(verdict, GiveUp):
            self._log(stored).warning("not fetched", reason=verdict.reason)
            if stored.render and verdict.reason == NO_BROWSER:
                return nothing  # its document is set aside already, for this very reason
            if verdict.gone or verdict.reason in DEAD_ENDS:
                return replace(nothing, dropped=verdict.reason)
            detail = answer.detail if isinstance(answer, Failure) else f"after {stored.attempts} attempts"
            return replace(nothing, result=Quarantined(reason=verdict.reason, detail=detail))
        assert isinstance(answer, Response)
        nothing = replace(nothing, fresh_until=fresh_until(answer.headers, now), moved_to=verdict.moved)
        if isinstance(verdict, Unchanged):
            return nothing
        capture = capture_of(answer, asked=stored.lead.url, owner=stored.id, lead=stored.id, now=now)
        if capture.sha256 == stored.sha256:
            return nothing
        self.bodies.append((capture, answer.body))
        return Fetched(
            lead=stored.id,
            version=stored.lead.version,
            rendered=stored.render,
            result=capture,
            moved_to=verdict.moved,
            fresh_until=nothing.fresh_until,
        )

    def _log(self, stored: StoredLead) -> FilteringBoundLogger:
        return self.desk.log.bind(recipe=self.job.recipe, job="fetch", key=stored.id)

    def commit(self) -> int:
        """The bytes first, then the rows that speak of them: bytes without a row are harmless, not the reverse."""
        if not self.ended:
            return 0
        stored = {capture.id: capture for capture in self.desk.archive.put(self.bodies)}
        results = [
            replace(ended, result=stored[ended.result.id]) if isinstance(ended.result, Capture) else ended
            for ended in self.ended
        ]
        commit_apart(
            lambda some: self.desk.store.finish_fetch(some, self.desk.owner, self.desk.clock()),
            results,
            _unfit,
        )
        self.desk.tell(self.job.recipe, of_fetched(results))
        count = len(self.ended)
        self.bodies, self.ended = [], []
        return count


def _unfit(fetched: Fetched, error: Exception) -> Fetched:
    reason, detail = explain(error)
    return Fetched(
        lead=fetched.lead, version=fetched.version, result=Quarantined(reason=reason, detail=detail)
    )
