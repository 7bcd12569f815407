"""Stored captures read again: decided as refining would decide, compared with what is stored, and only reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.engine.alone import commit_apart, divide, explain
from headwater.engine.desk import Desk
from headwater.engine.pulse import Pulse
from headwater.engine.refine import Refinery, bodies
from headwater.model.errors import Permanent, Temporary
from headwater.model.replay import Replayed, Replaying, Standing, Verdict
from headwater.model.work import Draft, Job, Later, Refined, State, Task
from headwater.pure.keys import group_key
from headwater.pure.replaying import judge

MOVED_ON = Permanent("moved_on", "it changed, or was moved to a file, since it was listed")
DAMAGED = Permanent("capture_damaged", "its bytes are missing from the archive or do not match their hash")


def replay(desk: Desk, job: Job) -> int:
    """Read some documents of the recipe's replay again, or list or replace some more; gives how many."""
    recipe = desk.recipe(job)
    items, rest = desk.one_suspect(desk.store.claim_replays(desk.claim(job)))
    if not items:
        return desk.store.advance_replay(job.recipe, desk.clock())
    if rest:
        back = [_postponed(item, desk.its_turn_comes()) for item in rest]
        desk.store.finish_replay(back, desk.owner, desk.clock())
    drafts = {draft.id: draft for item in items for draft in (item.draft, item.original) if draft}
    refinery = Refinery(desk, recipe, bodies(desk, list(drafts.values())), Pulse(desk, Task.REPLAY))
    results = divide(Second(refinery).look, items, Second(refinery).alone)

    def commit(some: Sequence[Replayed]) -> None:
        desk.store.finish_replay(some, desk.owner, desk.clock())

    commit_apart(commit, results, _unfit)
    return len(items)


@dataclass(frozen=True)
class Second:
    """A second look at documents."""

    refinery: Refinery

    def look(self, items: Sequence[Replaying]) -> Sequence[Replayed]:
        """Copies are decided in the company of their originals, as they would be if all were read anew."""
        ready = [item for item in items if item.stands is not None and self._has_bytes(item.draft)]
        named = {item.draft.id for item in ready}
        company = {item.original.id: item.original for item in ready if item.original}
        others = [draft for key, draft in company.items() if key not in named and self._has_bytes(draft)]
        return self._compared(items, self._decided(ready, others))

    def _has_bytes(self, draft: Draft) -> bool:
        capture = draft.capture
        return draft.lead.lead.body is not None or (
            capture is not None and capture.sha256 in self.refinery.bodies
        )

    def alone(self, item: Replaying, error: Exception) -> Replayed:
        """What failed in company may have failed for its sake."""
        if item.original is None or isinstance(error, Temporary):
            return self._failed(item, error)
        (result,) = divide(lambda one: self._compared(one, self._decided(one, ())), [item], self._failed)
        return result

    def _decided(self, items: Sequence[Replaying], company: Sequence[Draft]) -> dict[str, Refined]:
        drafts = [*(item.draft for item in items), *company]
        return {result.id: result for result in self.refinery.decide(drafts)} if drafts else {}

    def _compared(self, items: Sequence[Replaying], decided: dict[str, Refined]) -> list[Replayed]:
        return [
            _judged(item, item.stands, decided[item.draft.id])
            if item.stands is not None and item.draft.id in decided
            else self._failed(item, MOVED_ON if item.stands is None else DAMAGED)
            for item in items
        ]

    def _failed(self, item: Replaying, error: Exception) -> Replayed:
        ruling = self.refinery.desk.judge(error, item.attempts)
        if isinstance(ruling, Later):
            return _postponed(item, ruling)
        failed = replace(_ended(item), reason=ruling.reason, detail=ruling.detail)
        as_before = item.stands and (item.stands.state, item.stands.reason) == (
            State.QUARANTINED,
            ruling.reason,
        )
        return replace(failed, verdict=Verdict.SAME, after=State.QUARANTINED) if as_before else failed


def _judged(item: Replaying, stands: Standing, decided: Refined) -> Replayed:
    """Stored documents bear the key of their group, fresh ones its name."""
    document = decided.document
    if document is not None and document.group is not None:
        document = document.but(group=group_key(document.recipe, document.group))
    would = Standing(state=decided.state, reason=decided.reason, of=decided.of, document=document)
    verdict, differences = judge(stands, would)
    return replace(_ended(item), verdict=verdict, after=decided.state, differences=differences)


def _ended(item: Replaying) -> Replayed:
    capture, stands = item.draft.capture, item.stands
    return Replayed(
        id=item.id,
        revision=item.revision,
        capture=capture.id if capture else None,
        before=stands.state if stands else None,
    )


def _postponed(item: Replaying, later: Later) -> Replayed:
    return replace(_ended(item), reason=later.reason, detail=later.detail, later=later)


def _unfit(result: Replayed, error: Exception) -> Replayed:
    """Compared, but not in a form that can be stored."""
    reason, detail = explain(error)
    failed = replace(result, verdict=Verdict.FAILED, differences=(), after=None, later=None)
    return replace(failed, reason=reason, detail=detail)
