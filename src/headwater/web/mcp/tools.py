"""The tools for language models: seven of Headwater; recipes add theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from headwater.app import App
from headwater.model.errors import Refused
from headwater.ops.field_evidence import explain_field, passage_record
from headwater.ops.source_reports import source_reports
from headwater.search.query import make_filters
from headwater.settings.times import parse_time
from headwater.store.reads.record_lists import STORIES, find_row, story_timeline
from headwater.store.reads.top_stories import top_stories
from headwater.store.reads.waiting import last_poll
from headwater.store.schema.flow import stories
from headwater.text.redaction import redact_record
from headwater.web.mcp.records import (
    DocumentAnswer,
    DocumentSummary,
    Evidence,
    FieldAnswer,
    Freshness,
    SearchAnswer,
    SourceHealth,
    SourceHealthAnswer,
    StoryAnswer,
    StorySummary,
    TimelineAnswer,
    TopStoriesAnswer,
)
from headwater.web.mcp.size_limit import DEFAULT_TOKENS, MaxTokens, shorten
from headwater.web.search_pages import PagedSearch, next_search_cursor, search_page

MOST_RESULTS = 30
SHORT_TEXT = 1_200
Limit = Annotated[int, Field(ge=1, le=100, description=f"At most {MOST_RESULTS} are returned.")]
Hours = Annotated[float, Field(ge=0.1, le=100_000)]
Days = Annotated[int, Field(ge=1, le=365)]
STALE_AFTER = timedelta(days=1)
FIRST_SENTENCE = 160


@dataclass(frozen=True)
class Tools:
    """Each method is a tool; its docstring is what the model reads."""

    app: App

    def search(
        self,
        query: str,
        *,
        recipe: str = "",
        language: str = "",
        since: str = "",
        limit: Limit = 10,
        cursor: str = "",
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> SearchAnswer:
        """Search the collected documents by words and meaning; "quoted words" stand together, -word excludes. `since` is a date or "24h". Returns passages
        with the place in the captured page where each stands."""
        size = min(limit, MOST_RESULTS)
        request = PagedSearch(
            text=query,
            filters=make_filters(
                {"recipe": self._recipes(recipe) if recipe else (), "language": language},
                since=parse_time(since, self.app.clock(), "since") if since else None,
            ),
            limit=size,
            cursor=cursor,
        )
        results, next_cursor = search_page(self.app, request)
        page = results.rows
        answer = SearchAnswer(
            freshness=self.freshness(recipe),
            results=[_summary(row, row["recipe"]) for row in page],
            notices=list(results.notices),
            evidence=self.evidence_of([row["id"] for row in page]),
            next=next_cursor,
        )
        shortened = shorten(answer, max_tokens)
        if len(shortened.results) < len(page):
            shortened.next = next_search_cursor(cursor, page[: len(shortened.results)])
        return shortened

    def get_document(
        self,
        document: str,
        detail: Literal["short", "full"] = "short",
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> DocumentAnswer:
        """One document by its id or address: `short` has the beginning of the text, `full` all of it."""
        row = self._document(document)
        text = row["text"] if detail == "full" else row["text"][:SHORT_TEXT]
        answer = DocumentAnswer(
            freshness=self.freshness(row["recipe"]),
            evidence=self.evidence_of([row["id"]]),
            shortened=len(text) < len(row["text"]),
            text=text,
            authors=list(row["authors"] or ()),
            origins=dict(row["origins"] or {}),
            **{
                name: row[name] for name in ("id", "recipe", "state", "revision", "title", "url", "publisher")
            },
            **{name: row[name] for name in ("published_at", "language", "description")},
        )
        return shorten(answer, max_tokens)

    def get_story(self, story: str, max_tokens: MaxTokens = DEFAULT_TOKENS) -> StoryAnswer:
        """A story: what happened, and the documents that report it, each with its evidence."""
        row = self._story(story)
        members = story_timeline(self.app.engine, row["id"], MOST_RESULTS)
        answer = StoryAnswer(
            freshness=self.freshness(row["recipe"]),
            evidence=self.evidence_of([member["id"] for member in members]),
            documents=[_summary(member, row["recipe"]) for member in members],
            **{
                name: row[name] for name in ("id", "title", "summary", "size", "first_at", "last_at", "score")
            },
        )
        return shorten(answer, max_tokens)

    def top_stories(
        self, recipe: str = "", hours: Hours = 24, limit: Limit = 10, max_tokens: MaxTokens = DEFAULT_TOKENS
    ) -> TopStoriesAnswer:
        """The stories that most sources reported in the last hours, best first."""
        since = self.app.clock() - timedelta(hours=hours)
        size = min(limit, MOST_RESULTS)
        rows = [
            {"recipe": name, **row}
            for name in self._recipes(recipe)
            for row in top_stories(self.app.engine, name, since, size)
        ]
        rows.sort(key=lambda row: (-(row["score"] or 0.0), -row["told_by"], row["id"]))
        answer = TopStoriesAnswer(
            freshness=self.freshness(recipe),
            evidence=[
                Evidence(document=row["id"], url=row["sources"][0]["url"])
                for row in rows[:size]
                if row["sources"]
            ],
            stories=[_story_summary(row) for row in rows[:size]],
        )
        return shorten(answer, max_tokens)

    def story_timeline(
        self, story: str, limit: Limit = 30, max_tokens: MaxTokens = DEFAULT_TOKENS
    ) -> TimelineAnswer:
        """Who reported a story when, the first report first."""
        row = self._story(story)
        members = story_timeline(self.app.engine, row["id"], min(limit, MOST_RESULTS))
        answer = TimelineAnswer(
            freshness=self.freshness(row["recipe"]),
            evidence=self.evidence_of([member["id"] for member in members]),
            id=row["id"],
            title=row["title"],
            reports=[_summary(member, row["recipe"]) for member in members],
        )
        return shorten(answer, max_tokens)

    def source_health(
        self,
        recipe: str = "",
        only_problems: bool = False,
        days: Days = 14,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> SourceHealthAnswer:
        """Which sources answer, fail, are silent or are read worse than before."""
        since = self.app.clock() - timedelta(days=days)
        self._recipes(recipe)
        reports = redact_record(source_reports(self.app, since, recipe or None))
        rows = [row for row in reports if row["remark"] or not only_problems]
        names = SourceHealth.model_fields
        answer = SourceHealthAnswer(
            freshness=self.freshness(recipe),
            sources=[SourceHealth(**{name: row[name] for name in names}) for row in rows],
        )
        return shorten(answer, max_tokens)

    def explain_field(self, document: str, field: str, max_tokens: MaxTokens = DEFAULT_TOKENS) -> FieldAnswer:
        """Where the value of a field of a document comes from: its origin, and the place in the captured bytes."""
        record = explain_field(self.app, self._document(document)["id"], field)
        capture, passage = record["capture"] or {}, record["passage"] or {}
        evidence = Evidence(
            document=record["document"],
            url=capture.get("url", ""),
            capture=capture.get("id"),
            sha256=capture.get("sha256"),
            fetched_at=capture.get("fetched_at"),
            field=field,
            **passage,
        )
        answer = FieldAnswer(
            freshness=self.freshness(""),
            evidence=[evidence],
            document=record["document"],
            field=field,
            value=record["value"],
            origin=record["origin"],
        )
        return shorten(answer, max_tokens)

    def freshness(self, recipe: str) -> Freshness:
        now = self.app.clock()
        polled_at = last_poll(self.app.engine, self._recipes(recipe))
        is_stale = polled_at is None or now - polled_at > STALE_AFTER
        return Freshness(as_of=now, last_poll_at=polled_at, stale=is_stale)

    def evidence_of(self, ids: Sequence[str]) -> list[Evidence]:
        """For each document the place of its title, or of the beginning of its text, in the captured page."""
        documents = self.app.store.documents(list(ids))
        capture_ids = [document.capture for document in documents.values() if document.capture]
        stored = self.app.provenance.captures(capture_ids)
        evidence = []
        for key in ids:
            if (document := documents.get(key)) is None:
                continue
            pair = stored.get(document.capture or "")
            place = _first_place(pair[1], document.text, document.title) if pair else {}
            about = pair[0] if pair else None
            evidence.append(
                Evidence(
                    document=key,
                    url=document.url,
                    capture=about.id if about else None,
                    sha256=about.sha256 if about else None,
                    fetched_at=about.fetched_at if about else None,
                    **place,
                )
            )
        return evidence

    def _recipes(self, recipe: str) -> list[str]:
        present = self.app.catalogue.recipes()
        if not recipe:
            return present
        return [recipe] if recipe in present else [self.app.recipe(recipe).name]

    def _document(self, id_or_url: str) -> Mapping[str, Any]:
        row = self.app.catalogue.document(id_or_url)
        if row is None:
            raise Refused("unknown_document", "there is no such document; search returns ids")
        return row

    def _story(self, story: str) -> Mapping[str, Any]:
        row = find_row(self.app.engine, STORIES, stories.c.id == story)
        if row is None:
            raise Refused("unknown_story", "there is no such story; top_stories returns ids")
        return row


def _first_place(body: bytes, text: str, title: str) -> dict[str, Any]:
    for field, value in (("text", text[:FIRST_SENTENCE]), ("title", title)):
        if value and (place := passage_record(body, value)) is not None:
            return {"field": field, **place}
    return {}


def _summary(row: Mapping[str, Any], recipe: str) -> DocumentSummary:
    return DocumentSummary(
        id=row["id"],
        recipe=recipe,
        title=row["title"],
        url=row["url"],
        publisher=row["publisher"],
        published_at=row["published_at"],
        snippet=row.get("snippet") or "",
    )


def _story_summary(row: Mapping[str, Any]) -> StorySummary:
    return StorySummary(
        id=row["id"],
        recipe=row["recipe"],
        title=row["title"],
        summary=row["summary"],
        sources=row["told_by"],
        size=row["size"],
        last_at=row["last_at"],
        url=row["sources"][0]["url"] if row["sources"] else "",
    )
