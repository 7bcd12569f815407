"""The store: every method is one transaction. The modules of the subpackages do the work."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, func, select

from headwater.model.document import Document, Fingerprint, FingerprintLookup
from headwater.model.http import Capture
from headwater.model.jobs import (
    Claim,
    Delivery,
    DeliveryResult,
    Draft,
    FetchResult,
    GatherResult,
    GroupBatch,
    PollResult,
    RefineResult,
    SourceLease,
    Task,
)
from headwater.model.recipe import MOST_CLUSTERED
from headwater.model.replay import ReplayItem, ReplayResult, ReplayState
from headwater.model.saved_search import SavedSearch
from headwater.model.source import Source, StoredLead
from headwater.search.saved_searches import ApplyRules, SavedSearchSet
from headwater.store import records
from headwater.store.changes import source_list
from headwater.store.claims import (
    drafts,
    fetch,
    gather,
    leases,
    matches,
    outbox,
    poll,
    refine,
    replay,
    replay_apply,
)
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.dedupe import copies, index
from headwater.store.dedupe.fingerprints import fingerprint_owners
from headwater.store.saved_search_cache import SavedSearchCache


@dataclass(frozen=True)
class SqlStore:
    """`model.ports.Store` on SQLite or PostgreSQL."""

    engine: Engine
    search_cache: SavedSearchCache = field(default_factory=SavedSearchCache, repr=False, compare=False)

    def register(self, sources: Sequence[Source], now: datetime, origin: str = "recipe") -> int:
        with write_transaction(self.engine) as connection:
            return poll.register_sources(connection, sources, now, origin)

    def sync_sources(self, recipe: str, listed: Sequence[Source], now: datetime) -> Sequence[str]:
        with write_transaction(self.engine) as connection:
            return source_list.sync_source_list(connection, recipe, [source.id for source in listed], now)

    def claim_sources(self, claim: Claim) -> Sequence[SourceLease]:
        with write_transaction(self.engine) as connection:
            return poll.claim_sources(connection, claim)

    def claim_leads(self, claim: Claim) -> Sequence[StoredLead]:
        with write_transaction(self.engine) as connection:
            return fetch.claim_leads(connection, claim)

    def claim_documents(self, claim: Claim) -> Sequence[Draft]:
        with write_transaction(self.engine) as connection:
            return drafts.claim_documents(connection, claim)

    def claim_groups(
        self,
        claim: Claim,
        *,
        full_documents: bool = True,
        window: timedelta | None = None,
        most: int = MOST_CLUSTERED,
    ) -> Sequence[GroupBatch]:
        with write_transaction(self.engine) as connection:
            return gather.claim_groups(
                connection, claim, full_documents=full_documents, window=window, most=most
            )

    def claim_deliveries(self, claim: Claim) -> Sequence[Delivery]:
        with write_transaction(self.engine) as connection:
            return outbox.claim_deliveries(connection, claim, matches.close_digests)

    def add_leads(
        self,
        source_lease: SourceLease,
        leads: Sequence[StoredLead],
        captures: Sequence[Capture],
        now: datetime,
    ) -> int:
        with write_transaction(self.engine) as connection:
            return poll.add_leads(connection, source_lease, leads, captures, now)

    def finish_poll(self, results: Sequence[PollResult], owner: str, now: datetime) -> int:
        with write_transaction(self.engine) as connection:
            return poll.finish_poll(connection, results, owner, now)

    def finish_fetch(self, results: Sequence[FetchResult], owner: str, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            fetch.finish_fetch(connection, results, owner, now)

    def finish_refine(
        self, results: Sequence[RefineResult], owner: str, now: datetime, settle: timedelta
    ) -> Sequence[str]:
        with write_transaction(self.engine) as connection:
            conflicts, kept_documents = refine.finish_refine(connection, results, owner, now, settle)
            copies.link_subjects(connection, results)
            searches = self.search_cache.read(connection)
            matches.record_document_matches(connection, searches, kept_documents, now)
            matches.record_rule_matches(connection, searches, results, now)
            return conflicts

    def finish_gather(self, results: Sequence[GatherResult], owner: str, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            stories = gather.finish_gather(connection, results, owner, now)
            matches.record_story_matches(connection, self.search_cache.read(connection), stories, now)

    def finish_deliver(self, results: Sequence[DeliveryResult], owner: str, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            outbox.finish_deliver(connection, results, owner, now)

    def claim_replays(self, claim: Claim) -> Sequence[ReplayItem]:
        with read_transaction(self.engine) as connection:
            if not replay.running(connection, claim.job.recipe):
                return []
        with write_transaction(self.engine) as connection:
            ids = replay.claim_replays(connection, claim)
        with read_transaction(self.engine) as connection:
            return replay.claimed_items(connection, ids) if ids else []

    def finish_replay(self, results: Sequence[ReplayResult], owner: str, now: datetime) -> None:
        with write_transaction(self.engine) as connection:
            replay.finish_replay(connection, results, owner, now)

    def advance_replay(self, recipe: str, now: datetime) -> int:
        """Each batch is a transaction of its own."""
        listed_count: int | None = 0
        while listed_count == 0:
            with read_transaction(self.engine) as connection:
                row = replay.open_replay(connection, recipe)
                applying = row is not None and row["state"] == ReplayState.APPLYING
                rows = replay.next_documents(connection, row) if row and not applying else []
            if row is None:
                return 0
            with write_transaction(self.engine) as connection:
                if applying:
                    return replay_apply.apply_some(connection, row["id"], now)
                listed_count = replay.list_documents(connection, row, rows, now)
        return listed_count or 0

    def renew(self, task: Task, owner: str, until: datetime) -> None:
        with write_transaction(self.engine) as connection:
            leases.renew(connection, task, owner, until)

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        with write_transaction(self.engine) as connection:
            return leases.release(connection, owners, counts=counts)

    def fingerprint_owners(
        self, recipe: str, fingerprints: Sequence[Fingerprint]
    ) -> Mapping[Fingerprint, str]:
        with read_transaction(self.engine) as connection:
            return fingerprint_owners(connection, recipe, fingerprints)

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        with read_transaction(self.engine) as connection:
            return records.documents_by_id(connection, ids)

    def look_up_fingerprints(
        self,
        recipe: str,
        scheme: str,
        fingerprints: Sequence[tuple[str, str]],
        keys: Sequence[int],
        limit: int,
    ) -> FingerprintLookup:
        with read_transaction(self.engine) as connection:
            return index.recall(connection, recipe, scheme, fingerprints, keys, limit=limit)

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        with read_transaction(self.engine) as connection:
            return index.originals(connection, ids)

    def source_hints(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        with read_transaction(self.engine) as connection:
            return records.lead_hints(connection, ids)

    def sentence_story_counts(
        self, recipe: str, sentences: Mapping[str, Collection[int]]
    ) -> Mapping[str, Mapping[int, int]]:
        with read_transaction(self.engine) as connection:
            return index.stories(connection, recipe, sentences)

    def saved_searches(self) -> SavedSearchSet:
        with read_transaction(self.engine) as connection:
            return self.search_cache.read(connection)

    def saved_search(self, name: str) -> SavedSearch | None:
        return self.saved_searches().by_name.get(name)

    def rules_step(self, recipe: str, source_names: Mapping[str, str]) -> ApplyRules | None:
        rules = self.saved_searches().rules(recipe)
        return ApplyRules(rules, source_names) if rules.active else None

    def lease_owners(self) -> set[str]:
        with read_transaction(self.engine) as connection:
            return leases.lease_owners(connection)

    def due_tasks(self, recipe: str, now: datetime) -> Sequence[Task]:
        with read_transaction(self.engine) as connection:
            return leases.due_tasks(connection, recipe, now)

    def next_due(
        self, recipe: str, reason: str | None = None, pass_began: datetime | None = None
    ) -> Mapping[Task, datetime]:
        with read_transaction(self.engine) as connection:
            due_by_task = {}
            for task, table in leases.TASK_TABLES.items():
                query = select(func.min(table.c.due_at)).where(
                    table.c.recipe == recipe, table.c.due_at.is_not(None)
                )
                if reason is not None:
                    query = query.where(table.c.reason == reason)
                if pass_began is not None and task is Task.POLL:
                    query = query.where(leases.unpolled_in_pass(pass_began))
                if (due := connection.scalar(query.where(*leases.TASK_CONDITIONS.get(task, ())))) is not None:
                    due_by_task[task] = due
            return due_by_task
