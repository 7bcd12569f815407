"""The store: every method one transaction. What it decides stands in the modules beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, func, select

from headwater.backends.sql import (
    claims,
    drafts,
    fetching,
    gathering,
    linking,
    listing,
    outbox,
    polling,
    recognising,
    refining,
    remembering,
    replacing,
    replaying,
)
from headwater.backends.sql import reading as records
from headwater.backends.sql.connect import reading, writing
from headwater.model.capture import Capture
from headwater.model.document import Document, Fingerprint
from headwater.model.lead import StoredLead
from headwater.model.replay import Replayed, Replaying, ReplayState
from headwater.model.source import Source
from headwater.model.trace import Recollection
from headwater.model.work import (
    Bundle,
    Claim,
    Delivered,
    Draft,
    Errand,
    Fetched,
    Gathered,
    Polled,
    Refined,
    Task,
    Turn,
)


@dataclass(frozen=True)
class SqlStore:
    """`model.ports.Store` on SQLite or PostgreSQL."""

    engine: Engine

    def register(self, sources: Sequence[Source], now: datetime, origin: str = "recipe") -> int:
        with writing(self.engine) as connection:
            return polling.register(connection, sources, now, origin)

    def follow_list(self, recipe: str, listed: Sequence[Source], now: datetime) -> Sequence[str]:
        with writing(self.engine) as connection:
            return listing.follow_list(connection, recipe, [source.id for source in listed], now)

    def claim_sources(self, claim: Claim) -> Sequence[Turn]:
        with writing(self.engine) as connection:
            return polling.claim_sources(connection, claim)

    def claim_leads(self, claim: Claim) -> Sequence[StoredLead]:
        with writing(self.engine) as connection:
            return fetching.claim_leads(connection, claim)

    def claim_documents(self, claim: Claim) -> Sequence[Draft]:
        with writing(self.engine) as connection:
            return drafts.claim_documents(connection, claim)

    def claim_groups(self, claim: Claim, *, whole: bool = True) -> Sequence[Bundle]:
        with writing(self.engine) as connection:
            return gathering.claim_groups(connection, claim, whole=whole)

    def claim_deliveries(self, claim: Claim) -> Sequence[Errand]:
        with writing(self.engine) as connection:
            return outbox.claim_deliveries(connection, claim)

    def add_leads(
        self, turn: Turn, leads: Sequence[StoredLead], captures: Sequence[Capture], now: datetime
    ) -> int:
        with writing(self.engine) as connection:
            return polling.add_leads(connection, turn, leads, captures, now)

    def finish_poll(self, polled: Sequence[Polled], owner: str, now: datetime) -> int:
        with writing(self.engine) as connection:
            return polling.finish_poll(connection, polled, owner, now)

    def finish_fetch(self, fetched: Sequence[Fetched], owner: str, now: datetime) -> None:
        with writing(self.engine) as connection:
            fetching.finish_fetch(connection, fetched, owner, now)

    def finish_refine(
        self, refined: Sequence[Refined], owner: str, now: datetime, settle: timedelta
    ) -> Sequence[str]:
        with writing(self.engine) as connection:
            conflicts = refining.finish_refine(connection, refined, owner, now, settle)
            linking.link_subjects(connection, refined)
            return conflicts

    def finish_gather(self, gathered: Sequence[Gathered], owner: str, now: datetime) -> None:
        with writing(self.engine) as connection:
            gathering.finish_gather(connection, gathered, owner, now)

    def finish_deliver(self, delivered: Sequence[Delivered], owner: str, now: datetime) -> None:
        with writing(self.engine) as connection:
            outbox.finish_deliver(connection, delivered, owner, now)

    def claim_replays(self, claim: Claim) -> Sequence[Replaying]:
        with reading(self.engine) as connection:
            if not replaying.running(connection, claim.job.recipe):
                return []
        with writing(self.engine) as connection:
            ids = replaying.claim_replays(connection, claim)
        with reading(self.engine) as connection:
            return replaying.claimed(connection, ids) if ids else []

    def finish_replay(self, replayed: Sequence[Replayed], owner: str, now: datetime) -> None:
        with writing(self.engine) as connection:
            replaying.finish_replay(connection, replayed, owner, now)

    def advance_replay(self, recipe: str, now: datetime) -> int:
        """Each little is a transaction of its own."""
        listed: int | None = 0
        while listed == 0:
            with reading(self.engine) as connection:
                row = replaying.going(connection, recipe)
                applying = row is not None and row["state"] == ReplayState.APPLYING
                found = replaying.next_documents(connection, row) if row and not applying else []
            if row is None:
                return 0
            with writing(self.engine) as connection:
                if applying:
                    return replacing.replace_some(connection, row["id"], now)
                listed = replaying.list_documents(connection, row, found, now)
        return listed or 0

    def renew(self, task: Task, owner: str, until: datetime) -> None:
        with writing(self.engine) as connection:
            claims.renew(connection, task, owner, until)

    def release(self, owners: Sequence[str], *, counts: bool) -> int:
        with writing(self.engine) as connection:
            return claims.release(connection, owners, counts=counts)

    def owners(self, recipe: str, fingerprints: Sequence[Fingerprint]) -> Mapping[Fingerprint, str]:
        with reading(self.engine) as connection:
            return recognising.owners_of(connection, recipe, fingerprints)

    def documents(self, ids: Sequence[str]) -> Mapping[str, Document]:
        with reading(self.engine) as connection:
            return records.documents_by_id(connection, ids)

    def recall(
        self, recipe: str, scheme: str, prints: Sequence[tuple[str, str]], keys: Sequence[int], limit: int
    ) -> Recollection:
        with reading(self.engine) as connection:
            return remembering.recall(connection, recipe, scheme, prints, keys, limit=limit)

    def originals(self, ids: Sequence[str]) -> Mapping[str, str]:
        with reading(self.engine) as connection:
            return remembering.originals(connection, ids)

    def told(self, ids: Sequence[str]) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        with reading(self.engine) as connection:
            return records.told_about(connection, ids)

    def stories(
        self, recipe: str, publishers: Sequence[str], sentences: Sequence[int]
    ) -> Mapping[str, Mapping[int, int]]:
        with reading(self.engine) as connection:
            return remembering.stories(connection, recipe, publishers, sentences)

    def holders(self) -> set[str]:
        with reading(self.engine) as connection:
            return claims.holders(connection)

    def waiting(self, recipe: str, now: datetime) -> Sequence[Task]:
        with reading(self.engine) as connection:
            return claims.waiting(connection, recipe, now)

    def next_due(self, recipe: str) -> Mapping[Task, datetime]:
        with reading(self.engine) as connection:
            found = {}
            for task, table in claims.TABLES.items():
                query = select(func.min(table.c.due_at)).where(
                    table.c.recipe == recipe, table.c.due_at.is_not(None)
                )
                if (due := connection.scalar(query.where(*claims.ALIVE.get(task, ())))) is not None:
                    found[task] = due
            return found
