"""From a waiting request to a prompt with its cost, and from a reply to an outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from headwater.model.document import Document
from headwater.model.jobs import Postponement
from headwater.model.ports import SummaryStore
from headwater.model.summaries import (
    SUPERSEDED,
    ModelReply,
    Prompt,
    RequestOutcome,
    RequestState,
    SummaryRequest,
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """A request with its prompt. `cost` is the maximum in US dollars; None if the price of the model is unknown."""

    request: SummaryRequest
    prompt: Prompt
    articles: Sequence[PromptArticle]
    cost: float | None

    @property
    def id(self) -> str:
        return self.request.id

    @property
    def sources(self) -> list[str]:
        return [article.id for article in self.articles]


@dataclass(frozen=True, kw_only=True)
class RequestBuilder:
    store: SummaryStore
    prices: Mapping[str, Price]
    batch: bool

    def prepare(
        self, requests: Sequence[SummaryRequest], now: datetime
    ) -> tuple[list[PreparedRequest], list[RequestOutcome]]:
        """The requests that can be asked, and the outcomes of the others: their story has changed or is about to."""
        stories = self.store.stories_with_documents([request.story for request in requests])
        prepared: list[PreparedRequest] = []
        outcomes: list[RequestOutcome] = []
        for request in requests:
            story, documents = stories.get(request.story, (None, []))
            if story is None or story.attributes.get("content") != request.content:
                outcomes.append(RequestOutcome(id=request.id, state=RequestState.DROPPED, reason=SUPERSEDED))
            elif content_fingerprint((d.id, d.title, d.text) for d in documents) != request.content:
                later = Postponement(at=now + SETTLE_DELAY, reason="story_settles", counts=False)
                outcomes.append(_postponed(request, later))
            else:
                prepared.append(self._prepare(request, story.title, _quoted_documents(request, documents)))
        return prepared, outcomes

    def _prepare(self, request: SummaryRequest, title: str, documents: Sequence[Document]) -> PreparedRequest:
        articles = [_prompt_article(document) for document in documents]
        messages = summary_messages(title, articles)
        prompt = Prompt(model=request.model, messages=messages, max_tokens=max_answer_tokens(messages))
        return PreparedRequest(request=request, prompt=prompt, articles=articles, cost=self._cost(prompt))

    def _cost(self, prompt: Prompt) -> float | None:
        price = find_price(prompt.model, self.prices)
        if price is None:
            return None
        return estimate_cost(price, estimate_tokens(prompt.messages), prompt.max_tokens, batch=self.batch)

    def quoted_articles(self, request: SummaryRequest) -> list[PromptArticle]:
        """The articles that an answer refers to by number."""
        documents = self.store.documents(request.sources)
        missing = PromptArticle("", "", "")
        return [
            _prompt_article(documents[name]) if name in documents else missing for name in request.sources
        ]


def answered_outcome(
    request: SummaryRequest, reply: ModelReply, articles: Sequence[PromptArticle]
) -> RequestOutcome:
    """The summary with its origin, or InvalidAnswer."""
    summary = parse_summary(reply.text, articles)
    origin = {
        "model": reply.model or request.model,
        "level": request.level,
        "question": PROMPT_VERSION,
        "request": request.id,
        "dropped": summary.dropped,
        "repaired": summary.repaired,
    }
    answer = {
        "summary": summary.text,
        "claims": [{"text": claim.text, "documents": list(claim.documents)} for claim in summary.claims],
        "origin": origin,
        "usage": dict(reply.usage),
    }
    return RequestOutcome(id=request.id, state=RequestState.DONE, answer=answer)


def failed_outcome(request: SummaryRequest, reason: str) -> RequestOutcome:
    return RequestOutcome(id=request.id, state=RequestState.FAILED, reason=reason)


def retry_outcome(request: SummaryRequest, reason: str, at: datetime, *, attempts: int) -> RequestOutcome:
    """Another attempt, or the end after the last one. The story keeps its local summary in either case."""
    if attempts >= MAX_ATTEMPTS:
        return failed_outcome(request, reason)
    return _postponed(request, Postponement(at=at, reason=reason))


def uncounted_outcome(
    request: SummaryRequest, reason: str, at: datetime, refund: float = 0.0
) -> RequestOutcome:
    """The endpoint certainly did nothing: the attempt does not count."""
    return _postponed(request, Postponement(at=at, reason=reason, counts=False), refund)


def _postponed(request: SummaryRequest, later: Postponement, refund: float = 0.0) -> RequestOutcome:
    return RequestOutcome(
        id=request.id, state=RequestState.WAITING, reason=later.reason, later=later, refund=refund
    )


def _quoted_documents(request: SummaryRequest, documents: Sequence[Document]) -> Sequence[Document]:
    """A request that is in a batch quotes the same documents again, in the same order."""
    if not (request.batch and request.sources):
        return documents[:MAX_ARTICLES]
    by_id = {document.id: document for document in documents}
    return [by_id[name] for name in request.sources if name in by_id]


def _prompt_article(document: Document) -> PromptArticle:
    published = document.published.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if document.published else ""
    return PromptArticle(document.id, document.title, document.text, document.language, published)
