"""The articles on the news sites at a given moment; the plan is computed only as far as it was read."""

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from headwater_demo.article import DemoArticle
from headwater_demo.composer import compose, is_corrected_later, make_article, with_correction
from headwater_demo.prose.editing import correction
from headwater_demo.prose.text import ArticleText
from headwater_demo.prose.writer import write
from headwater_demo.publishers import Publisher, publishers
from headwater_demo.schedule import Assignment, plan

_DAYS = {"small": 2, "full": 10}
_PER_DAY = {"small": 20, "full": 30}


class Newsroom:
    def __init__(self, *, seed: int, size: str, start: datetime) -> None:
        self.publishers = publishers(size)
        self._seed = seed
        first_day = start - timedelta(days=_DAYS[size])
        self._plan = plan(seed=seed, publishers=self.publishers, first_day=first_day, per_day=_PER_DAY[size])
        self._planned = [next(self._plan)]
        self._to_correct: set[str] = set()
        self._composed: dict[int, DemoArticle] = {}
        self._edited: dict[str, DemoArticle] = {}
        self._added: list[DemoArticle] = []

    def articles(self, now: datetime, *, host: str | None = None) -> list[DemoArticle]:
        """Everything published by `now`, newest first, in its present wording."""
        due = (item for item in self._due(now) if host in (None, item.publisher.host))
        planned_and_added = [self._article(item) for item in due] + [
            item for item in self._added if host in (None, item.host)
        ]
        visible = [self._present(item, now) for item in planned_and_added if item.published <= now]
        return sorted(visible, key=lambda item: (item.published, item.id), reverse=True)

    def publish(
        self,
        *,
        now: datetime,
        host: str,
        title: str | None = None,
        paragraphs: list[str] | None = None,
        **fields: Any,
    ) -> DemoArticle:
        """Adds an article; fields that are not given (author, topic, guid, keywords, description) are generated."""
        number = 900_000 + len(self._added)
        draft = write(
            fields.pop("topic", "markets"),
            self._publisher(host).language,
            number,
            now,
            Random(f"{self._seed}:added:{number}"),
        )
        text = replace(draft, title=title or draft.title, paragraphs=tuple(paragraphs or draft.paragraphs))
        if paragraphs and "description" not in fields:
            text = replace(text, description=paragraphs[0][:200])
        article = make_article(
            f"a{number}", _added_assignment(number, self._publisher(host), now, text), text
        )
        self._added.append(replace(article, **_article_changes(fields)))
        return self._added[-1]

    def edit(
        self, *, now: datetime, article_id: str, title: str | None = None, paragraphs: list[str] | None = None
    ) -> DemoArticle:
        present = next((item for item in self.articles(now) if item.id == article_id), None)
        if present is None:
            raise KeyError(article_id)
        longer = (*present.paragraphs, correction(present.language)) if title is None else present.paragraphs
        text = tuple(paragraphs) if paragraphs else longer
        self._edited[article_id] = replace(
            present, title=title or present.title, paragraphs=text, modified=now
        )
        return self._edited[article_id]

    def _due(self, now: datetime) -> list[Assignment]:
        while self._planned[-1].published <= now:
            self._planned.append(next(self._plan))
        return [item for item in self._planned if item.published <= now]

    def _article(self, assignment: Assignment) -> DemoArticle:
        if assignment.number not in self._composed:
            article = compose(assignment, seed=self._seed)
            self._composed[assignment.number] = article
            self._to_correct |= {article.id} if is_corrected_later(assignment) else set()
        return self._composed[assignment.number]

    def _present(self, article: DemoArticle, now: datetime) -> DemoArticle:
        edited = self._edited.get(article.id)
        if edited is not None and edited.modified <= now:
            return edited
        later = with_correction(article)
        return later if article.id in self._to_correct and later.modified <= now else article

    def _publisher(self, host: str) -> Publisher:
        publishers_by_host = {item.host: item for item in self.publishers}
        return publishers_by_host[host]


def _added_assignment(number: int, publisher: Publisher, now: datetime, text: ArticleText) -> Assignment:
    return Assignment(
        number=number, kind="original", publisher=publisher, published=now, topic=text.topic or "markets"
    )


def _article_changes(fields: dict[str, Any]) -> dict[str, Any]:
    allowed = {"author", "guid", "keywords", "description", "group", "story", "copy_of", "kind"}
    if fields.keys() - allowed:
        raise ValueError(f"an article has no {sorted(fields.keys() - allowed)}")
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
