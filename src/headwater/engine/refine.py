"""Captures to documents: extract, run the recipe's steps, commit once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial

from headwater.engine.compose import compose_document, entry_reading, needs_browser, without_text
from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.extraction import DraftExtractor, media_type_of
from headwater.engine.fingerprints import fingerprints_of_documents
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.engine.page_decision import FromSource, decide_page, stands_alone
from headwater.engine.stopwatch import EXTRACT, Stopwatch
from headwater.model.document import Document, TrailEntry, with_trail_entry
from headwater.model.errors import Permanent, Temporary
from headwater.model.jobs import Draft, Job, Postponement, RefineResult, State, Task
from headwater.model.outcomes import Drop, ExtractHints, Reading, SetAside, Unreadable
from headwater.model.page import PageMode, PageState
from headwater.model.recipe import Outcome, Recipe, Step, StepContext
from headwater.model.source import Lead

REDECIDE_LIMIT = 5


def refine(context: JobContext, job: Job) -> int:
    """Refines the due documents of a recipe and returns how many."""
    recipe = context.recipe(job)
    drafts, released = context.split_suspects(context.store.claim_documents(context.claim(job)))
    if not drafts:
        return 0
    if released:
        results = [_postponed(draft, context.postpone()) for draft in released]
        context.store.finish_refine(results, context.owner, context.clock(), timedelta(0))
    bodies = load_bodies(context, drafts)
    Refiner(context, recipe, bodies, LeaseRenewer(context, Task.REFINE)).finish(drafts)
    return len(drafts)


def load_bodies(context: JobContext, drafts: Sequence[Draft]) -> Mapping[str, bytes]:
    """Returns the archived pages by hash, for the drafts that are made of one."""
    captures = [draft.capture for draft in drafts if draft.capture and draft.reads_page]
    return context.archive.get(captures) if captures else {}


@dataclass(frozen=True)
class Refiner:
    """Decides what becomes of drafts, and commits it."""

    context: JobContext
    recipe: Recipe
    bodies: Mapping[str, bytes]
    lease_renewer: LeaseRenewer

    @cached_property
    def extractor(self) -> DraftExtractor:
        return DraftExtractor(self.recipe.extract, self.bodies, self.lease_renewer)

    def finish(self, drafts: Sequence[Draft]) -> None:
        """Decides and commits. A document that lost a fingerprint to another one in the meantime is decided again: by then
        the other one is visible."""
        settle = self.recipe.grouping.settle if self.recipe.grouping else timedelta(0)

        def commit(results: Sequence[RefineResult]) -> Sequence[str]:
            return self.context.store.finish_refine(results, self.context.owner, self.context.clock(), settle)

        for _ in range(REDECIDE_LIMIT):
            results = bisect_batch(self.decide, drafts, self._failure)
            self._log_results(results)
            rejected = {key for keys in bisect_commit(commit, results, _replace_unstorable) for key in keys}
            committed = (result for result in results if result.id not in rejected)
            self.context.on_commit(self.recipe.name, fingerprints_of_documents(committed))
            drafts = [draft for draft in drafts if draft.id in rejected]
            if not drafts:
                return
        contested = Temporary("contested", "other documents keep taking its fingerprints")
        commit([self._failure(draft, contested) for draft in drafts])

    def decide(self, drafts: Sequence[Draft]) -> Sequence[RefineResult]:
        """Returns what would become of each draft; writes nothing."""
        for draft in drafts:
            self.context.check_worker_deaths(draft.attempts)
        stopwatch = Stopwatch()
        self.extractor.read_ahead(drafts)
        outcomes: list[Outcome] = [self._extract(draft) for draft in drafts]
        stopwatch.lap(EXTRACT, len(drafts))
        documents = [outcome if isinstance(outcome, Document) else None for outcome in outcomes]
        step_context = StepContext(self.recipe.name, self.context.clock(), self.context.store)
        for step in self.recipe.steps:
            remaining_count = self._run_step(step, step_context, outcomes, documents)
            if not remaining_count:
                break
            stopwatch.lap(step.name, remaining_count)
        self._run_rules(drafts, step_context, outcomes, documents)
        return [
            self._result(draft, outcome, document, stopwatch.milliseconds(document))
            for draft, outcome, document in zip(drafts, outcomes, documents, strict=True)
        ]

    def _run_rules(
        self,
        drafts: Sequence[Draft],
        step_context: StepContext,
        outcomes: list[Outcome],
        documents: list[Document | None],
    ) -> None:
        """Saved searches that act as rules of the recipe."""
        names = {draft.source.id: draft.source.name for draft in drafts}
        rules = self.context.store.rules_step(self.recipe.name, names)
        if rules is not None:
            self._run_step(rules, step_context, outcomes, documents)

    def _run_step(
        self,
        step: Step,
        step_context: StepContext,
        outcomes: list[Outcome],
        documents: list[Document | None],
    ) -> int:
        """Replaces the outcomes that are still documents, and returns how many these are; `documents` keeps the last form of
        each."""
        remaining = [(i, outcome) for i, outcome in enumerate(outcomes) if isinstance(outcome, Document)]
        if not remaining:
            return 0
        self.lease_renewer.renew_if_due()
        decided = step([document for _, document in remaining], step_context)
        if len(decided) != len(remaining):
            mismatch = f"{step.name} returned {len(decided)} outcomes for {len(remaining)} documents"
            raise Permanent("bad_step", mismatch)
        for (i, before), outcome in zip(remaining, decided, strict=True):
            after = outcome if isinstance(outcome, Document) else _with_end_notes(before, outcome)
            documents[i] = document = with_trail_entry(before, after, step.name, step.version)
            outcomes[i] = document if isinstance(outcome, Document) else outcome
        return len(remaining)

    def _extract(self, draft: Draft) -> Outcome:
        lead = draft.lead.lead
        mode = self.recipe.page_mode(draft.source.kind, draft.source.pages)
        page = self._read_page(draft, mode)
        may_render = (
            self.context.renders and isinstance(page, Unreadable) and needs_browser(page.reason, draft)
        )
        decision = decide_page(lead, mode, page, may_render=may_render)
        if isinstance(decision, Drop | SetAside):
            return decision
        if isinstance(decision, FromSource):
            document = compose_document(draft, self._read_entry(lead), decision.page)
            document = document.with_notes(page=decision.page.value, page_reason=decision.reason)
        else:
            state = PageState.NOT_NEEDED if lead.is_complete else PageState.READ
            document = compose_document(draft, decision, state)
        entry = TrailEntry(EXTRACT, document.notes["method"], tuple(sorted(document.origins)), document.notes)
        return document.with_changes(trail=(entry,), notes={})

    def _read_page(self, draft: Draft, mode: PageMode) -> Reading | Unreadable:
        """Returns what the page contains, or the source's text if that is complete."""
        if draft.lead.page_reason is not None and not draft.lead.lead.is_complete and not draft.reads_page:
            return Unreadable(draft.lead.page_reason)
        self.extractor.check_bytes(
            draft
        )  # damage of our own archive: quarantined, and retried after a repair
        try:
            extract = self.extractor.extractor_for(draft)
            if extract is None:
                return Unreadable("unsupported", media_type_of(draft))
            return self.extractor.reading(draft, extract)
        except Permanent as error:
            if stands_alone(draft.lead.lead, mode):
                return Unreadable(error.reason, error.detail)
            raise  # without its page there is no document: it goes to quarantine

    def _read_entry(self, lead: Lead) -> Reading:
        """Returns what the source provided of the text."""
        extract = self.extractor.extractor_of(lead.body_type)
        if lead.body is None or extract is None:
            return entry_reading(lead, None)
        hints = ExtractHints(url=lead.url, media_type=lead.body_type)
        body = extract(lead.body.encode("utf-8", "replace"), hints)
        return entry_reading(lead, body if isinstance(body, Reading) else None)

    def _result(
        self, draft: Draft, outcome: Outcome, document: Document | None, step_ms: Mapping[str, int]
    ) -> RefineResult:
        result = partial(
            RefineResult,
            id=draft.id,
            capture=draft.capture.id if draft.capture else None,
            revision=draft.revision,
            copy_date=draft.copy_date.published if draft.copy_date else None,
            step_ms=step_ms,
        )
        if isinstance(outcome, Document):
            grouped = self._with_group(outcome)
            routes = tuple(r.name for r in self.recipe.routes if r.of == "document" and r.when(grouped))
            return result(
                state=State.KEPT, document=grouped, routes=routes, dedupe_record=outcome.dedupe_record
            )
        ended = partial(result, reason=outcome.reason, evidence=outcome.evidence)
        if isinstance(outcome, SetAside):
            render = self.context.renders and needs_browser(outcome.reason, draft)
            return ended(state=State.ASIDE, document=document, render=render)
        if not outcome.of:
            return ended(state=State.DROPPED, document=document, dedupe_record=outcome.dedupe_record)
        return ended(
            state=State.DUPLICATE,
            document=None if document is None else without_text(document),
            dedupe_record=outcome.dedupe_record,
            of=outcome.of,
            score=outcome.score,
        )

    def _with_group(self, document: Document) -> Document:
        grouping = self.recipe.grouping
        return document if grouping is None else document.with_changes(group=grouping.key(document))

    def _failure(self, draft: Draft, error: Exception) -> RefineResult:
        consequence = self.context.handle_failure(error, draft.attempts)
        if isinstance(consequence, Postponement):
            return _postponed(draft, consequence)
        return RefineResult(
            id=draft.id,
            capture=draft.capture.id if draft.capture else None,
            revision=draft.revision,
            state=State.QUARANTINED,
            reason=consequence.reason,
            detail=consequence.detail,
        )

    def _log_results(self, results: Sequence[RefineResult]) -> None:
        for result in results:
            if result.state is State.KEPT:
                continue
            log = self.context.log.bind(recipe=self.recipe.name, job="refine", key=result.id)
            if result.state is State.QUARANTINED:
                log.warning("quarantined", reason=result.reason, detail=result.detail)
            elif result.later is not None:
                log.debug("postponed", reason=result.reason, until=result.later.at.isoformat())
            else:
                log.debug(result.state.value, reason=result.reason, of=result.of)


def _postponed(draft: Draft, postponement: Postponement) -> RefineResult:
    return RefineResult(
        id=draft.id,
        capture=draft.capture.id if draft.capture else None,
        revision=draft.revision,
        state=State.WAITING,
        reason=postponement.reason,
        detail=postponement.detail,
        later=postponement,
    )


def _replace_unstorable(result: RefineResult, error: Exception) -> RefineResult:
    reason, detail = error_reason(error)
    return RefineResult(
        id=result.id,
        capture=result.capture,
        revision=result.revision,
        state=State.QUARANTINED,
        reason=reason,
        detail=detail,
    )


def _with_end_notes(document: Document, outcome: Drop | SetAside) -> Document:
    """Returns the document as it was when a step ended it, with the reason for its trail."""
    notes = {"ended": outcome.reason, **outcome.evidence}
    if isinstance(outcome, Drop) and outcome.of:
        notes["of"] = outcome.of
    measured = outcome.quality if isinstance(outcome, SetAside) else None
    return document.with_changes(notes=notes, quality=document.quality if measured is None else measured)
