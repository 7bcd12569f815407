"""From a waiting request to a question with its price, and from an answer to what is kept of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from headwater.model.document import Document
from headwater.model.jobs import Postponement
from headwater.store.summaries.requests import (
    DONE,
    DROPPED,
    FAILED,
    SUPERSEDED,
    WAITING,
    RequestOutcome,
    SummaryRequests,
)
from headwater.stories.llm.chat import ChatClient, ChatReply
from headwater.stories.llm.prices import Price, estimate_cost, find_price
from headwater.stories.llm.story_prompt import (
    MAX_ARTICLES,
    PROMPT_VERSION,
    PromptArticle,
    content_fingerprint,
    estimate_tokens,
    max_answer_tokens,
    parse_summary,
    summary_messages,
)

MAX_ATTEMPTS = 3
SETTLE_DELAY = timedelta(minutes=10)
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A question as it goes out. `cost` is in US dollars, at most; None for a model whose price is not known."""

    row: Row
    messages: Sequence[Mapping[str, str]]
    articles: Sequence[PromptArticle]
    longest: int
    cost: float | None

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def sources(self) -> list[str]:
        return [article.id for article in self.articles]

    def body(self, chat: ChatClient) -> dict[str, Any]:
        return replace(chat, model=self.row["model"]).body(self.messages, max_tokens=self.longest)


@dataclass(frozen=True, kw_only=True)
class RequestBuilder:
    requests: SummaryRequests
    prices: Mapping[str, Price]
    batch: bool

    def of(self, rows: Sequence[Row], now: datetime) -> tuple[list[PreparedRequest], list[RequestOutcome]]:
        """What can be asked, and what became of the rest: the story is another one now, or is about to be."""
        stories_with_documents = self.requests.stories_with_documents([row["story_id"] for row in rows])
        ready: list[PreparedRequest] = []
        rest: list[RequestOutcome] = []
        for row in rows:
            story, documents = stories_with_documents.get(row["story_id"], (None, []))
            if story is None or story.attributes.get("content") != row["content"]:
                rest.append(RequestOutcome(id=row["id"], state=DROPPED, reason=SUPERSEDED))
            elif content_fingerprint((d.id, d.title, d.text) for d in documents) != row["content"]:
                later = Postponement(at=now + SETTLE_DELAY, reason="story_settles", counts=False)
                rest.append(RequestOutcome(id=row["id"], state=WAITING, reason=later.reason, later=later))
            else:
                ready.append(self._asked(row, story.title, self._chosen(row, documents)))
        return ready, rest

    def _chosen(self, row: Row, documents: Sequence[Document]) -> Sequence[Document]:
        """Those that were quoted before, in their order, where the question went out already."""
        known = {document.id: document for document in documents}
        if row["batch_id"] and row["sources"]:
            return [known[name] for name in row["sources"] if name in known]
        return documents[:MAX_ARTICLES]

    def _asked(self, row: Row, title: str, documents: Sequence[Document]) -> PreparedRequest:
        articles = [prompt_article(document) for document in documents]
        messages = summary_messages(title, articles)
        longest = max_answer_tokens(messages)
        price = find_price(row["model"], self.prices)
        worth = (
            None
            if price is None
            else estimate_cost(price, estimate_tokens(messages), longest, batch=self.batch)
        )
        return PreparedRequest(row=row, messages=messages, articles=articles, longest=longest, cost=worth)

    def quoted(self, row: Row) -> list[PromptArticle]:
        """The documents that an answer calls by number."""
        found = self.requests.documents(row["sources"] or [])
        missing = PromptArticle("", "", "")
        return [prompt_article(found[name]) if name in found else missing for name in row["sources"] or []]


def prompt_article(document: Document) -> PromptArticle:
    published = document.published.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if document.published else ""
    return PromptArticle(document.id, document.title, document.text, document.language, published)


def answered_outcome(row: Row, said: ChatReply, articles: Sequence[PromptArticle]) -> RequestOutcome:
    """The summary with where it came from; Unusable where there is none in what was said."""
    summary = parse_summary(said.text, articles)
    origin = {
        "model": said.model or row["model"],
        "level": row["level"],
        "question": PROMPT_VERSION,
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
    return RequestOutcome(id=row["id"], state=DONE, answer=answer)


def retry_outcome(row: Row, reason: str, at: datetime, *, tried: int) -> RequestOutcome:
    """Another try, unless it was tried often enough; the local summary stands in any case."""
    if tried >= MAX_ATTEMPTS:
        return RequestOutcome(id=row["id"], state=FAILED, reason=reason)
    return RequestOutcome(
        id=row["id"], state=WAITING, reason=reason, later=Postponement(at=at, reason=reason)
    )
