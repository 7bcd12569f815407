"""Sources to leads: each poll is a session without I/O of its own; the engine sends its requests and passes the answers."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from structlog.contextvars import bound_contextvars
from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.fetch import make_capture
from headwater.engine.fingerprints import fingerprints_of_leads, fingerprints_of_polls
from headwater.engine.isolation import bisect_commit, error_reason
from headwater.fetch.responses import HELD_BACK, GiveUp, Proceed, Retry, freshness, judge_response
from headwater.fetch.source_secrets import (
    hide_address_secrets,
    hide_secret_values,
    hide_source_secrets,
    may_move,
    resolve_request,
)
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.jobs import Job, PollResult, SourceLease
from headwater.model.keys import document_key, lead_key
from headwater.model.recipe import Discovery, LeadBatch, Parse, PollSession, Recipe
from headwater.model.schedule import (
    FAILURES_UNTIL_STOP,
    MAX_BACKOFF,
    STOPPED_RETRY,
    effective_trigger,
    freshness_delay,
    has_own_interval,
    next_poll_at,
    source_backoff,
)
from headwater.model.source import Lead, StoredLead
from headwater.text.urls import canonical_url

SHORT_WAIT = timedelta(seconds=20)  # a shorter wait is spent in memory, a longer one in the row


@dataclass
class Poll:
    """One running poll of one source. `sent` is the request with the secrets that it refers to; it is never stored."""

    source_lease: SourceLease
    session: PollSession
    request: Request | None = None
    sent: Request | None = field(default=None, repr=False)
    bodies: list[tuple[Capture, bytes]] = field(default_factory=list)
    archived_captures: list[Capture] = field(default_factory=list)
    status: int | None = None
    elapsed_ms: int = 0
    moved_to: str | None = None
    fresh_for: timedelta | None = None
    attempts: int = 0
    retry_at: datetime | None = None

    def captures(self) -> tuple[Capture, ...]:
        """Returns the captures that are not archived yet, after the last one that is."""
        return (*self.archived_captures[-1:], *(capture for capture, _ in self.bodies))


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPollOutcome:
    """What a failed poll means for its source."""

    due_at: datetime | None
    failures: int
    active: bool = True
    stop_reason: str | None = None


class RecipePolls:
    """The running polls of one recipe."""

    def __init__(self, context: JobContext, job: Job) -> None:
        assert context.fetcher is not None
        self.context, self.job, self.fetcher = context, job, context.fetcher
        self.recipe: Recipe = context.recipe(job)
        self.prefix = f"poll:{job.recipe}"
        self.polls: dict[str, Poll] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.results: list[PollResult] = []
        self.failures: dict[str, int] = {}

    @property
    def waiting_count(self) -> int:
        return len(self.polls)

    def claim(self, limit: int) -> None:
        for lease in self.context.store.claim_sources(self.context.claim(self.job, limit)):
            self._start(lease)

    def _start(self, lease: SourceLease) -> None:
        source = lease.source
        self.failures[source.id] = source.failures
        if running := self.polls.get(source.id):  # its lease ran out and was claimed by this worker again
            running.source_lease = lease
        elif death := self.context.worker_death(lease.attempts):
            self._fail(lease, death)
        elif source.kind not in self.recipe.discover:
            unknown = f"the recipe cannot read sources of kind '{source.kind}'"
            self._fail(lease, Permanent("unknown_kind", unknown))
        else:
            poll = Poll(lease, self.recipe.discover[source.kind](source, self.context.clock()))
            self.polls[source.id] = poll
            self._advance(poll, None)

    def handle_answer(self, key: str, answer: Response | Failure) -> None:
        poll = self.polls.get(key)
        if poll is None or poll.request is None or poll.sent is None:
            return None  # the poll that sent the request has ended
        request, now = poll.request, self.context.clock()
        answer = hide_secret_values(answer, request, poll.sent)
        verdict = judge_response(
            answer, attempts=poll.attempts, now=now, purpose=request.purpose, accept=request.accept
        )
        poll.attempts += not isinstance(verdict, Retry) or verdict.counts_attempt
        if isinstance(answer, Response):
            poll.status = answer.status
            poll.elapsed_ms += answer.elapsed_ms
        if isinstance(verdict, Retry) and verdict.delay <= SHORT_WAIT:
            poll.retry_at = now + verdict.delay
            return None
        if isinstance(verdict, Retry):
            postponed = Temporary(verdict.reason, delay=verdict.delay, counts=verdict.counts_attempt)
            return self._advance(poll, postponed)
        if isinstance(verdict, GiveUp):
            detail = answer.detail if isinstance(answer, Failure) else f"status {answer.status}"
            return self._advance(poll, Permanent("gone" if verdict.is_gone else verdict.reason, detail))
        assert isinstance(answer, Response)
        if request.url == poll.source_lease.source.url:
            poll.moved_to = verdict.moved_to
            poll.fresh_for = freshness(answer.headers, now)
        if isinstance(verdict, Proceed):
            self._capture(poll, request, answer)
        return self._advance(poll, answer)

    def resubmit_due(self) -> None:
        """Sends the requests again whose short wait is over."""
        now = self.context.clock()
        for poll in self.polls.values():
            if poll.retry_at is not None and poll.retry_at <= now and poll.sent is not None:
                poll.retry_at = None
                self._submit(poll, poll.sent)

    def _submit(self, poll: Poll, sent: Request) -> None:
        source = poll.source_lease.source
        with bound_contextvars(recipe=source.recipe, job="poll", key=source.id):
            self.fetcher.submit(f"{self.prefix}/{source.id}", sent)

    def _capture(self, poll: Poll, request: Request, response: Response) -> None:
        source, now = poll.source_lease.source, self.context.clock()
        capture = make_capture(response, requested_url=request.url, owner=source.id, lead="", now=now)
        poll.bodies.append((hide_source_secrets(capture, source), response.body))

    def _advance(self, poll: Poll, answer: Response | HeadwaterError | None) -> None:
        """Any error of the session, and any lead that cannot be stored, becomes a failure of the source."""
        try:
            self._run_session(poll, answer)
        except Exception as error:  # noqa: BLE001 - as the docstring says
            self._fail(poll.source_lease, error, poll)

    def _run_session(self, poll: Poll, answer: Any) -> None:
        """Runs the session until it makes a request or ends."""
        session = poll.session
        try:
            while True:
                item = session.throw(answer) if isinstance(answer, HeadwaterError) else session.send(answer)
                if isinstance(item, Request):
                    poll.sent = resolve_request(item, poll.source_lease.source)
                    poll.request, poll.attempts = item, 0
                    self._submit(poll, poll.sent)
                    return
                if isinstance(item, Parse):
                    answer = self._parse(item)
                else:
                    answer = None
                    self._store_leads(poll, item)
        except StopIteration as end:
            self._succeed(poll, end.value)

    def _parse(self, parse: Parse) -> Any:
        try:
            return self.context.parse(parse)
        except HeadwaterError as error:  # raised into the session, like a request that failed
            return error

    def _store_leads(self, poll: Poll, batch: LeadBatch) -> None:
        leads = self._stored_leads(poll, batch.leads)
        try:
            # The next leads may come from the last capture too, so that one stays in memory.
            poll.archived_captures = [*poll.archived_captures[-1:], *self.context.archive.put(poll.bodies)]
            self.context.store.add_leads(
                poll.source_lease, leads, poll.archived_captures, self.context.clock()
            )
        except Temporary as error:  # a failure of our own store or archive: the source is not blamed
            delay = source_backoff(1)
            raise Temporary(error.reason, error.detail, delay=delay, counts=False) from error
        poll.bodies = []
        fingerprints = fingerprints_of_leads(leads, poll.archived_captures, self.recipe.canonical)
        self.context.on_commit(self.recipe.name, fingerprints)

    def _stored_leads(self, poll: Poll, leads: tuple[Lead, ...]) -> tuple[StoredLead, ...]:
        source, recipe = poll.source_lease.source, self.recipe
        normalize = recipe.canonical or canonical_url
        return tuple(
            StoredLead(
                id=lead_key(recipe.name, source.id, lead.identity),
                recipe=recipe.name,
                source=source.id,
                document=document_key(
                    recipe.name, normalize(lead.url) if lead.url else f"{source.id}#{lead.identity}"
                ),
                lead=lead,
            )
            for lead in leads
        )

    def _succeed(self, poll: Poll, discovery: Discovery) -> None:
        source, now = poll.source_lease.source, self.context.clock()
        self.polls.pop(source.id, None)
        self.bodies.extend(poll.bodies)
        default = self.recipe.triggers.get(source.kind, self.recipe.trigger)
        trigger = effective_trigger(source.trigger, default, source.options)
        fresh_for = None if has_own_interval(source.trigger, source.options) else poll.fresh_for
        after = max(discovery.after or timedelta(0), freshness_delay(fresh_for, trigger))
        due_at = next_poll_at(trigger, now, after, discovery.again, discovery.within)
        log = self._log(poll.source_lease)
        moved_to = discovery.moved_to or poll.moved_to
        log.info("polled", found=len(discovery.leads), warnings=list(discovery.warnings))
        self.results.append(
            PollResult(
                source=source.id,
                poll_id=poll.source_lease.poll_id,
                leads=self._stored_leads(poll, discovery.leads),
                captures=poll.captures(),
                bars=discovery.bars,
                observations=discovery.observations,
                watermark=discovery.watermark,
                due_at=None if discovery.is_gone else due_at,
                continues=discovery.again is not None,
                active=not discovery.is_gone,
                moved_to=moved_to if moved_to and may_move(source, moved_to) else None,
                status=poll.status,
                elapsed_ms=poll.elapsed_ms,
                warnings=discovery.warnings,
            )
        )

    def _fail(self, lease: SourceLease, error: Exception, poll: Poll | None = None) -> None:
        """Backs off; after ten failures in a row the source is only tried once a day, until it answers or an operator resets
        it. One that is gone is closed."""
        source, now = lease.source, self.context.clock()
        self.polls.pop(source.id, None)
        reason, detail = error_reason(error)
        detail = hide_address_secrets(detail, source)
        backoff = _backoff(error, source.failures, now, gone=reason == "gone")
        self._log_failure(lease, backoff, reason, detail)
        if poll is not None:
            self.bodies.extend(poll.bodies)
        self.results.append(
            PollResult(
                source=source.id,
                poll_id=lease.poll_id,
                captures=poll.captures() if poll else (),
                error=reason,
                detail=detail,
                status=poll.status if poll else None,
                elapsed_ms=poll.elapsed_ms if poll else 0,
                due_at=backoff.due_at,
                failures=backoff.failures,
                active=backoff.active,
                stop_reason=backoff.stop_reason,
                is_postponed=reason in HELD_BACK and (poll is None or poll.status is None),
            )
        )

    def _log_failure(self, lease: SourceLease, backoff: FailedPollOutcome, reason: str, detail: str) -> None:
        log = self._log(lease)
        if backoff.failures > lease.source.failures:
            log.warning("poll failed", reason=reason, detail=detail, failures=backoff.failures)
        elif reason in HELD_BACK:
            log.debug("poll postponed", reason=reason, detail=detail, until=backoff.due_at)
        else:
            log.warning("poll postponed", reason=reason, detail=detail, until=backoff.due_at)

    def _log(self, lease: SourceLease) -> FilteringBoundLogger:
        return self.context.log.bind(
            recipe=self.recipe.name, job="poll", key=lease.source.id, source=lease.source.name
        )

    def commit(self) -> int:
        if not self.results:
            return 0
        archived = {capture.id: capture for capture in self.context.archive.put(self.bodies)}
        results = [
            replace(result, captures=tuple(archived.get(c.id, c) for c in result.captures))
            for result in self.results
        ]
        bisect_commit(
            lambda batch: self.context.store.finish_poll(batch, self.context.owner, self.context.clock()),
            results,
            self._replace_unstorable,
        )
        self.context.on_commit(self.recipe.name, fingerprints_of_polls(results, self.recipe.canonical))
        for result in results:
            self.failures.pop(result.source, None)
        self.bodies, self.results = [], []
        return len(results)

    def _replace_unstorable(self, result: PollResult, error: Exception) -> PollResult:
        """A result that cannot be stored is a failure, to be tried again after the longest pause."""
        reason, detail = error_reason(error)
        now = self.context.clock()
        backoff = _backoff(error, self.failures.get(result.source, 0), now, gone=False)
        return PollResult(
            source=result.source,
            poll_id=result.poll_id,
            due_at=now + (STOPPED_RETRY if backoff.stop_reason else MAX_BACKOFF),
            failures=backoff.failures,
            stop_reason=backoff.stop_reason,
            error=reason,
            detail=detail,
            status=result.status,
        )


def _is_postponed(error: Exception) -> bool:
    return isinstance(error, Temporary) and not error.counts


def _backoff(error: Exception, failures: int, now: datetime, *, gone: bool) -> FailedPollOutcome:
    if gone:
        return FailedPollOutcome(due_at=None, failures=failures + 1, active=False)
    delay = (error.delay if isinstance(error, Temporary) else None) or timedelta(0)
    if _is_postponed(error):
        return FailedPollOutcome(due_at=now + delay, failures=failures)
    failures += 1
    if failures >= FAILURES_UNTIL_STOP:
        stopped = f"{failures} failures in a row"
        return FailedPollOutcome(due_at=now + STOPPED_RETRY, failures=failures, stop_reason=stopped)
    return FailedPollOutcome(due_at=now + max(source_backoff(failures), delay), failures=failures)
