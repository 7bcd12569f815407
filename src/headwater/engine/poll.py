"""Sources to leads: each look is a conversation without I/O of its own; here it gets its answers."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from structlog.typing import FilteringBoundLogger

from headwater.engine.context import JobContext
from headwater.engine.fetch import make_capture
from headwater.engine.fingerprints import fingerprints_of_leads, fingerprints_of_polls
from headwater.engine.isolation import bisect_commit, error_reason
from headwater.fetch.responses import GiveUp, Proceed, Retry, freshness, judge_response
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.http import Capture, Failure, Request, Response
from headwater.model.jobs import Job, PollResult, SourceLease
from headwater.model.keys import document_key, lead_key
from headwater.model.recipe import Discovery, LeadBatch, PollSession, Recipe
from headwater.model.schedule import (
    FAILURES_UNTIL_STOP,
    MAX_BACKOFF,
    effective_trigger,
    freshness_delay,
    next_poll_at,
    source_backoff,
)
from headwater.model.source import Lead, StoredLead
from headwater.text.urls import canonical_url

SHORT_WAIT = timedelta(seconds=20)  # a shorter wait is spent here, a longer one in the row


@dataclass
class Poll:
    """One look at one source, under way."""

    source_lease: SourceLease
    session: PollSession
    asked: Request | None = None
    bodies: list[tuple[Capture, bytes]] = field(default_factory=list)
    archived: list[Capture] = field(default_factory=list)
    status: int | None = None
    elapsed_ms: int = 0
    moved_to: str | None = None
    fresh: timedelta | None = None
    tries: int = 0
    retry_at: datetime | None = None

    def captures(self) -> tuple[Capture, ...]:
        """What is still to be archived, after the last one that is already."""
        return (*self.archived[-1:], *(capture for capture, _ in self.bodies))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBackoff:
    """What a failed look means for its source."""

    due_at: datetime | None
    failures: int
    active: bool = True
    stopped: str | None = None


class RecipePolls:
    """The looks of one recipe that are under way."""

    def __init__(self, context: JobContext, job: Job) -> None:
        assert context.fetcher is not None
        self.context, self.job, self.fetcher = context, job, context.fetcher
        self.recipe: Recipe = context.recipe(job)
        self.prefix = f"poll:{job.recipe}"
        self.polls: dict[str, Poll] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.ended: list[PollResult] = []
        self.failures: dict[str, int] = {}

    @property
    def waiting(self) -> int:
        return len(self.polls)

    def claim(self, limit: int) -> None:
        for source_lease in self.context.store.claim_sources(self.context.claim(self.job, limit)):
            self.failures[source_lease.source.id] = source_lease.source.failures
            if under_way := self.polls.get(
                source_lease.source.id
            ):  # its lease ran out, and now it is ours again
                under_way.source_lease = source_lease
            elif source_lease.attempts > self.context.retry_policy.max_worker_deaths:
                self._fail(
                    source_lease,
                    Permanent("worker_died", f"its worker died at attempt {source_lease.attempts - 1}"),
                )
            elif source_lease.source.kind not in self.recipe.discover:
                self._fail(
                    source_lease,
                    Permanent(
                        "unknown_kind", f"the recipe cannot read sources of kind '{source_lease.source.kind}'"
                    ),
                )
            else:
                poll = Poll(
                    source_lease,
                    self.recipe.discover[source_lease.source.kind](source_lease.source, self.context.clock()),
                )
                self.polls[source_lease.source.id] = poll
                self._go_on(poll, None)

    def handle_answer(self, key: str, answer: Response | Failure) -> None:
        poll = self.polls.get(key)
        if poll is None or poll.asked is None:
            return None  # an answer to somebody who is no more
        asked, now = poll.asked, self.context.clock()
        verdict = judge_response(
            answer, attempts=poll.tries, now=now, purpose=asked.purpose, accept=asked.accept
        )
        poll.tries += not isinstance(verdict, Retry) or verdict.counted
        if isinstance(answer, Response):
            poll.status = answer.status
            poll.elapsed_ms += answer.elapsed_ms
        if isinstance(verdict, Retry) and verdict.delay <= SHORT_WAIT:
            poll.retry_at = now + verdict.delay
            return None
        if isinstance(verdict, Retry):
            return self._go_on(poll, Temporary(verdict.reason, delay=verdict.delay, counts=verdict.counted))
        if isinstance(verdict, GiveUp):
            detail = answer.detail if isinstance(answer, Failure) else f"status {answer.status}"
            return self._go_on(poll, Permanent("gone" if verdict.gone else verdict.reason, detail))
        assert isinstance(answer, Response)
        if poll.asked.url == poll.source_lease.source.url:
            poll.moved_to = verdict.moved
            poll.fresh = freshness(answer.headers, now)
        if isinstance(verdict, Proceed):
            self._capture(poll, answer)
        return self._go_on(poll, answer)

    def resubmit_due(self) -> None:
        """Requests that were to be repeated after a moment, once the moment has passed."""
        now = self.context.clock()
        for poll in self.polls.values():
            if poll.retry_at is not None and poll.retry_at <= now and poll.asked is not None:
                poll.retry_at = None
                self.fetcher.submit(f"{self.prefix}/{poll.source_lease.source.id}", poll.asked)

    def _capture(self, poll: Poll, answer: Response) -> None:
        assert poll.asked is not None
        source = poll.source_lease.source.id
        capture = make_capture(answer, asked=poll.asked.url, owner=source, lead="", now=self.context.clock())
        poll.bodies.append((capture, answer.body))

    def _go_on(self, poll: Poll, heard: Response | HeadwaterError | None) -> None:
        """Whatever a source's reader raises, or cannot be made of what it says, becomes that source's failure."""
        try:
            self._talk(poll, heard)
        except Exception as error:  # noqa: BLE001 - as the contract above says
            self._fail(poll.source_lease, error, poll)

    def _talk(self, poll: Poll, heard: Response | HeadwaterError | None) -> None:
        """Let the conversation speak until it asks for something or ends."""
        try:
            while True:
                said = (
                    poll.session.throw(heard)
                    if isinstance(heard, HeadwaterError)
                    else poll.session.send(heard)
                )
                if isinstance(said, Request):
                    poll.asked, poll.tries = said, 0
                    self.fetcher.submit(f"{self.prefix}/{poll.source_lease.source.id}", said)
                    return
                heard = None
                self._store_found(poll, said)
        except StopIteration as end:
            self._succeed(poll, end.value)

    def _store_found(self, poll: Poll, found: LeadBatch) -> None:
        stored = self._stored(poll, found.leads)
        try:
            # What is found next may lie in the last capture too, so that one stays at hand.
            poll.archived = [*poll.archived[-1:], *self.context.archive.put(poll.bodies)]
            self.context.store.add_leads(poll.source_lease, stored, poll.archived, self.context.clock())
        except Temporary as trouble:  # with our own ground, not with the source: it is not blamed
            later = source_backoff(1)
            raise Temporary(trouble.reason, trouble.detail, delay=later, counts=False) from trouble
        poll.bodies = []
        self.context.on_commit(
            self.recipe.name, fingerprints_of_leads(stored, poll.archived, self.recipe.canonical)
        )

    def _stored(self, poll: Poll, leads: tuple[Lead, ...]) -> tuple[StoredLead, ...]:
        source, recipe = poll.source_lease.source, self.recipe
        normal = recipe.canonical or canonical_url
        return tuple(
            StoredLead(
                id=lead_key(recipe.name, source.id, lead.identity),
                recipe=recipe.name,
                source=source.id,
                document=document_key(
                    recipe.name, normal(lead.url) if lead.url else f"{source.id}#{lead.identity}"
                ),
                lead=lead,
            )
            for lead in leads
        )

    def _succeed(self, poll: Poll, discovery: Discovery) -> None:
        source, now = poll.source_lease.source, self.context.clock()
        self.polls.pop(source.id, None)
        self.bodies.extend(poll.bodies)
        usual = self.recipe.triggers.get(source.kind, self.recipe.trigger)
        trigger = effective_trigger(source.trigger, usual, source.options)
        after = max(discovery.after or timedelta(0), freshness_delay(poll.fresh, trigger))
        due = next_poll_at(trigger, now, after, discovery.again, discovery.within)
        self._log(poll.source_lease).info(
            "polled", found=len(discovery.leads), warnings=list(discovery.warnings)
        )
        self.ended.append(
            PollResult(
                source=source.id,
                run=poll.source_lease.run,
                leads=self._stored(poll, discovery.leads),
                captures=poll.captures(),
                bars=discovery.bars,
                observations=discovery.observations,
                watermark=discovery.watermark,
                due_at=None if discovery.gone else due,
                active=not discovery.gone,
                moved_to=discovery.moved_to or poll.moved_to,
                status=poll.status,
                elapsed_ms=poll.elapsed_ms,
                warnings=discovery.warnings,
            )
        )

    def _fail(self, source_lease: SourceLease, error: Exception, poll: Poll | None = None) -> None:
        """Back off; after ten failures in a row stop until an operator resets it. A source that is gone is closed."""
        source, now = source_lease.source, self.context.clock()
        self.polls.pop(source.id, None)
        reason, detail = error_reason(error)
        follows = _consequence(error, source.failures, now, gone=reason == "gone")
        self._log(source_lease).warning(
            "poll failed", reason=reason, detail=detail, failures=source.failures + 1
        )
        if poll is not None:
            self.bodies.extend(poll.bodies)
        self.ended.append(
            PollResult(
                source=source.id,
                run=source_lease.run,
                captures=poll.captures() if poll else (),
                error=reason,
                detail=detail,
                status=poll.status if poll else None,
                elapsed_ms=poll.elapsed_ms if poll else 0,
                due_at=follows.due_at,
                failures=follows.failures,
                active=follows.active,
                stopped=follows.stopped,
            )
        )

    def _log(self, source_lease: SourceLease) -> FilteringBoundLogger:
        return self.context.log.bind(
            recipe=self.recipe.name, job="poll", key=source_lease.source.id, source=source_lease.source.name
        )

    def commit(self) -> int:
        if not self.ended:
            return 0
        stored = {capture.id: capture for capture in self.context.archive.put(self.bodies)}
        results = [
            replace(ended, captures=tuple(stored.get(c.id, c) for c in ended.captures))
            for ended in self.ended
        ]
        bisect_commit(
            lambda some: self.context.store.finish_poll(some, self.context.owner, self.context.clock()),
            results,
            self._unfit,
        )
        self.context.on_commit(self.recipe.name, fingerprints_of_polls(results, self.recipe.canonical))
        count = len(self.ended)
        for ended in self.ended:
            self.failures.pop(ended.source, None)
        self.bodies, self.ended = [], []
        return count

    def _unfit(self, polled: PollResult, error: Exception) -> PollResult:
        """Read, but not in a form that can be stored: a failure, to be tried again after the longest pause."""
        reason, detail = error_reason(error)
        now = self.context.clock()
        follows = _consequence(error, self.failures.get(polled.source, 0), now, gone=False)
        return PollResult(
            source=polled.source,
            run=polled.run,
            due_at=None if follows.stopped else now + MAX_BACKOFF,
            failures=follows.failures,
            stopped=follows.stopped,
            error=reason,
            detail=detail,
            status=polled.status,
        )


def _consequence(error: Exception, failures: int, now: datetime, *, gone: bool) -> SourceBackoff:
    if gone:
        return SourceBackoff(due_at=None, failures=failures + 1, active=False)
    wish = (error.delay if isinstance(error, Temporary) else None) or timedelta(0)
    if isinstance(error, Temporary) and not error.counts:
        return SourceBackoff(due_at=now + wish, failures=failures)
    failures += 1
    if failures >= FAILURES_UNTIL_STOP:
        return SourceBackoff(due_at=None, failures=failures, stopped=f"{failures} failures in a row")
    return SourceBackoff(due_at=now + max(source_backoff(failures), wish), failures=failures)
