"""Short ways to make records, and a store that has reached a stage of the flow: where contract tests begin."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any

from sqlalchemy import Table, func, select

from headwater.model.document import Document, Fingerprint
from headwater.model.http import Capture
from headwater.model.jobs import Claim, Draft, FetchResult, Job, PollResult, RefineResult, State, Task
from headwater.model.keys import capture_key, document_key, group_key, lead_key, source_key
from headwater.model.recipe import Recipe
from headwater.model.source import Lead, Source, StoredLead, Trigger
from headwater.model.story import Member, Story
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import sources
from headwater.store.sql_store import SqlStore

START = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
RECIPE = "trial"
ME = "me"
LEASE = timedelta(minutes=5)
HOUR = timedelta(hours=1)


def make_recipe(**fields: Any) -> Recipe:
    """A recipe that reads nothing: for tests that begin with stored documents."""
    nothing: dict[str, Any] = {"sources": (), "discover": {}, "extract": {}, "steps": ()}
    return Recipe(name=RECIPE, version="1", trigger=Trigger(every=HOUR), **(nothing | fields))


def make_source(name: str = "Wire", **fields: Any) -> Source:
    url = fields.pop("url", f"https://{name.lower()}.example/feed")
    recipe = fields.pop("recipe", RECIPE)
    return Source(
        id=source_key(recipe, "feed", url, name), recipe=recipe, kind="feed", name=name, url=url, **fields
    )


def make_lead(path: str, *, source: Source, url: str | None = None, **fields: Any) -> StoredLead:
    """Something the source says exists, at this path; another source with the same `url` means the same document."""
    address = url or f"https://{source.name.lower()}.example/{path}"
    return StoredLead(
        id=lead_key(source.recipe, source.id, path),
        recipe=source.recipe,
        source=source.id,
        document=document_key(source.recipe, address),
        lead=Lead(identity=path, url=address, **({"version": "v1", "title": path.title()} | fields)),
    )


def make_capture(owner: str, body: str = "bytes", *, lead: str = "", **fields: Any) -> Capture:
    digest = sha256(body.encode()).hexdigest()
    defaults = {
        "url": "https://wire.example/a",
        "final_url": "https://wire.example/a",
        "status": 200,
        "headers": {"ETag": f'"{digest[:6]}"', "Last-Modified": "Fri, 13 Nov 2026 08:00:00 GMT"},
        "media_type": "text/html",
        "sha256": digest,
        "size": len(body),
        "fetched_at": START,
        "pack": f"{digest[:2]}/{digest}.warc.gz",
    }
    return Capture(id=capture_key(owner, digest), lead=lead, **(defaults | fields))


def make_document(draft: Draft, **fields: Any) -> Document:
    defaults: dict[str, Any] = {
        "url": draft.lead.lead.url,
        "title": "A title",
        "text": f"The text of {draft.lead.lead.identity}.",
        "revision": draft.revision,
        "capture": draft.capture.id if draft.capture else None,
    }
    return Document(
        id=draft.id,
        recipe=draft.lead.recipe,
        source=draft.lead.source,
        lead=draft.lead.id,
        **(defaults | fields),
    )


def fingerprint(value: str, kind: str = "text", *, exclusive: bool = True) -> Fingerprint:
    return Fingerprint(kind, value, exclusive)


def make_story(name: str, group: str, *documents: str, **fields: Any) -> Story:
    members = tuple(Member(document) for document in documents)
    return Story(
        id=name, recipe=RECIPE, group=group_key(RECIPE, group), title=name.title(), members=members, **fields
    )


@dataclass
class Scene:
    """A store with a clock. Each method takes it one stage further, as the engine would."""

    store: SqlStore
    now: datetime = START
    source: Source = field(default_factory=make_source)
    bodies: Iterator[int] = field(default_factory=count)

    def claim(
        self,
        task: Task,
        owner: str = ME,
        *,
        limit: int = 100,
        keys: tuple[str, ...] = (),
        lease: timedelta = LEASE,
        recipe: str = RECIPE,
    ) -> list[Any]:
        claim = Claim(Job(recipe, task, keys), owner, self.now, limit, lease)
        take = {
            Task.POLL: self.store.claim_sources,
            Task.FETCH: self.store.claim_leads,
            Task.REFINE: self.store.claim_documents,
            Task.GATHER: self.store.claim_groups,
            Task.DELIVER: self.store.claim_deliveries,
            Task.REPLAY: self.store.claim_replays,
        }[task]
        return list(take(claim))

    def poll(self, *leads: StoredLead, source: Source | None = None, **fields: Any) -> int:
        """Poll the source, which returns these leads; the result is how many of them were new."""
        source = source or self.source
        self.store.register([source], self.now)
        with self._awake(source):
            (source_lease,) = self.claim(Task.POLL, keys=(source.id,), recipe=source.recipe)
        defaults: dict[str, Any] = {"due_at": self.now + HOUR, "watermark": {"seen": len(leads)}} | fields
        return self.store.finish_poll(
            [PollResult(source=source.id, poll_id=source_lease.poll_id, leads=leads, **defaults)],
            ME,
            self.now,
        )

    @contextmanager
    def _awake(self, source: Source) -> Iterator[None]:
        with self.store.engine.begin() as connection:
            connection.execute(sources.update().where(sources.c.id == source.id).values(due_at=self.now))
        yield

    def lead(self, path: str, **fields: Any) -> StoredLead:
        return make_lead(path, source=fields.pop("source", self.source), **fields)

    def fetch(self, *leads: StoredLead, body: str | None = None) -> list[Capture]:
        """The leads are claimed and their pages captured."""
        claimed = {lead.id: lead for lead in self.claim(Task.FETCH, keys=tuple(lead.id for lead in leads))}
        assert set(claimed) == {lead.id for lead in leads}
        captures = [
            make_capture(lead.id, body or f"{lead.id} {next(self.bodies)}", lead=lead.id, url=lead.lead.url)
            for lead in leads
        ]
        results = [
            FetchResult(lead=lead.id, version=lead.lead.version, result=capture)
            for lead, capture in zip(leads, captures, strict=True)
        ]
        self.store.finish_fetch(results, ME, self.now)
        return captures

    def drafts(self, *paths: str, **fields: Any) -> list[Draft]:
        """New leads that are polled, fetched and claimed for refining, in the order of the paths."""
        leads = [self.lead(path, **fields) for path in paths]
        self.poll(*leads, source=fields.get("source"))
        self.fetch(*leads)
        by_id = {draft.id: draft for draft in self.claim(Task.REFINE)}
        return [by_id[lead.document] for lead in leads]

    def refine(self, *results: RefineResult, settle: timedelta = timedelta(0), owner: str = ME) -> list[str]:
        return list(self.store.finish_refine(results, owner, self.now, settle))

    def keep(self, *paths: str, routes: tuple[str, ...] = (), **fields: Any) -> list[Draft]:
        """Documents that have gone all the way to kept."""
        drafts = self.drafts(*paths)
        assert self.refine(*(kept_result(draft, routes=routes, **fields) for draft in drafts)) == []
        return drafts

    def change(self, draft: Draft, body: str, *, version: str = "v2") -> Draft:
        """The source says that the page changed; it is fetched again and claimed for refining."""
        changed = replace(draft.lead, lead=replace(draft.lead.lead, version=version))
        self.poll(changed)
        self.fetch(changed, body=body)
        (next_draft,) = self.claim(Task.REFINE, keys=(draft.id,))
        return next_draft

    def row(self, table: Table, **match: Any) -> dict[str, Any]:
        (row,) = self.rows(table, **match)
        return row

    def rows(self, table: Table, **match: Any) -> list[dict[str, Any]]:
        where = [table.c[name] == value for name, value in match.items()]
        with read_transaction(self.store.engine) as connection:
            query = select(table).where(*where).order_by(*table.primary_key)
            return [dict(row) for row in connection.execute(query).mappings()]

    def count(self, table: Table) -> int:
        with read_transaction(self.store.engine) as connection:
            return connection.scalar(select(func.count()).select_from(table)) or 0


def kept_result(draft: Draft, *, routes: tuple[str, ...] = (), **fields: Any) -> RefineResult:
    return RefineResult(
        id=draft.id,
        state=State.KEPT,
        capture=draft.capture.id if draft.capture else None,
        revision=draft.revision,
        document=make_document(draft, **fields),
        routes=routes,
    )


def ended_result(
    draft: Draft, state: State, reason: str, *, document: bool = True, **fields: Any
) -> RefineResult:
    return RefineResult(
        id=draft.id,
        state=state,
        capture=draft.capture.id if draft.capture else None,
        revision=draft.revision,
        document=make_document(draft) if document else None,
        reason=reason,
        **fields,
    )
