"""From a waiting request to a question with its price, and from an answer to what is kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from headwater.backends.sql.summary_requests import (
    DONE,
    DROPPED,
    FAILED,
    SUPERSEDED,
    WAITING,
    Settled,
    SummaryRequests,
)
from headwater.fetch.chat import Chat, Said
from headwater.model.document import Document
from headwater.model.work import Later
from headwater.pure.spending import Price, cost, price_of
from headwater.pure.stories.retelling import (
    ARTICLES,
    QUESTION,
    Quoted,
    asked_tokens,
    content_print,
    conversation,
    most_tokens,
    read_summary,
)

TRIES = 3
SETTLING = timedelta(minutes=10)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as it goes out. `cost` is in US dollars, at most; None for a model whose price is not known."""

    row: Row
    messages: Sequence[Mapping[str, str]]
    articles: Sequence[Quoted]
    longest: int
    cost: float | None

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def sources(self) -> list[str]:
        return [article.id for article in self.articles]

    def body(self, chat: Chat) -> dict[str, Any]:
        return replace(chat, model=self.row["model"]).body(self.messages, max_tokens=self.longest)


@dataclass(frozen=True, kw_only=True)
class Questions:
    requests: SummaryRequests
    prices: Mapping[str, Price]
    batch: bool

    def of(self, rows: Sequence[Row], now: datetime) -> tuple[list[Asked], list[Settled]]:
        """What can be asked, and what became of the rest: the story is another one now, or is about to be."""
        material = self.requests.material([row["story_id"] for row in rows])
        ready: list[Asked] = []
        rest: list[Settled] = []
        for row in rows:
            story, documents = material.get(row["story_id"], (None, []))
            if story is None or story.attributes.get("content") != row["content"]:
                rest.append(Settled(id=row["id"], state=DROPPED, reason=SUPERSEDED))
            elif content_print((d.id, d.title, d.text) for d in documents) != row["content"]:
                later = Later(at=now + SETTLING, reason="story_settles", counts=False)
                rest.append(Settled(id=row["id"], state=WAITING, reason=later.reason, later=later))
            else:
                ready.append(self._asked(row, story.title, self._chosen(row, documents)))
        return ready, rest

    def _chosen(self, row: Row, documents: Sequence[Document]) -> Sequence[Document]:
        """Those that were quoted before, in their order, where the question went out already."""
        known = {document.id: document for document in documents}
        if row["batch_id"] and row["sources"]:
            return [known[name] for name in row["sources"] if name in known]
        return documents[:ARTICLES]

    def _asked(self, row: Row, title: str, documents: Sequence[Document]) -> Asked:
        articles = [quoted(document) for document in documents]
        messages = conversation(title, articles)
        longest = most_tokens(messages)
        price = price_of(row["model"], self.prices)
        worth = None if price is None else cost(price, asked_tokens(messages), longest, batch=self.batch)
        return Asked(row=row, messages=messages, articles=articles, longest=longest, cost=worth)

    def quoted(self, row: Row) -> list[Quoted]:
        """The documents that an answer calls by number."""
        found = self.requests.documents(row["sources"] or [])
        missing = Quoted("", "", "")
        return [quoted(found[name]) if name in found else missing for name in row["sources"] or []]


def quoted(document: Document) -> Quoted:
    published = document.published.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if document.published else ""
    return Quoted(document.id, document.title, document.text, document.language, published)


def kept(row: Row, said: Said, articles: Sequence[Quoted]) -> Settled:
    """The summary with where it came from; Unusable where there is none in what was said."""
    summary = read_summary(said.text, articles)
    origin = {
        "model": said.model or row["model"],
        "level": row["level"],
        "question": QUESTION,
        "request": row["id"],
        "dropped": summary.dropped,
        "repaired": summary.repaired,
    }
    answer = {
        "summary": summary.text,
        "claims": [{"text": claim.text, "documents": list(claim.documents)} for claim in summary.claims],
        "origin": origin,
        "usage": msgspec.to_builtins(said.usage),
    }
    return Settled(id=row["id"], state=DONE, answer=answer)


def again(row: Row, reason: str, at: datetime, *, tried: int) -> Settled:
    """Another try, unless it was tried often enough; the local summary stands in any case."""
    if tried >= TRIES:
        return Settled(id=row["id"], state=FAILED, reason=reason)
    return Settled(id=row["id"], state=WAITING, reason=reason, later=Later(at=at, reason=reason))
