"""What the tools return. Every answer says how fresh it is, and every claim where it stands in captured bytes."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field


class Freshness(BaseModel):
    """`last_poll_at` is when a source was last visited; without a visit for a day the answer is `stale`."""

    as_of: datetime
    last_poll_at: datetime | None
    stale: bool


class Evidence(BaseModel):
    """A place in the bytes of a capture: `GET /api/v1/captures/{capture}/body` returns them."""

    document: str
    url: str
    capture: str | None = None
    sha256: str | None = None
    fetched_at: datetime | None = None
    field: str = ""
    start: int | None = None
    end: int | None = None
    quote: str | None = None


class ToolAnswer(BaseModel):
    freshness: Freshness
    evidence: list[Evidence] = Field(default_factory=list)
    next: str | None = Field(default=None, description="The cursor of the next page; null at the end.")
    shortened: bool = Field(default=False, description="Something was left out to keep the answer short.")


class DocumentSummary(BaseModel):
    id: str
    recipe: str
    title: str
    url: str
    publisher: str
    published_at: datetime | None
    snippet: str = ""


class SearchAnswer(ToolAnswer):
    results: list[DocumentSummary]
    notices: list[str] = Field(
        default_factory=list,
        description="What may have been meant otherwise, such as a source that there is not.",
    )


class DocumentAnswer(ToolAnswer):
    id: str
    recipe: str
    state: str
    revision: int
    title: str
    url: str
    publisher: str
    authors: list[str]
    published_at: datetime | None
    language: str
    description: str
    text: str
    origins: dict[str, Any]


class StoryAnswer(ToolAnswer):
    id: str
    title: str
    summary: str
    size: int
    first_at: datetime | None
    last_at: datetime | None
    score: float | None
    documents: list[DocumentSummary]


class StorySummary(BaseModel):
    id: str
    recipe: str
    title: str
    summary: str
    sources: int
    size: int
    last_at: datetime | None
    url: str


class TopStoriesAnswer(ToolAnswer):
    stories: list[StorySummary]


class TimelineAnswer(ToolAnswer):
    id: str
    title: str
    reports: list[DocumentSummary]


class SourceHealth(BaseModel):
    id: str
    recipe: str
    name: str
    url: str
    polls: int
    reliability: float | None
    last_success_at: datetime | None
    last_seen_at: datetime | None
    failures: int
    remark: str


class SourceHealthAnswer(ToolAnswer):
    sources: list[SourceHealth]


class FieldAnswer(ToolAnswer):
    document: str
    field: str
    value: Any
    origin: str | None


class RecipeAnswer(ToolAnswer):
    recipe: str
    result: Any
