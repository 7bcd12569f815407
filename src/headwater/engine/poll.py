"""Sources to leads: each look is a conversation without I/O of its own; here it gets its answers."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from structlog.typing import FilteringBoundLogger

from headwater.engine.alone import commit_apart, explain
from headwater.engine.captures import capture_of
from headwater.engine.desk import Desk
from headwater.model.capture import Capture
from headwater.model.errors import HeadwaterError, Permanent, Temporary
from headwater.model.lead import Lead, StoredLead
from headwater.model.recipe import Conversation, Discovery, Found, Recipe
from headwater.model.web import Failure, Request, Response
from headwater.model.work import Job, Polled, Turn
from headwater.pure.keys import document_key, lead_key
from headwater.pure.marking import of_leads, of_polled
from headwater.pure.responses import GiveUp, Proceed, Retry, freshness, judge
from headwater.pure.schedule import (
    FAILURES_UNTIL_STOP,
    LONGEST_BACKOFF,
    cadence,
    next_look,
    source_backoff,
    trusted,
)
from headwater.pure.urls import canonical

PATIENT = timedelta(seconds=20)  # a shorter wait is spent here, a longer one in the row


@dataclass
class Look:
    """One look at one source, under way."""

    turn: Turn
    talk: Conversation
    asked: Request | None = None
    bodies: list[tuple[Capture, bytes]] = field(default_factory=list)
    archived: list[Capture] = field(default_factory=list)
    status: int | None = None
    elapsed_ms: int = 0
    moved_to: str | None = None
    fresh: timedelta | None = None
    tries: int = 0
    again_at: datetime | None = None

    def captures(self) -> tuple[Capture, ...]:
        """What is still to be archived, after the last one that is already."""
        return (*self.archived[-1:], *(capture for capture, _ in self.bodies))


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What a failed look means for its source."""

    due_at: datetime | None
    failures: int
    active: bool = True
    stopped: str | None = None


class Looks:
    """The looks of one recipe that are under way."""

    def __init__(self, desk: Desk, job: Job) -> None:
        assert desk.fetcher is not None
        self.desk, self.job, self.fetcher = desk, job, desk.fetcher
        self.recipe: Recipe = desk.recipe(job)
        self.prefix = f"poll:{job.recipe}"
        self.looks: dict[str, Look] = {}
        self.bodies: list[tuple[Capture, bytes]] = []
        self.ended: list[Polled] = []
        self.failures: dict[str, int] = {}

    @property
    def waiting(self) -> int:
        return len(self.looks)

    def claim(self, limit: int) -> None:
        for turn in self.desk.store.claim_sources(self.desk.claim(self.job, limit)):
            self.failures[turn.source.id] = turn.source.failures
            if under_way := self.looks.get(turn.source.id):  # its lease ran out, and now it is ours again
                under_way.turn = turn
            elif turn.attempts > self.desk.patience.deaths:
                self._fail(turn, Permanent("worker_died", f"its worker died at attempt {turn.attempts - 1}"))
            elif turn.source.kind not in self.recipe.discover:
                self._fail(
                    turn,
                    Permanent("unknown_kind", f"the recipe cannot read sources of kind '{turn.source.kind}'"),
                )
            else:
                look = Look(turn, self.recipe.discover[turn.source.kind](turn.source, self.desk.clock()))
                self.looks[turn.source.id] = look
                self._go_on(look, None)

    def hear(self, key: str, answer: Response | Failure) -> None:
        look = self.looks.get(key)
        if look is None or look.asked is None:
            return None  # an answer to somebody who is no more
        asked, now = look.asked, self.desk.clock()
        verdict = judge(answer, attempts=look.tries, now=now, purpose=asked.purpose, accept=asked.accept)
        look.tries += not isinstance(verdict, Retry) or verdict.counted
        if isinstance(answer, Response):
            look.status = answer.status
            look.elapsed_ms += answer.elapsed_ms
        if isinstance(verdict, Retry) and verdict.delay <= PATIENT:
            look.again_at = now + verdict.delay
            return None
        if isinstance(verdict, Retry):
            return self._go_on(look, Temporary(verdict.reason, delay=verdict.delay, counts=verdict.counted))
        if isinstance(verdict, GiveUp):
            detail = answer.detail if isinstance(answer, Failure) else f"status {answer.status}"
            return self._go_on(look, Permanent("gone" if verdict.gone else verdict.reason, detail))
        assert isinstance(answer, Response)
        if look.asked.url == look.turn.source.url:
            look.moved_to = verdict.moved
            look.fresh = freshness(answer.headers, now)
        if isinstance(verdict, Proceed):
            self._capture(look, answer)
        return self._go_on(look, answer)

    def ask_again(self) -> None:
        """Requests that were to be repeated after a moment, once the moment has passed."""
        now = self.desk.clock()
        for look in self.looks.values():
            if look.again_at is not None and look.again_at <= now and look.asked is not None:
                look.again_at = None
                self.fetcher.submit(f"{self.prefix}/{look.turn.source.id}", look.asked)

    def _capture(self, look: Look, answer: Response) -> None:
        assert look.asked is not None
        source = look.turn.source.id
        capture = capture_of(answer, asked=look.asked.url, owner=source, lead="", now=self.desk.clock())
        look.bodies.append((capture, answer.body))

    def _go_on(self, look: Look, heard: Response | HeadwaterError | None) -> None:
        """Whatever a source's reader raises, or cannot be made of what it says, becomes that source's failure."""
        try:
            self._talk(look, heard)
        except Exception as error:  # noqa: BLE001 - as the contract above says
            self._fail(look.turn, error, look)

    def _talk(self, look: Look, heard: Response | HeadwaterError | None) -> None:
        """Let the conversation speak until it asks for something or ends."""
        try:
            while True:
                said = look.talk.throw(heard) if isinstance(heard, HeadwaterError) else look.talk.send(heard)
                if isinstance(said, Request):
                    look.asked, look.tries = said, 0
                    self.fetcher.submit(f"{self.prefix}/{look.turn.source.id}", said)
                    return
                heard = None
                self._store_found(look, said)
        except StopIteration as end:
            self._succeed(look, end.value)

    def _store_found(self, look: Look, found: Found) -> None:
        stored = self._stored(look, found.leads)
        try:
            # What is found next may lie in the last capture too, so that one stays at hand.
            look.archived = [*look.archived[-1:], *self.desk.archive.put(look.bodies)]
            self.desk.store.add_leads(look.turn, stored, look.archived, self.desk.clock())
        except Temporary as trouble:  # with our own ground, not with the source: it is not blamed
            later = source_backoff(1)
            raise Temporary(trouble.reason, trouble.detail, delay=later, counts=False) from trouble
        look.bodies = []
        self.desk.tell(self.recipe.name, of_leads(stored, look.archived, self.recipe.canonical))

    def _stored(self, look: Look, leads: tuple[Lead, ...]) -> tuple[StoredLead, ...]:
        source, recipe = look.turn.source, self.recipe
        normal = recipe.canonical or canonical
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

    def _succeed(self, look: Look, discovery: Discovery) -> None:
        source, now = look.turn.source, self.desk.clock()
        self.looks.pop(source.id, None)
        self.bodies.extend(look.bodies)
        usual = self.recipe.triggers.get(source.kind, self.recipe.trigger)
        trigger = cadence(source.trigger, usual, source.options)
        after = max(discovery.after or timedelta(0), trusted(look.fresh, trigger))
        due = next_look(trigger, now, after, discovery.again, discovery.within)
        self._log(look.turn).info("polled", found=len(discovery.leads), warnings=list(discovery.warnings))
        self.ended.append(
            Polled(
                source=source.id,
                run=look.turn.run,
                leads=self._stored(look, discovery.leads),
                captures=look.captures(),
                bars=discovery.bars,
                observations=discovery.observations,
                watermark=discovery.watermark,
                due_at=None if discovery.gone else due,
                active=not discovery.gone,
                moved_to=discovery.moved_to or look.moved_to,
                status=look.status,
                elapsed_ms=look.elapsed_ms,
                warnings=discovery.warnings,
            )
        )

    def _fail(self, turn: Turn, error: Exception, look: Look | None = None) -> None:
        """Back off; after ten failures in a row stop until an operator resets it. A source that is gone is closed."""
        source, now = turn.source, self.desk.clock()
        self.looks.pop(source.id, None)
        reason, detail = explain(error)
        follows = _consequence(error, source.failures, now, gone=reason == "gone")
        self._log(turn).warning("poll failed", reason=reason, detail=detail, failures=source.failures + 1)
        if look is not None:
            self.bodies.extend(look.bodies)
        self.ended.append(
            Polled(
                source=source.id,
                run=turn.run,
                captures=look.captures() if look else (),
                error=reason,
                detail=detail,
                status=look.status if look else None,
                elapsed_ms=look.elapsed_ms if look else 0,
                due_at=follows.due_at,
                failures=follows.failures,
                active=follows.active,
                stopped=follows.stopped,
            )
        )

    def _log(self, turn: Turn) -> FilteringBoundLogger:
        return self.desk.log.bind(
            recipe=self.recipe.name, job="poll", key=turn.source.id, source=turn.source.name
        )

    def commit(self) -> int:
        if not self.ended:
            return 0
        stored = {capture.id: capture for capture in self.desk.archive.put(self.bodies)}
        results = [
            replace(ended, captures=tuple(stored.get(c.id, c) for c in ended.captures))
            for ended in self.ended
        ]
        commit_apart(
            lambda some: self.desk.store.finish_poll(some, self.desk.owner, self.desk.clock()),
            results,
            self._unfit,
        )
        self.desk.tell(self.recipe.name, of_polled(results, self.recipe.canonical))
        count = len(self.ended)
        for ended in self.ended:
            self.failures.pop(ended.source, None)
        self.bodies, self.ended = [], []
        return count

    def _unfit(self, polled: Polled, error: Exception) -> Polled:
        """Read, but not in a form that can be stored: a failure, to be tried again after the longest pause."""
        reason, detail = explain(error)
        now = self.desk.clock()
        follows = _consequence(error, self.failures.get(polled.source, 0), now, gone=False)
        return Polled(
            source=polled.source,
            run=polled.run,
            due_at=None if follows.stopped else now + LONGEST_BACKOFF,
            failures=follows.failures,
            stopped=follows.stopped,
            error=reason,
            detail=detail,
            status=polled.status,
        )


def _consequence(error: Exception, failures: int, now: datetime, *, gone: bool) -> Consequence:
    if gone:
        return Consequence(due_at=None, failures=failures + 1, active=False)
    wish = (error.delay if isinstance(error, Temporary) else None) or timedelta(0)
    if isinstance(error, Temporary) and not error.counts:
        return Consequence(due_at=now + wish, failures=failures)
    failures += 1
    if failures >= FAILURES_UNTIL_STOP:
        return Consequence(due_at=None, failures=failures, stopped=f"{failures} failures in a row")
    return Consequence(due_at=now + max(source_backoff(failures), wish), failures=failures)
