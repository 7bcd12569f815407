"""Writes the article of an assignment: the same assignment always yields the same words."""

from dataclasses import replace
from datetime import timedelta
from random import Random

from headwater_demo.article import DemoArticle, title_slug
from headwater_demo.prose.editing import correction, edit_text
from headwater_demo.prose.report import market_report
from headwater_demo.prose.text import ArticleText
from headwater_demo.prose.writer import write
from headwater_demo.publishers import Publisher
from headwater_demo.schedule import Assignment

_CORRECTED_AFTER = timedelta(hours=6)
_CORRECTED_EVERY = 8


def compose(assignment: Assignment, *, seed: int) -> DemoArticle:
    if assignment.source is None:
        return _compose_original(assignment, seed)
    source = compose(assignment.source, seed=seed)
    copy = _place_copy(source, assignment)
    if assignment.kind == "exact_copy":
        return copy
    if assignment.kind == "shared_guid":
        return replace(copy, guid=source.guid)
    text = edit_text(source.title, source.paragraphs, Random(f"{seed}:edit:{assignment.number}"))
    renamed = replace(
        copy, title=text.title, paragraphs=text.paragraphs, group=copy.id, description=text.description
    )
    return replace(renamed, path=_path(assignment.publisher, renamed))


def is_corrected_later(assignment: Assignment) -> bool:
    """Some originals receive a correction, but never one that has copies, which would no longer be exact."""
    return (
        assignment.kind == "original" and not assignment.copied and assignment.number % _CORRECTED_EVERY == 0
    )


def with_correction(article: DemoArticle) -> DemoArticle:
    note = correction(article.language)
    return replace(
        article, modified=article.published + _CORRECTED_AFTER, paragraphs=(*article.paragraphs, note)
    )


def _compose_original(assignment: Assignment, seed: int) -> DemoArticle:
    chance = Random(f"{seed}:text:{assignment.number}")
    if assignment.kind == "daily_report":
        text = market_report(assignment.publisher.name, assignment.published, chance)
    else:
        text = write(
            assignment.topic, assignment.publisher.language, assignment.serial, assignment.published, chance
        )
    return make_article(f"a{assignment.number}", assignment, text)


def make_article(identity: str, assignment: Assignment, text: ArticleText) -> DemoArticle:
    publisher = assignment.publisher
    article = DemoArticle(
        id=identity,
        kind=assignment.kind,
        group=identity,
        story=identity,
        host=publisher.host,
        path="",
        guid=f"tag:{publisher.host},2026:{identity}",
        title=text.title,
        author=text.author,
        published=assignment.published.astimezone(publisher.zone),
        modified=assignment.published.astimezone(publisher.zone),
        description=text.description,
        keywords=text.keywords,
        topic=text.topic or assignment.topic,
        language=publisher.language,
        paragraphs=text.paragraphs,
    )
    return replace(article, path=_path(publisher, article))


def _place_copy(source: DemoArticle, assignment: Assignment) -> DemoArticle:
    publisher, identity = assignment.publisher, f"a{assignment.number}"
    moment = assignment.published.astimezone(publisher.zone)
    copy = replace(
        source,
        id=identity,
        kind=assignment.kind,
        copy_of=source.id,
        host=publisher.host,
        guid=f"tag:{publisher.host},2026:{identity}",
        published=moment,
        modified=moment,
    )
    return replace(copy, path=_path(publisher, copy))


def _path(publisher: Publisher, article: DemoArticle) -> str:
    name, number = title_slug(article.title), 4000 + int(article.id[1:])
    day = article.published
    return {
        "dated": f"/{day:%Y/%m/%d}/{name}",
        "news": f"/news/{name}-{number}",
        "query": f"/story.php?id={number}",
        "html": f"/{article.topic}/{name}-{number}.html",
        "short": f"/{number}/{name}/",
    }[publisher.urls]
