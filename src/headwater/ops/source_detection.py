"""What an address is: a feed, a sitemap, a page, a JSON API; and what a source of it would bring."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

from headwater.app import App
from headwater.documents.language.detect_language import rank_languages
from headwater.extract.html.reader import read_html
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.fetch.failure_sentences import failure_words
from headwater.fetch.guard.routes import RequestRouter
from headwater.fetch.politeness.robots_txt import RobotsTxt, product_token, robots_from_response
from headwater.fetch.responses import header_value
from headwater.fetch.settings import FetchSettings
from headwater.fetch.source_secrets import has_references, may_move
from headwater.model.errors import Permanent, Refused
from headwater.model.http import Failure, Response
from headwater.model.outcomes import ExtractHints, Reading
from headwater.model.recipe import Parse
from headwater.model.source import Source
from headwater.model.warning_log import WarningLog
from headwater.ops.feed_check import (
    MOST_TRIED,
    NO_HEADERS,
    Headers,
    answers_for,
    feed_in_sandbox,
    operator_source,
)
from headwater.sources.feeds.autodiscovery import guess_feed_urls
from headwater.sources.feeds.feed import Feed, NotAFeed
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap
from headwater.sources.sitemaps.sitemap import NotASitemap, ParsedSitemap
from headwater.sources.update_frequency import learn_frequency
from headwater.text.json_payload import BadJson, decode_payload
from headwater.text.printable import printable_line

SHOWN_ITEMS = 5
PERMANENT_REDIRECTS = frozenset({301, 308})
SITEMAP = "/sitemap.xml"
LANGUAGE_SAMPLE = 2_000
SURE_LANGUAGE = 0.8


class UnusableSource(Refused):
    """An address that cannot be fetched or read as a source; `cause` is the reason of the failure, if it has one. Command and
    page each add what their reader can do about it."""

    def __init__(self, url: str, why: str, cause: str = "") -> None:
        super().__init__("unusable_source", f"{url} cannot be used: {why}")
        self.cause = cause


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """Something that the source lists now."""

    title: str
    url: str
    published: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCandidate:
    """A source that an address offers. `items` are its newest; `every` is how often it publishes; `pages` says whether the
    pages that it lists may be fetched: "allowed", "disallowed" or "" when that is not known. `note` says what it needs.
    `has_more`: it lists more than `item_count`, which is how many a preview has read."""

    kind: str
    url: str
    title: str = ""
    items: tuple[PreviewItem, ...] = ()
    item_count: int = 0
    has_more: bool = False
    every: timedelta | None = None
    language: str = ""
    pages: str = ""
    note: str = ""


def detect_sources(
    app: App, url: str, within: timedelta, headers: Headers = NO_HEADERS
) -> list[SourceCandidate]:
    """The sources that an address offers, the best first. Raises Refused if it cannot be fetched or read. `headers` are sent
    to the origin of the address."""
    source = operator_source(url, headers)
    answer = answers_for(app, {url: source}, within)[url]
    if isinstance(answer, Failure):
        raise UnusableSource(url, failure_sentence(url, answer), answer.reason)
    if answer.status != 200:
        raise UnusableSource(url, f"it answers with status {answer.status}")
    candidates = _candidates(app, replace(source, url=lasting_url(source, answer)), answer, within)
    if not candidates:
        looks_like_json = answer.body.lstrip()[:1] in (b"{", b"[")
        problem = (
            "its JSON is cut off or not valid" if looks_like_json else "it is no feed, sitemap, page or JSON"
        )
        raise UnusableSource(url, problem)
    return [with_page_permission(app, candidates[0], within), *candidates[1:]]


def lasting_url(source: Source, answer: Response) -> str:
    """Where permanent redirects lead, as a poll would take it over; so one feed is not added under several addresses."""
    is_permanent = bool(answer.hops) and all(status in PERMANENT_REDIRECTS for status, _ in answer.hops)
    return answer.url if is_permanent and may_move(source, answer.url) else source.url


def refuse_private_address(app: App, url: str) -> None:
    """For a source that is added without being fetched first."""
    failure = RequestRouter(app.fetch_settings).address_refusal(url)
    if failure is not None:
        raise UnusableSource(url, failure_sentence(url, failure), failure.reason)


def failure_sentence(url: str, failure: Failure) -> str:
    """Why an address could not be fetched, and the setting that would change it, if there is one."""
    if failure.reason == "forbidden_address":
        place = urlsplit(url).netloc
        port = "" if ":" in place else ":443" if url.startswith("https:") else ":80"
        return f'it is a private address; to allow it, set `allow: ["{place}{port}"]` in the settings'
    sentence = failure_words(failure.reason, failure.detail)
    cause = failure.detail.rpartition(": ")[2] or failure.reason
    return f"{sentence} ({cause})" if sentence else f"{failure.reason} {failure.detail}".strip()


def _candidates(app: App, source: Source, answer: Response, within: timedelta) -> list[SourceCandidate]:
    url = source.url
    try:
        return [feed_candidate(url, feed_in_sandbox(answer))]
    except Permanent as error:
        raise UnusableSource(url, f"{error.reason} {error.detail}".rstrip()) from error
    except NotAFeed as error:
        if error.reason == "html":
            # A page must not name a variable of ours.
            named = [feed for feed in error.alternates if not has_references(feed)]
            feeds = named or guess_feed_urls(answer.url)
            return _candidates_of_page(app, source, answer, feeds[:MOST_TRIED], within)
        if error.reason == "json":
            return _json_candidates(url, answer)
        sitemap = _sitemap_candidate(url, answer)
        return [] if sitemap is None else [sitemap]


def _candidates_of_page(
    app: App, source: Source, answer: Response, feeds: Sequence[str], within: timedelta
) -> list[SourceCandidate]:
    """The feeds that a page names, the sitemap that its robots.txt names or that is in the usual place, and the page itself."""
    robots_url, usual_sitemap = urljoin(answer.url, "/robots.txt"), urljoin(answer.url, SITEMAP)
    answers = answers_for(app, dict.fromkeys([*feeds, robots_url, usual_sitemap], source), within)
    candidates = []
    for feed in feeds:
        response = answers[feed]
        if isinstance(response, Response) and response.status == 200:
            candidates += _feed_or_nothing(feed, response)
    # The feed of comments is rarely the one that is wanted.
    candidates.sort(key=lambda candidate: "comment" in candidate.url.lower())
    sitemaps = [url for url in _robots(answers[robots_url]).sitemaps if not has_references(url)]
    site_maps = [
        SourceCandidate(kind="sitemap", url=sitemap, title=host(sitemap)) for sitemap in sitemaps[:1]
    ] or _sitemap_or_nothing(usual_sitemap, answers[usual_sitemap])
    return [*candidates, *site_maps, _page_candidate(source.url, answer)]


def _json_candidates(url: str, answer: Response) -> list[SourceCandidate]:
    """An API that needs a map of its fields; nothing if its answer is not whole."""
    try:
        decode_payload(answer.body)
    except BadJson:
        return []
    return [SourceCandidate(kind="json", url=url, note="it needs the options `items` and `fields`")]


def _feed_or_nothing(url: str, response: Response) -> list[SourceCandidate]:
    try:
        feed = feed_in_sandbox(response)
    except (NotAFeed, Permanent):
        return []
    return [feed_candidate(url, feed)] if feed.entries else []


def _sitemap_or_nothing(url: str, answer: Response | Failure) -> list[SourceCandidate]:
    if isinstance(answer, Failure) or answer.status != 200:
        return []
    try:
        candidate = _sitemap_candidate(url, answer)
    except Permanent:
        return []
    return [] if candidate is None else [candidate]


def feed_candidate(url: str, feed: Feed) -> SourceCandidate:
    entries = sorted(feed.entries, key=lambda entry: _seconds(entry.published or entry.updated), reverse=True)
    dates = [date for entry in feed.entries if (date := entry.published or entry.updated)]
    frequency = learn_frequency(dates)
    sample = " ".join(f"{entry.title or ''}. {entry.summary or ''}" for entry in entries[:20])
    return SourceCandidate(
        kind="feed",
        url=url,
        title=printable_line(feed.title or ""),
        items=tuple(
            PreviewItem(entry.title or entry.link or "", entry.link or "", entry.published or entry.updated)
            for entry in entries[:SHOWN_ITEMS]
        ),
        item_count=len(feed.entries),
        every=frequency.every if frequency else None,
        language=feed.language or guess_language(sample),
        note="" if feed.entries else "it has no entries now",
    )


def _sitemap_candidate(url: str, answer: Response) -> SourceCandidate | None:
    hints = ExtractHints(url=answer.url, media_type=header_value(answer.headers, "content-type"))
    parsed: ParsedSitemap = parse_in_sandbox(Parse(parse_untrusted_sitemap, answer.body, hints))
    try:
        sitemap = parsed.unwrap(WarningLog())
    except NotASitemap:
        return None
    entries = list(sitemap.entries)
    urls = [entry.url for entry in entries]
    return SourceCandidate(
        kind="sitemap",
        url=url,
        title=host(url),
        items=tuple(PreviewItem(address, address) for address in urls[:SHOWN_ITEMS]),
        item_count=len(urls),
        note="an index of other sitemaps" if sitemap.kind == "index" else "",
    )


def _page_candidate(url: str, answer: Response) -> SourceCandidate:
    """The page itself, as one that is watched for changes."""
    hints = ExtractHints(url=answer.url, media_type=header_value(answer.headers, "content-type"))
    reading = parse_in_sandbox(Parse(read_html, answer.body, hints))
    title = reading.title if isinstance(reading, Reading) else ""
    language = reading.language or guess_language(reading.text) if isinstance(reading, Reading) else ""
    return SourceCandidate(
        kind="page",
        url=url,
        title=printable_line(title) or host(url),
        language=language,
        note="watched for changes",
    )


def with_page_permission(app: App, candidate: SourceCandidate, within: timedelta) -> SourceCandidate:
    """The candidate with the answer of the robots.txt of the site that its first item is on."""
    url = next((item.url for item in candidate.items if item.url), "")
    if not url:
        return candidate
    robots_url = urljoin(url, "/robots.txt")
    robots = _robots(answers_for(app, {robots_url: operator_source(robots_url)}, within)[robots_url])
    parts = urlsplit(url)
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    decision = robots.decision(product_token(FetchSettings().user_agent), path)
    return replace(candidate, pages="allowed" if decision.allowed else "disallowed")


def _robots(answer: Response | Failure) -> RobotsTxt:
    """Nothing is forbidden where there is no file; polls decide again, with every rule."""
    if isinstance(answer, Failure):
        return RobotsTxt()
    return robots_from_response(answer.status, answer.body)


def guess_language(text: str) -> str:
    """The code of the language of a text, or nothing when it is not sure."""
    sample = text[:LANGUAGE_SAMPLE].strip()
    if len(sample) < 40:
        return ""
    code, share = rank_languages(sample)[0]
    return code if share >= SURE_LANGUAGE else ""


def host(url: str) -> str:
    return urlsplit(url).hostname or url


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
