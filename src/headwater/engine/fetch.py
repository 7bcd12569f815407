"""Leads to captures: send the request, archive the bytes, then commit that they are there."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from structlog.contextvars import bind_contextvars, bound_contextvars
from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.fingerprints import fingerprints_of_fetches
from headwater.engine.isolation import bisect_commit, error_reason
from headwater.engine.page_decision import DEAD_ENDS, is_stored_meanwhile, stands_alone
from headwater.engine.same_page import (
    copied_capture,
    is_reusable,
    unchanged_capture,
    validator_headers,
    wait_for_other,
    with_same_bytes,
)
from headwater.fetch.responses import (
    GiveUp,
    Retry,
    Unchanged,
    fresh_until,
    judge_response,
)
from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.jobs import FetchResult, Job, Postponement, Quarantine
from headwater.model.keys import capture_key
from headwater.model.page import PageMode
from headwater.model.recipe import Recipe
from headwater.model.source import StoredLead

# The reason of a lead whose source does not want its pages to be requested.
NOT_FETCHED = "not_fetched"

# The answer of a fetcher without a browser to a request that needs one.
NO_BROWSER = "js_required"

# A request that timed out gets twice the usual time when it is tried again.
RETRY_TIMEOUT = timedelta(minutes=6)


def make_capture(response: Response, *, requested_url: str, owner: str, lead: str, now: datetime) -> Capture:
    """Returns the record of a response. Its key depends on the owner and the bytes, so the same response has the same key."""
    digest = sha256(response.body).hexdigest()
    return Capture(
        id=capture_key(owner, digest),
        lead=lead,
        url=requested_url,
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


class RecipeFetches:
    """The running fetches of one recipe."""

    def __init__(self, context: JobContext, job: Job) -> None:
        assert context.fetcher is not None
        self.context, self.job, self.fetcher = context, job, context.fetcher
        self.recipe: Recipe = context.recipe(job)
        self.prefix = f"fetch:{job.recipe}"
        self.leads: dict[str, StoredLead] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.results: list[FetchResult] = []

    @property
    def waiting_count(self) -> int:
        return len(self.leads)

    def claim(self, limit: int) -> None:
        claimed_leads = self.context.store.claim_leads(self.context.claim(self.job, limit))
        requested_leads: list[StoredLead] = []
        # If its lease ran out and was claimed by this worker again, it is being fetched.
        for stored in self._with_sound_captures([s for s in claimed_leads if s.id not in self.leads]):
            result = self._result_without_request(stored)
            if result is None:
                requested_leads.append(stored)
            else:
                self.results.append(result)
        self._submit(requested_leads)

    def _submit(self, requested_leads: Sequence[StoredLead]) -> None:
        """What the fetcher logs about a request names its lead."""
        with bound_contextvars(recipe=self.job.recipe, job=self.job.task.value, key=""):
            for stored in requested_leads:
                bind_contextvars(key=stored.id)
                self.leads[stored.id] = stored
                self.fetcher.submit(f"{self.prefix}/{stored.id}", _request(stored))

    def _with_sound_captures(self, claimed_leads: Sequence[StoredLead]) -> list[StoredLead]:
        """Forgets the captures of other leads whose bytes are missing or damaged."""
        others = [stored.same_page for stored in claimed_leads if stored.same_page is not None]
        sound = self.context.archive.get(others).keys() if others else ()
        return [
            stored
            if stored.same_page is None or stored.same_page.sha256 in sound
            else replace(stored, same_page=None)
            for stored in claimed_leads
        ]

    def _result_without_request(self, stored: StoredLead) -> FetchResult | None:
        now = self.context.clock()
        if self._mode(stored) is PageMode.NEVER:
            return self._end(stored, _nothing_new(stored), NOT_FETCHED)
        if death := self.context.worker_death(stored.attempts):
            return self._end(stored, _nothing_new(stored), death.reason, death.detail)
        if stored.same_page is not None and is_reusable(stored, now):
            return self._reuse(stored, _nothing_new(stored), stored.same_page)
        if stored.is_in_flight:
            return replace(_nothing_new(stored), result=wait_for_other(now))
        return None

    def _reuse(self, stored: StoredLead, nothing_new: FetchResult, other: Capture) -> FetchResult:
        """Another lead has the page: this one gets a capture of its own, with the same bytes."""
        if other.sha256 == stored.sha256:
            return self._end_unchanged(stored, nothing_new)
        self._log(stored).info("reused", capture=other.id)
        return replace(
            nothing_new,
            result=copied_capture(other, stored.id),
            fresh_until=nothing_new.fresh_until or fresh_until(other.headers, other.fetched_at),
        )

    def handle_answer(self, key: str, answer: Response | Failure) -> None:
        stored = self.leads.pop(key, None)
        if stored is not None:  # otherwise the fetch has ended
            self.results.append(self._decide(stored, answer))

    def _decide(self, stored: StoredLead, answer: Response | Failure) -> FetchResult:
        now = self.context.clock()
        verdict = judge_response(answer, attempts=stored.attempts - 1, now=now)
        nothing_new = _nothing_new(stored)
        if isinstance(verdict, Retry):
            return self._postpone(stored, nothing_new, verdict, now)
        if isinstance(verdict, GiveUp):
            return self._give_up(stored, nothing_new, verdict, answer)
        assert isinstance(answer, Response)
        nothing_new = replace(
            nothing_new, fresh_until=fresh_until(answer.headers, now), moved_to=verdict.moved_to
        )
        if isinstance(verdict, Unchanged):
            other = unchanged_capture(stored)
            if other is not None:
                return self._reuse(stored, nothing_new, other)
            return self._end_unchanged(stored, nothing_new)
        url = stored.lead.url
        capture = make_capture(answer, requested_url=url, owner=stored.id, lead=stored.id, now=now)
        if capture.sha256 == stored.sha256:
            return self._end_unchanged(stored, nothing_new)
        self._log(stored).info("fetched", status=answer.status, bytes=len(answer.body))
        if stored.same_page is not None and stored.same_page.sha256 == capture.sha256:
            return replace(nothing_new, result=with_same_bytes(capture, stored.same_page))
        self.bodies.append((capture, answer.body))
        return replace(nothing_new, result=capture)

    def _postpone(
        self, stored: StoredLead, nothing_new: FetchResult, verdict: Retry, now: datetime
    ) -> FetchResult:
        """Requests the page again later. What the source provided is not held back by a page that may never come."""
        self._log(stored).info("postponed", reason=verdict.reason, seconds=verdict.delay.total_seconds())
        retry = Postponement(at=now + verdict.delay, reason=verdict.reason, counts=verdict.counts_attempt)
        is_stored = verdict.counts_attempt and is_stored_meanwhile(
            stored.lead, self._mode(stored), verdict.reason, verdict.delay
        )
        return replace(nothing_new, result=retry, no_page=verdict.reason if is_stored else None)

    def _give_up(
        self, stored: StoredLead, nothing_new: FetchResult, verdict: GiveUp, answer: Response | Failure
    ) -> FetchResult:
        self._log(stored).warning("not fetched", reason=verdict.reason)
        detail = answer.detail if isinstance(answer, Failure) else f"after {stored.attempts} attempts"
        return self._end(stored, nothing_new, verdict.reason, detail)

    def _end(
        self, stored: StoredLead, nothing_new: FetchResult, reason: str, detail: str = ""
    ) -> FetchResult:
        """Ends a fetch without a page: with what the source provided, or with the reason."""
        has_no_browser = stored.render and reason == NO_BROWSER
        if stands_alone(stored.lead, self._mode(stored)):
            return replace(nothing_new, no_page=(stored.render_reason if has_no_browser else None) or reason)
        if has_no_browser:
            return nothing_new  # its document is set aside already, for this very reason
        if reason in DEAD_ENDS or reason == NOT_FETCHED:
            return replace(nothing_new, drop_reason=reason)
        return replace(nothing_new, result=Quarantine(reason=reason, detail=detail))

    def _end_unchanged(self, stored: StoredLead, nothing_new: FetchResult) -> FetchResult:
        """The page is as it was. If it was rendered because it had no text, it has none in a browser either."""
        if stored.render and stands_alone(stored.lead, self._mode(stored)):
            return replace(nothing_new, no_page=stored.page_reason or stored.render_reason or NO_BROWSER)
        return nothing_new

    def _mode(self, stored: StoredLead) -> PageMode:
        return self.recipe.page_mode(stored.source_kind, stored.pages)

    def _log(self, stored: StoredLead) -> FilteringBoundLogger:
        return self.context.log.bind(recipe=self.job.recipe, job="fetch", key=stored.id)

    def commit(self) -> int:
        """Writes the bytes first, then the rows that refer to them: bytes without a row are harmless, not the reverse."""
        if not self.results:
            return 0
        archived = {capture.id: capture for capture in self.context.archive.put(self.bodies)}
        results = [
            replace(result, result=archived.get(result.result.id, result.result))
            if isinstance(result.result, Capture)
            else result
            for result in self.results
        ]
        bisect_commit(
            lambda batch: self.context.store.finish_fetch(batch, self.context.owner, self.context.clock()),
            results,
            _replace_unstorable,
        )
        self.context.on_commit(self.job.recipe, fingerprints_of_fetches(results))
        self.bodies, self.results = [], []
        return len(results)


def _nothing_new(stored: StoredLead) -> FetchResult:
    return FetchResult(lead=stored.id, version=stored.lead.version, was_rendered=stored.render, result=None)


def _request(stored: StoredLead) -> Request:
    timeout = RETRY_TIMEOUT if stored.attempts > 1 else None
    return Request(
        url=stored.lead.url, headers=validator_headers(stored), timeout=timeout, render=stored.render
    )


def _replace_unstorable(result: FetchResult, error: Exception) -> FetchResult:
    reason, detail = error_reason(error)
    quarantine = Quarantine(reason=reason, detail=detail)
    return FetchResult(lead=result.lead, version=result.version, result=quarantine)
