"""Captures to documents: extract, then the recipe's steps, then one commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from headwater.engine.compose import compose_document, needs_browser, outcome_of_unreadable
from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.fingerprints import fingerprints_of_documents
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.document import Document, TrailEntry, with_trail_entry
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Draft, Job, Postponement, RefineResult, State, Task
from headwater.model.outcomes import Drop, ExtractHints, SetAside, Unreadable
from headwater.model.recipe import Outcome, Recipe, StepContext

REDECIDE_LIMIT = 5


def refine(context: JobContext, job: Job) -> int:
    """Refine the due documents of a recipe; gives how many."""
    recipe = context.recipe(job)
    drafts, rest = context.split_suspects(context.store.claim_documents(context.claim(job)))
    if not drafts:
        return 0
    if rest:
        back = [_postponed(draft, context.postpone()) for draft in rest]
        context.store.finish_refine(back, context.owner, context.clock(), timedelta(0))
    Refiner(context, recipe, bodies(context, drafts), LeaseRenewer(context, Task.REFINE)).finish(drafts)
    return len(drafts)


def bodies(context: JobContext, drafts: Sequence[Draft]) -> Mapping[str, bytes]:
    """By hash, of those that do not bring their own."""
    wanted = [draft.capture for draft in drafts if draft.capture and draft.lead.lead.body is None]
    return context.archive.get(wanted) if wanted else {}


@dataclass(frozen=True)
class Refiner:
    context: JobContext
    recipe: Recipe
    bodies: Mapping[str, bytes]
    lease_renewer: LeaseRenewer

    def finish(self, drafts: Sequence[Draft]) -> None:
        """Decide and commit. A document that lost a claim to another in the meantime is decided again: by then the
        other one can be seen."""
        settle = self.recipe.grouping.settle if self.recipe.grouping else timedelta(0)

        def commit(some: Sequence[RefineResult]) -> Sequence[str]:
            return self.context.store.finish_refine(some, self.context.owner, self.context.clock(), settle)

        for _ in range(REDECIDE_LIMIT):
            results = bisect_batch(self.decide, drafts, self._failed)
            self._report(results)
            lost = {key for keys in bisect_commit(commit, results, _unfit) for key in keys}
            self.context.on_commit(
                self.recipe.name, fingerprints_of_documents(r for r in results if r.id not in lost)
            )
            drafts = [draft for draft in drafts if draft.id in lost]
            if not drafts:
                return
        quarrel = Temporary("contested", "other documents keep taking its fingerprints")
        commit([self._failed(draft, quarrel) for draft in drafts])

    def decide(self, drafts: Sequence[Draft]) -> Sequence[RefineResult]:
        """What would become of each; nothing is written."""
        for draft in drafts:
            self.context.check_worker_deaths(draft.attempts)
        opened: list[Outcome] = [self._open(draft) for draft in drafts]
        documents = [outcome if isinstance(outcome, Document) else None for outcome in opened]
        step_context = StepContext(self.recipe.name, self.context.clock(), self.context.store)
        for step in self.recipe.steps:
            going = [i for i, outcome in enumerate(opened) if isinstance(outcome, Document)]
            if not going:
                break
            self.lease_renewer.renew_if_due()
            batch = [opened[i] for i in going]
            outcomes = step([d for d in batch if isinstance(d, Document)], step_context)
            if len(outcomes) != len(going):
                raise Permanent(
                    "bad_step", f"{step.name} gave {len(outcomes)} outcomes for {len(going)} documents"
                )
            for i, outcome in zip(going, outcomes, strict=True):
                before = opened[i]
                assert isinstance(before, Document)
                after = outcome if isinstance(outcome, Document) else _noted(before, outcome)
                documents[i] = now = with_trail_entry(before, after, step.name, step.version)
                opened[i] = now if isinstance(outcome, Document) else outcome
        return [self._result(*row) for row in zip(drafts, opened, documents, strict=True)]

    def _open(self, draft: Draft) -> Outcome:
        self.lease_renewer.renew_if_due()
        lead, capture = draft.lead.lead, draft.capture
        if lead.body is not None:
            data, media_type = lead.body.encode("utf-8", "replace"), lead.body_type
        elif capture is None or capture.sha256 not in self.bodies:
            raise Permanent(
                "capture_damaged", "its bytes are missing from the archive or do not match their hash"
            )
        else:
            data, media_type = self.bodies[capture.sha256], capture.media_type
        extract = self.recipe.extract.get(media_type) or self.recipe.extract.get("*")
        if extract is None:
            return Drop("unsupported", evidence={"media_type": media_type})
        url = capture.final_url if capture and lead.body is None else lead.url
        reading = extract(data, ExtractHints(url=url, media_type=media_type))
        if isinstance(reading, Unreadable):
            return outcome_of_unreadable(reading)
        document = compose_document(draft, reading)
        mark = TrailEntry("extract", reading.method, tuple(sorted(document.origins)), document.notes)
        return document.with_changes(trail=(mark,), notes={})

    def _result(self, draft: Draft, outcome: Outcome, document: Document | None) -> RefineResult:
        result = RefineResult(
            id=draft.id,
            capture=draft.capture.id if draft.capture else None,
            revision=draft.revision,
            document=document,
            state=State.KEPT,
        )
        if isinstance(outcome, Document):
            grouped = self._grouped(outcome)
            routes = tuple(r.name for r in self.recipe.routes if r.of == "document" and r.when(grouped))
            return replace(result, document=grouped, routes=routes, trace=outcome.trace)
        why = replace(result, reason=outcome.reason, evidence=outcome.evidence)
        if isinstance(outcome, SetAside):
            render = self.context.renders and needs_browser(outcome.reason, draft)
            return replace(why, state=State.ASIDE, render=render)
        state = State.DUPLICATE if outcome.of else State.DROPPED
        return replace(why, state=state, of=outcome.of, score=outcome.score, trace=outcome.trace)

    def _grouped(self, document: Document) -> Document:
        grouping = self.recipe.grouping
        return document if grouping is None else document.with_changes(group=grouping.key(document))

    def _failed(self, draft: Draft, error: Exception) -> RefineResult:
        verdict = self.context.handle_failure(error, draft.attempts)
        if isinstance(verdict, Postponement):
            return _postponed(draft, verdict)
        return RefineResult(
            id=draft.id,
            capture=draft.capture.id if draft.capture else None,
            revision=draft.revision,
            state=State.QUARANTINED,
            reason=verdict.reason,
            detail=verdict.detail,
        )

    def _report(self, results: Sequence[RefineResult]) -> None:
        for result in results:
            log = self.context.log.bind(recipe=self.recipe.name, job="refine", key=result.id)
            if result.state is State.QUARANTINED:
                log.warning("quarantined", reason=result.reason, detail=result.detail)
            elif result.later is not None:
                log.info("postponed", reason=result.reason, until=result.later.at.isoformat())
            elif result.state is not State.KEPT:
                log.debug(result.state.value, reason=result.reason, of=result.of)


def _postponed(draft: Draft, later: Postponement) -> RefineResult:
    return RefineResult(
        id=draft.id,
        capture=draft.capture.id if draft.capture else None,
        revision=draft.revision,
        state=State.WAITING,
        reason=later.reason,
        detail=later.detail,
        later=later,
    )


def _unfit(result: RefineResult, error: Exception) -> RefineResult:
    """Decided, but not in a form that can be stored."""
    reason, detail = error_reason(error)
    return RefineResult(
        id=result.id,
        capture=result.capture,
        revision=result.revision,
        state=State.QUARANTINED,
        reason=reason,
        detail=detail,
    )


def _noted(before: Document, outcome: Drop | SetAside) -> Document:
    """The document as it stood when a step ended it, with the reason in its history."""
    notes = {"ended": outcome.reason, **outcome.evidence}
    if isinstance(outcome, Drop) and outcome.of:
        notes["of"] = outcome.of
    return replace(before, notes=notes)
