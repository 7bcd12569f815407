"""A trial of one URL: policy, response, extracted content and quality, as plain data. Nothing is stored."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from headwater.app import App
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.responses import GiveUp, Retry, header_value, judge_response
from headwater.logs import configure_logs
from headwater.model.document import Document
from headwater.model.errors import Permanent
from headwater.model.http import Failure, Request, Response
from headwater.model.outcomes import Drop, Extract, ExtractHints, Reading, Unreadable
from headwater.model.recipe import EmptyKnowledge, Parse, Recipe, StepContext
from headwater.model.warning_log import WarningLog
from headwater.ops.feed_check import feed_in_sandbox
from headwater.sources.feeds.feed import Feed, NotAFeed
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap
from headwater.sources.sitemaps.sitemap import NotASitemap
from headwater.text.charset import declared_charset, meta_charset

FETCH_TIMEOUT = timedelta(seconds=60)
LINES, LINE = 5, 160
ENTRIES = 10
PERHAPS_FEEDS = ("application/xml", "text/xml", "application/json")
FEED_TYPES = ("rss", "atom", "rdf", "feed+json")
# The steps that judge a single document; the others compare with stored documents, or need several.
GATES = ("normalis", "language", "quality")

TrialReport = dict[str, Any]


def fetch_once(app: App, url: str) -> Response | Failure:
    """One request under the usual rules. Uses the rate limits of the environment if there is one, and creates none."""
    configure_logs(app.settings.log, app.settings.log_level)
    fetcher = app.fetcher() if app.settings.database_exists else HttpFetcher(app.fetch_settings)
    try:
        fetcher.submit(url, Request(url=url))
        answers = fetcher.collect(1, FETCH_TIMEOUT)
        return answers[0][1] if answers else Failure("timeout", "no answer in time")
    finally:
        fetcher.close()


def describe_outcome(
    url: str, answer: Response | Failure, recipes: Sequence[Recipe], now: datetime
) -> TrialReport:
    report: TrialReport = {"url": url, "ok": False, "reason": "", "detail": "", "policy": _policy(answer)}
    if isinstance(answer, Failure):
        return report | {"reason": answer.reason, "detail": answer.detail}
    report["answer"] = _answer(answer)
    verdict = judge_response(answer, attempts=0, now=now)
    if isinstance(verdict, Retry | GiveUp):
        return report | {"reason": verdict.reason, "detail": f"status {answer.status}"}
    return report | (_as_sitemap(answer) or _as_feed(answer) or _as_page(answer, recipes, now))


def _policy(answer: Response | Failure) -> TrialReport:
    refused = isinstance(answer, Failure) and "refused_by" in answer.policy
    return {"allowed": not refused, **{name: value for name, value in answer.policy.items() if value != ""}}


def _answer(answer: Response) -> TrialReport:
    return {
        "status": answer.status,
        "final_url": answer.url,
        "redirects": [{"status": status, "url": url} for status, url in answer.hops],
        "media_type": answer.media_type,
        "declared_type": header_value(answer.headers, "content-type"),
        "charset": _charset(answer),
        "size": len(answer.body),
        "elapsed_ms": answer.elapsed_ms,
        "etag": header_value(answer.headers, "etag"),
        "last_modified": header_value(answer.headers, "last-modified"),
    }


def _charset(answer: Response) -> str:
    """What the bytes are in: as the header says, as they say themselves, else what they look like."""
    try:
        answer.body.decode()
    except UnicodeDecodeError:
        stated = declared_charset(header_value(answer.headers, "content-type"))
        return stated or (meta_charset(answer.body) or "").lower()
    return "utf-8"


def _as_feed(answer: Response) -> TrialReport | None:
    surely = any(part in answer.media_type for part in FEED_TYPES)
    if not surely and answer.media_type not in PERHAPS_FEEDS:
        return None
    try:
        feed = feed_in_sandbox(answer)
    except Permanent as error:
        return {"reason": error.reason, "detail": error.detail}
    except NotAFeed as error:
        if not surely and error.reason in ("unknown", "html", "opml", "sitemap", "json"):
            return None
        return {"reason": f"not_a_feed:{error.reason}", "detail": str(error)}
    return {"ok": bool(feed.entries), "reason": "" if feed.entries else "no_entries", "feed": _feed(feed)}


def _feed(feed: Feed) -> TrialReport:
    shown = islice(feed.entries, ENTRIES)
    return {
        "format": feed.format,
        "title": feed.title,
        "language": feed.language,
        "entries": len(feed.entries),
        "first": [f"{entry.title or entry.id} <{entry.link}>" for entry in shown],
        "warnings": list(feed.warnings),
    }


def _as_sitemap(answer: Response) -> TrialReport | None:
    start = answer.body[:2048]
    if b"<urlset" not in start and b"<sitemapindex" not in start:
        return None
    notes = WarningLog()
    try:
        hints = ExtractHints(url=answer.url, media_type=answer.media_type)
        sitemap = parse_in_sandbox(Parse(parse_untrusted_sitemap, answer.body, hints)).unwrap(notes)
        listed = list(sitemap.entries)
    except Permanent as error:
        return {"reason": error.reason, "detail": error.detail}
    except NotASitemap as error:
        return {"reason": f"not_a_sitemap:{error.reason}", "detail": error.detail}
    shown = {"kind": sitemap.kind, "addresses": len(listed), "first": [line.url for line in listed[:ENTRIES]]}
    return {"ok": bool(listed), "sitemap": shown | {"warnings": list(notes.lines())}}


def _as_page(answer: Response, recipes: Sequence[Recipe], now: datetime) -> TrialReport:
    recipe = next((recipe for recipe in recipes if _extractor(answer.media_type, recipe)), None)
    extract = _extractor(answer.media_type, recipe) if recipe else None
    if recipe is None or extract is None:
        return {"reason": "unsupported", "detail": f"no recipe reads {answer.media_type}"}
    reading = extract(answer.body, ExtractHints(url=answer.url, media_type=answer.media_type))
    if isinstance(reading, Unreadable):
        return {"reason": reading.reason, "detail": reading.detail}
    quality = _quality(_document(answer, reading, recipe), recipe, now)
    kept = quality.get("verdict", "keep") == "keep"
    return {
        "ok": kept,
        "reason": "" if kept else quality["reason"],
        "reading": _reading(reading),
        "quality": quality,
    }


def _extractor(media_type: str, recipe: Recipe) -> Extract | None:
    return recipe.extract.get(media_type) or recipe.extract.get("*")


def _reading(reading: Reading) -> TrialReport:
    plain = reading.plain or reading.text
    lines = (line.strip() for line in plain.splitlines() if line.strip())
    return {
        "title": reading.title,
        "published": reading.published,
        "modified": reading.modified,
        "authors": list(reading.authors),
        "publisher": reading.publisher,
        "language": reading.language,
        "words": len(plain.split()),
        "method": reading.method,
        "confidence": reading.confidence,
        "canonical_url": reading.canonical_url,
        "description": reading.description,
        "keywords": list(reading.keywords),
        "origins": dict(reading.origins),
        "first_lines": [line[:LINE] for line in islice(lines, LINES)],
    }


def _quality(document: Document, recipe: Recipe, now: datetime) -> TrialReport:
    """The verdict of the quality steps of the recipe; empty if it has none."""
    gates = [step for step in recipe.steps if any(word in step.name.lower() for word in GATES)]
    if not any("quality" in step.name.lower() for step in gates):
        return {}
    context = StepContext(recipe.name, now, EmptyKnowledge())
    notes: TrialReport = {}
    for step in gates:
        (outcome,) = step([document], context)
        if not isinstance(outcome, Document):
            verdict = "drop" if isinstance(outcome, Drop) else "quarantine"
            return {"verdict": verdict, "reason": outcome.reason, "step": step.name, **outcome.evidence}
        notes |= {name: value for name, value in outcome.notes.items() if "quality" in step.name.lower()}
        document = replace(outcome, notes={})
    return {"verdict": "keep", "score": document.quality, **notes}


def _document(answer: Response, reading: Reading, recipe: Recipe) -> Document:
    fields = (
        "title",
        "text",
        "language",
        "published",
        "modified",
        "authors",
        "publisher",
        "description",
        "keywords",
    )
    values = {name: getattr(reading, name) for name in fields}
    return Document(id="trial", recipe=recipe.name, source="", lead="", url=answer.url, **values)
