"""Leads to captures: ask, archive the bytes, then commit that they are there."""

from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.fingerprints import fingerprints_of_fetches
from headwater.engine.isolation import bisect_commit, error_reason
from headwater.fetch.responses import (
    GiveUp,
    Retry,
    Unchanged,
    conditional_headers,
    fresh_until,
    judge_response,
)
from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.jobs import FetchResult, Job, Postponement, Quarantine
from headwater.model.keys import capture_key
from headwater.model.source import StoredLead


def make_capture(response: Response, *, asked: str, owner: str, lead: str, now: datetime) -> Capture:
    """The record of an answer; its key depends on who asked and on the bytes, so that the same answer gives it again."""
    digest = sha256(response.body).hexdigest()
    return Capture(
        id=capture_key(owner, digest),
        lead=lead,
        url=asked,
        final_url=response.url,
        status=response.status,
        headers=response.headers,
        media_type=response.media_type,
        sha256=digest,
        size=len(response.body),
        fetched_at=now,
        elapsed_ms=response.elapsed_ms,
        policy=response.policy,
    )


# Answers that asking again would only repeat; the lead ends with its reason.
DEAD_ENDS = frozenset(
    {"http_401", "http_402", "http_404", "http_410", "http_451", "robots", "reserved", "forbidden_address"}
)

# What a fetcher without a browser says to a wish for one.
NO_BROWSER = "js_required"

# What did not come in the usual time gets twice as much when it is tried again.
RETRY_TIMEOUT = timedelta(minutes=6)


class RecipeFetches:
    """The fetches of one recipe that are under way."""

    def __init__(self, context: JobContext, job: Job) -> None:
        assert context.fetcher is not None
        self.context, self.job, self.fetcher = context, job, context.fetcher
        self.prefix = f"fetch:{job.recipe}"
        self.leads: dict[str, StoredLead] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.ended: list[FetchResult] = []

    @property
    def waiting(self) -> int:
        return len(self.leads)

    def claim(self, limit: int) -> None:
        for stored in self.context.store.claim_leads(self.context.claim(self.job, limit)):
            if stored.id in self.leads:  # its lease ran out while it was under way, and now it is ours again
                continue
            if stored.attempts > self.context.retry_policy.max_worker_deaths:
                apart = Quarantine(
                    reason="worker_died", detail=f"its worker died {stored.attempts - 1} times"
                )
                self.ended.append(FetchResult(lead=stored.id, version=stored.lead.version, result=apart))
                continue
            self.leads[stored.id] = stored
            # What a browser shows may differ although the page that it starts from is the same.
            headers = {} if stored.render else conditional_headers(stored.etag, stored.last_modified)
            retry_policy = RETRY_TIMEOUT if stored.attempts > 1 else None
            request = Request(
                url=stored.lead.url, headers=headers, timeout=retry_policy, render=stored.render
            )
            self.fetcher.submit(f"{self.prefix}/{stored.id}", request)

    def handle_answer(self, key: str, answer: Response | Failure) -> None:
        stored = self.leads.pop(key, None)
        if stored is not None:  # else an answer to somebody who is no more
            self.ended.append(self._decide(stored, answer))

    def _decide(self, stored: StoredLead, answer: Response | Failure) -> FetchResult:
        now = self.context.clock()
        verdict = judge_response(answer, attempts=stored.attempts - 1, now=now)
        nothing = FetchResult(
            lead=stored.id, version=stored.lead.version, rendered=stored.render, result=None
        )
        if isinstance(verdict, Retry):
            seconds = verdict.delay.total_seconds()
            self._log(stored).info("postponed", reason=verdict.reason, seconds=seconds)
            return replace(
                nothing,
                result=Postponement(at=now + verdict.delay, reason=verdict.reason, counts=verdict.counted),
            )
        if isinstance(verdict, GiveUp):
            self._log(stored).warning("not fetched", reason=verdict.reason)
            if stored.render and verdict.reason == NO_BROWSER:
                return nothing  # its document is set aside already, for this very reason
            if verdict.gone or verdict.reason in DEAD_ENDS:
                return replace(nothing, dropped=verdict.reason)
            detail = answer.detail if isinstance(answer, Failure) else f"after {stored.attempts} attempts"
            return replace(nothing, result=Quarantine(reason=verdict.reason, detail=detail))
        assert isinstance(answer, Response)
        nothing = replace(nothing, fresh_until=fresh_until(answer.headers, now), moved_to=verdict.moved)
        if isinstance(verdict, Unchanged):
            return nothing
        capture = make_capture(answer, asked=stored.lead.url, owner=stored.id, lead=stored.id, now=now)
        if capture.sha256 == stored.sha256:
            return nothing
        self.bodies.append((capture, answer.body))
        return FetchResult(
            lead=stored.id,
            version=stored.lead.version,
            rendered=stored.render,
            result=capture,
            moved_to=verdict.moved,
            fresh_until=nothing.fresh_until,
        )

    def _log(self, stored: StoredLead) -> FilteringBoundLogger:
        return self.context.log.bind(recipe=self.job.recipe, job="fetch", key=stored.id)

    def commit(self) -> int:
        """The bytes first, then the rows that speak of them: bytes without a row are harmless, not the reverse."""
        if not self.ended:
            return 0
        stored = {capture.id: capture for capture in self.context.archive.put(self.bodies)}
        results = [
            replace(ended, result=stored[ended.result.id]) if isinstance(ended.result, Capture) else ended
            for ended in self.ended
        ]
        bisect_commit(
            lambda some: self.context.store.finish_fetch(some, self.context.owner, self.context.clock()),
            results,
            _unfit,
        )
        self.context.on_commit(self.job.recipe, fingerprints_of_fetches(results))
        count = len(self.ended)
        self.bodies, self.ended = [], []
        return count


def _unfit(fetched: FetchResult, error: Exception) -> FetchResult:
    reason, detail = error_reason(error)
    return FetchResult(
        lead=fetched.lead, version=fetched.version, result=Quarantine(reason=reason, detail=detail)
    )
