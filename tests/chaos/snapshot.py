"""What a run left behind, in a form that two runs must agree on, whichever copy of a text came first."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from sqlalchemy import select

from headwater.archive.packs import ObjectArchive, open_folder_archive
from headwater.store.connect import connect, read_transaction
from headwater.store.rows import capture_from
from headwater.store.schema.flow import (
    captures,
    deliveries,
    documents,
    leads,
    polls,
    quarantine,
    stories,
    story_members,
)
from headwater.store.schema.knowledge import edges
from headwater.store.sql_store import SqlStore


@dataclass(frozen=True)
class Snapshot:
    """`families` are the documents that are copies of one another. `texts` are those of all copies: which one came first and
    is kept depends on the order. A page that two feeds name is left out: the first one decides whether its own words or the
    page's are the text. `problems` must be empty."""

    families: frozenset[frozenset[str]]
    texts: tuple[str, ...]
    kept: int
    ended: frozenset[tuple[str, str]]
    leads: frozenset[str]
    stories: frozenset[frozenset[frozenset[str]]]
    problems: tuple[str, ...]

    @property
    def in_any_order(self) -> "Snapshot":
        """Without what a page was described as by the feed that came first; how many there are still counts."""
        return replace(self, texts=("",) * len(self.texts))


def take_snapshot(data: Path, database: str | None = None, archive: ObjectArchive | None = None) -> Snapshot:
    """Of an installation on either database; its archive is a folder in the data folder unless another one is passed."""
    engine = connect(database or f"sqlite:///{data / 'headwater.db'}")
    with read_transaction(engine) as connection:
        rows = connection.execute(select(documents)).mappings().all()
        all_leads = connection.execute(select(leads)).mappings().all()
        all_deliveries = connection.execute(select(deliveries)).mappings().all()
        memberships = connection.execute(
            select(story_members.c.story_id, story_members.c.document_id)
            .join(stories)
            .where(stories.c.state == "live")
        ).all()
        all_captures = [capture_from(row) for row in connection.execute(select(captures)).mappings()]
        running = connection.execute(select(polls.c.id).where(polls.c.status == "running")).all()
        quarantined = connection.execute(select(quarantine)).mappings().all()
        links = connection.execute(select(edges)).mappings().all()
    family = defaultdict(set)
    for row in rows:
        family[row["duplicate_of"] or row["id"]].add(row["id"])
    family_of = {member: frozenset(ids) for ids in family.values() for member in ids}
    kept_rows = [row for row in rows if row["state"] == "kept"]
    named_by = Counter(lead["document_id"] for lead in all_leads)
    whole_rows = [row for row in rows if row["state"] in {"kept", "duplicate"} and named_by[row["id"]] == 1]
    families_by_story = defaultdict(set)
    for story, document in memberships:
        families_by_story[story].add(family_of.get(document, frozenset()))
    problems = [
        *_unfinished(SqlStore(engine), rows, all_leads, all_deliveries),
        *(f"run {row.id} is still running" for row in running),
        *(f"quarantined {row['record_id']}: {row['reason']} {row['detail']}" for row in quarantined),
        *_duplicated(kept_rows, family_of),
        *_undelivered(data, kept_rows, all_deliveries),
        *_lost_bytes(archive or open_folder_archive(data / "archive"), all_captures),
        *_unlinked(rows, links),
    ]
    engine.dispose()
    return Snapshot(
        families=frozenset(family_of.values()),
        texts=tuple(sorted(f"{row['id']} {_text_digest(row)}" for row in whole_rows)),
        kept=len(kept_rows),
        ended=frozenset((r["id"], r["reason"]) for r in rows if r["state"] not in {"kept", "duplicate"}),
        leads=frozenset(lead["id"] for lead in all_leads),
        stories=frozenset(frozenset(families) for families in families_by_story.values()),
        problems=tuple(problems),
    )


def _text_digest(row):
    """A duplicate has no text of its own: its trail has the hash."""
    if row["state"] == "duplicate":
        return row["trail"][-1]["notes"]["sha256"]
    return sha256(row["text"].encode()).hexdigest()


def _unfinished(store, rows, all_leads, all_deliveries):
    yield from (f"lease left behind by {owner}" for owner in store.lease_owners())
    for name, table_rows in (("document", rows), ("lead", all_leads), ("delivery", all_deliveries)):
        yield from (
            f"{name} {row['id']} is unfinished"
            for row in table_rows
            if row["due_at"] or row["state"] == "waiting"
        )


def _duplicated(kept_rows, family_of):
    seen_families = set()
    for row in kept_rows:
        if family_of[row["id"]] in seen_families:
            yield f"duplicated: {row['id']}"
        seen_families.add(family_of[row["id"]])


def _undelivered(data, kept_rows, all_deliveries):
    expected = {row["id"] for row in kept_rows}
    files = {path.stem for path in (data / "out").glob("*/articles/*.json")}
    yield from (f"not delivered: {missing}" for missing in expected - files)
    yield from (f"delivered without being kept: {extra}" for extra in files - expected)
    rows = [row["record_id"] for row in all_deliveries if row["state"] == "done"]
    if sorted(rows) != sorted(expected):
        yield "the deliveries do not match the kept documents"
    log = set((data / "sent.log").read_text().split()) if (data / "sent.log").exists() else None
    if log is not None:
        yield from (
            f"never sent: {row['id']}"
            for row in all_deliveries
            if f"{row['id']}-{row['revision']}" not in log
        )


def _lost_bytes(archive, all_captures):
    bodies = archive.get(all_captures)
    yield from (
        f"bytes of capture {capture.id} are lost" for capture in all_captures if capture.sha256 not in bodies
    )


def _unlinked(rows, links):
    linked = {(link["from_id"], link["to_id"]) for link in links if link["relation"] == "duplicate"}
    for row in rows:
        if row["state"] == "duplicate" and (row["id"], row["duplicate_of"]) not in linked:
            yield f"duplicate {row['id']} has no edge"
