"""Stored captures read again: decided as refining would decide, compared with what is stored, and only reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.engine.refine import Refiner, bodies
from headwater.engine.replay_diff import compare_outcomes
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Draft, Job, Postponement, RefineResult, State, Task
from headwater.model.keys import group_key
from headwater.model.replay import DocumentOutcome, ReplayItem, ReplayResult, ReplayVerdict

MOVED_ON = Permanent("moved_on", "it changed, or was moved to a file, since it was listed")
DAMAGED = Permanent("capture_damaged", "its bytes are missing from the archive or do not match their hash")


def replay(context: JobContext, job: Job) -> int:
    """Read some documents of the recipe's replay again, or list or replace some more; gives how many."""
    recipe = context.recipe(job)
    items, rest = context.split_suspects(context.store.claim_replays(context.claim(job)))
    if not items:
        return context.store.advance_replay(job.recipe, context.clock())
    if rest:
        back = [_postponed(item, context.postpone()) for item in rest]
        context.store.finish_replay(back, context.owner, context.clock())
    drafts = {draft.id: draft for item in items for draft in (item.draft, item.original) if draft}
    refinery = Refiner(
        context, recipe, bodies(context, list(drafts.values())), LeaseRenewer(context, Task.REPLAY)
    )
    results = bisect_batch(ReplayComparison(refinery).compare, items, ReplayComparison(refinery).alone)

    def commit(some: Sequence[ReplayResult]) -> None:
        context.store.finish_replay(some, context.owner, context.clock())

    bisect_commit(commit, results, _unfit)
    return len(items)


@dataclass(frozen=True)
class ReplayComparison:
    """A second look at documents."""

    refinery: Refiner

    def compare(self, items: Sequence[ReplayItem]) -> Sequence[ReplayResult]:
        """Copies are decided in the company of their originals, as they would be if all were read anew."""
        ready = [item for item in items if item.stored_outcome is not None and self._has_bytes(item.draft)]
        named = {item.draft.id for item in ready}
        company = {item.original.id: item.original for item in ready if item.original}
        others = [draft for key, draft in company.items() if key not in named and self._has_bytes(draft)]
        return self._compared(items, self._decided(ready, others))

    def _has_bytes(self, draft: Draft) -> bool:
        capture = draft.capture
        return draft.lead.lead.body is not None or (
            capture is not None and capture.sha256 in self.refinery.bodies
        )

    def alone(self, item: ReplayItem, error: Exception) -> ReplayResult:
        """What failed in company may have failed for its sake."""
        if item.original is None or isinstance(error, Temporary):
            return self._failed(item, error)
        (result,) = bisect_batch(
            lambda one: self._compared(one, self._decided(one, ())), [item], self._failed
        )
        return result

    def _decided(self, items: Sequence[ReplayItem], company: Sequence[Draft]) -> dict[str, RefineResult]:
        drafts = [*(item.draft for item in items), *company]
        return {result.id: result for result in self.refinery.decide(drafts)} if drafts else {}

    def _compared(self, items: Sequence[ReplayItem], decided: dict[str, RefineResult]) -> list[ReplayResult]:
        return [
            _judged(item, item.stored_outcome, decided[item.draft.id])
            if item.stored_outcome is not None and item.draft.id in decided
            else self._failed(item, MOVED_ON if item.stored_outcome is None else DAMAGED)
            for item in items
        ]

    def _failed(self, item: ReplayItem, error: Exception) -> ReplayResult:
        ruling = self.refinery.context.handle_failure(error, item.attempts)
        if isinstance(ruling, Postponement):
            return _postponed(item, ruling)
        failed = replace(_ended(item), reason=ruling.reason, detail=ruling.detail)
        as_before = item.stored_outcome and (item.stored_outcome.state, item.stored_outcome.reason) == (
            State.QUARANTINED,
            ruling.reason,
        )
        return replace(failed, verdict=ReplayVerdict.SAME, after=State.QUARANTINED) if as_before else failed


def _judged(item: ReplayItem, stored_outcome: DocumentOutcome, decided: RefineResult) -> ReplayResult:
    """Stored documents bear the key of their group, fresh ones its name."""
    document = decided.document
    if document is not None and document.group is not None:
        document = document.with_changes(group=group_key(document.recipe, document.group))
    would = DocumentOutcome(state=decided.state, reason=decided.reason, of=decided.of, document=document)
    verdict, differences = compare_outcomes(stored_outcome, would)
    return replace(_ended(item), verdict=verdict, after=decided.state, differences=differences)


def _ended(item: ReplayItem) -> ReplayResult:
    capture, stored_outcome = item.draft.capture, item.stored_outcome
    return ReplayResult(
        id=item.id,
        revision=item.revision,
        capture=capture.id if capture else None,
        before=stored_outcome.state if stored_outcome else None,
    )


def _postponed(item: ReplayItem, later: Postponement) -> ReplayResult:
    return replace(_ended(item), reason=later.reason, detail=later.detail, later=later)


def _unfit(result: ReplayResult, error: Exception) -> ReplayResult:
    """Compared, but not in a form that can be stored."""
    reason, detail = error_reason(error)
    failed = replace(result, verdict=ReplayVerdict.FAILED, differences=(), after=None, later=None)
    return replace(failed, reason=reason, detail=detail)
