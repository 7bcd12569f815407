"""Stored captures processed again: decided as refining would, compared with what is stored, and only reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.engine.refine import Refiner, load_bodies
from headwater.engine.replay_diff import compare_outcomes
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Draft, Job, Postponement, RefineResult, State, Task
from headwater.model.keys import group_key
from headwater.model.replay import DocumentOutcome, ReplayItem, ReplayResult, ReplayVerdict

MOVED_ON = Permanent("moved_on", "it changed, or was moved to a file, since it was listed")
DAMAGED = Permanent("capture_damaged", "its bytes are missing from the archive or do not match their hash")


def replay(context: JobContext, job: Job) -> int:
    """Processes some documents of the recipe's replay again, or lists or replaces some more; returns how many."""
    recipe = context.recipe(job)
    items, released = context.split_suspects(context.store.claim_replays(context.claim(job)))
    if not items:
        return context.store.advance_replay(job.recipe, context.clock())
    if released:
        postponed = [_postponed(item, context.postpone()) for item in released]
        context.store.finish_replay(postponed, context.owner, context.clock())
    drafts = {draft.id: draft for item in items for draft in (item.draft, item.original) if draft}
    bodies = load_bodies(context, list(drafts.values()))
    refiner = Refiner(context, recipe, bodies, LeaseRenewer(context, Task.REPLAY))
    comparison = ReplayComparison(refiner)
    results = bisect_batch(comparison.compare, items, comparison.compare_alone)

    def commit(batch: Sequence[ReplayResult]) -> None:
        context.store.finish_replay(batch, context.owner, context.clock())

    bisect_commit(commit, results, _replace_unstorable)
    return len(items)


@dataclass(frozen=True)
class ReplayComparison:
    """Compares stored documents with what the current code makes of their captures."""

    refiner: Refiner

    def compare(self, items: Sequence[ReplayItem]) -> Sequence[ReplayResult]:
        """Duplicates are decided in one batch with their originals, as if all were processed for the first time."""
        ready = [item for item in items if item.stored_outcome is not None and self._has_bytes(item.draft)]
        listed = {item.draft.id for item in ready}
        originals = {item.original.id: item.original for item in ready if item.original}
        unlisted = [draft for key, draft in originals.items() if key not in listed and self._has_bytes(draft)]
        return self._results(items, self._decide(ready, unlisted))

    def compare_alone(self, item: ReplayItem, error: Exception) -> ReplayResult:
        """A duplicate that failed together with its original may have failed because of it."""
        if item.original is None or isinstance(error, Temporary):
            return self._failure(item, error)
        (result,) = bisect_batch(
            lambda batch: self._results(batch, self._decide(batch, ())), [item], self._failure
        )
        return result

    def _has_bytes(self, draft: Draft) -> bool:
        capture = draft.capture
        return not draft.reads_page or (capture is not None and capture.sha256 in self.refiner.bodies)

    def _decide(self, items: Sequence[ReplayItem], originals: Sequence[Draft]) -> dict[str, RefineResult]:
        drafts = [*(item.draft for item in items), *originals]
        return {result.id: result for result in self.refiner.decide(drafts)} if drafts else {}

    def _results(self, items: Sequence[ReplayItem], decisions: dict[str, RefineResult]) -> list[ReplayResult]:
        return [
            _compared(item, item.stored_outcome, decisions[item.draft.id])
            if item.stored_outcome is not None and item.draft.id in decisions
            else self._failure(item, MOVED_ON if item.stored_outcome is None else DAMAGED)
            for item in items
        ]

    def _failure(self, item: ReplayItem, error: Exception) -> ReplayResult:
        consequence = self.refiner.context.handle_failure(error, item.attempts)
        if isinstance(consequence, Postponement):
            return _postponed(item, consequence)
        result = replace(_unjudged(item), reason=consequence.reason, detail=consequence.detail)
        stored = item.stored_outcome
        if stored and (stored.state, stored.reason) == (State.QUARANTINED, consequence.reason):
            return replace(result, verdict=ReplayVerdict.SAME, after=State.QUARANTINED)
        return result


def _compared(item: ReplayItem, stored: DocumentOutcome, decision: RefineResult) -> ReplayResult:
    document = decision.document
    if document is not None and document.group is not None:  # stored documents have the key of their group
        document = document.with_changes(group=group_key(document.recipe, document.group))
    outcome = DocumentOutcome(state=decision.state, reason=decision.reason, of=decision.of, document=document)
    verdict, differences = compare_outcomes(stored, outcome)
    return replace(_unjudged(item), verdict=verdict, after=decision.state, differences=differences)


def _unjudged(item: ReplayItem) -> ReplayResult:
    capture, stored = item.draft.capture, item.stored_outcome
    return ReplayResult(
        id=item.id,
        revision=item.revision,
        capture=capture.id if capture else None,
        before=stored.state if stored else None,
    )


def _postponed(item: ReplayItem, postponement: Postponement) -> ReplayResult:
    return replace(
        _unjudged(item), reason=postponement.reason, detail=postponement.detail, later=postponement
    )


def _replace_unstorable(result: ReplayResult, error: Exception) -> ReplayResult:
    reason, detail = error_reason(error)
    failed = replace(result, verdict=ReplayVerdict.FAILED, differences=(), after=None, later=None)
    return replace(failed, reason=reason, detail=detail)
