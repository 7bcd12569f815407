"""The general recipe over sources of every kind, with subjects, duplicates and stories."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.servers.browser_site import Site, serving
from tests.support.deadline import LONGEST_RUN
from tests.support.recipe_run import QuickClock
from tests.support.table_rows import table_rows

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.model.jobs import State
from headwater.runtime.inline import run_inline
from headwater.settings.recipes import GroupSettings, RecipeSettings
from headwater.settings.settings import Settings
from headwater.store.schema.flow import documents, sources, stories
from headwater.store.schema.knowledge import mentions

DAY = QuickClock().start.date()
AUCTION = (
    "The grid agency opened the offshore wind auction on Monday and received nine bids for the six sites in the "
    "northern bay. Nordwind Tidal offered the lowest price, the agency said, and results will follow within a month. "
    "Fishing towns along the coast asked for a review of the shipping lanes before any tower is built."
)
AUCTION_ELSEWHERE = (
    "Nine bids for six sites in the northern bay reached the grid agency when its offshore wind auction opened on Monday. "
    "The lowest came from Nordwind Tidal. A decision is due within a month, while fishing towns on the coast want the "
    "shipping lanes reviewed before construction of the towers begins."
)
OTHERS = {
    "feed": "The port of Vellmar closed its oldest dry dock after ninety years, and its last crew kept the whistle. "
    * 3,
    "sitemap": "A library in Ostrand lends telescopes now, and the waiting list for clear winter nights is long. "
    * 3,
    "crawl": "Bakers in Lindholm agreed on one price for rye bread, which the consumer office is looking into. "
    * 3,
    "seeds": "Two ferries between Hask and Marn will run on batteries from spring, the county council decided. "
    * 3,
    "page": "The council decides about the tram line to the airport in its December session, says the agenda. "
    * 3,
    "json": "Beekeepers in the Sorn valley report the largest harvest of heather honey for twenty years now. "
    * 3,
    "mail": "This week in energy: storage tenders, a heat network in an old mine, and a reader's question. "
    * 3,
}


def page(title: str, text: str) -> str:
    return (
        f"<html lang=en><head><title>{title}</title>"
        f'<meta property="article:published_time" content="{DAY}T06:00:00Z"></head>'
        f"<body><article><h1>{title}</h1><p>{text}</p></article></body></html>"
    )


def feed(*entries: tuple[str, str]) -> str:
    items = "".join(
        f"<item><title>{title}</title><link>http://paper.example{path}</link><guid>{path}</guid></item>"
        for title, path in entries
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Paper</title>{items}</channel></rss>'


PAGES: dict[str, Any] = {
    "/feed": feed(("Auction opens", "/auction"), ("Dock closes", "/dock"), ("Auction opens", "/copy")),
    "/auction": page("Auction opens", AUCTION),
    "/copy": page("Auction opens", AUCTION),
    "/dock": page("Dock closes", OTHERS["feed"]),
    "/sitemap.xml": '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>http://map.example/telescopes</loc></url></urlset>",
    "/telescopes": page("Telescopes to lend", OTHERS["sitemap"]),
    "/start": '<html><body><a href="/start/bread">Bread</a></body></html>',
    "/start/bread": page("One price for rye bread", OTHERS["crawl"]),
    "/ferries": page("Battery ferries", OTHERS["seeds"]),
    "/agenda": page("Agenda", OTHERS["page"]),
    "/api": json.dumps(
        {
            "items": [
                {"id": 1, "headline": "Honey harvest", "body": OTHERS["json"], "at": f"{DAY}T05:00:00Z"},
                {"id": 2, "headline": "Bids for the bay", "link": "/bids", "at": f"{DAY}T07:00:00Z"},
            ]
        }
    ),
    "/bids": page("Bids for the bay", AUCTION_ELSEWHERE),
}
FIELDS = {"id": "id", "title": "headline", "text": "body", "url": "link", "published": "at"}


def source_list(folder: Path) -> list[dict[str, Any]]:
    return [
        {"name": "Paper", "url": "http://paper.example/feed"},
        {"name": "Map", "kind": "sitemap", "url": "http://map.example/sitemap.xml"},
        {"name": "Site", "kind": "crawl", "url": "http://site.example/start"},
        {"name": "List", "kind": "seeds", "options": {"urls": ["http://list.example/ferries"]}},
        {"name": "Agenda", "kind": "page", "url": "http://council.example/agenda", "options": {"selector": "article"}},
        {"name": "Api", "kind": "json", "url": "http://api.example/api", "options": {"items": "items", "fields": FIELDS}},
        {"name": "Letters", "kind": "mail", "options": {"folder": str(folder / "letters")}},
    ]  # fmt: skip


@dataclass
class NewsRun:
    app: App
    context: JobContext
    site: Site
    clock: QuickClock

    def run(self) -> None:
        horizon = timedelta(minutes=5)
        assert run_inline(self.context, ["news"], horizon=horizon, longest=LONGEST_RUN), "not idle in time"

    def rows(self, table: Any, **match: Any) -> list[dict[str, Any]]:
        return table_rows(self.app.store.engine, table, **match)


@pytest.fixture(scope="module")
def news_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewsRun]:
    folder = tmp_path_factory.mktemp("news")
    (folder / "letters").mkdir()
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Message-ID"] = (
        "Tide <t@tide.example>",
        "This week",
        "<1@tide.example>",
    )
    mail["Date"] = format_datetime(QuickClock().start)
    mail.set_content(OTHERS["mail"])
    (folder / "letters" / "1.eml").write_bytes(mail.as_bytes())
    (folder / "sources.yaml").write_text(yaml.safe_dump({"sources": source_list(folder)}))
    (folder / "subjects.yaml").write_text("subjects:\n  - {id: nordwind, name: Nordwind Tidal}\n")
    recipe = RecipeSettings(
        sources=str(folder / "sources.yaml"),
        subjects=str(folder / "subjects.yaml"),
        group=GroupSettings(cluster="words", settle="1s", window="4d"),
    )
    clock = QuickClock()
    with serving(PAGES) as site:
        settings = Settings(
            data=str(folder / "data"),
            hosts={"*.example": site.base},
            requests_per_second=0,
            log_level="error",
            recipes={"news": recipe},
        )
        app = App(settings, clock=clock)
        app.register(app.recipe("news"))
        run = NewsRun(app, app.context("laboratory", fetching=True), site, clock)
        run.run()
        yield run
        assert run.context.fetcher is not None
        run.context.fetcher.close()
        app.store.engine.dispose()


def test_every_kind_of_source_brings_documents(news_run: NewsRun):
    kinds = {row["id"]: row["kind"] for row in news_run.rows(sources)}
    kinds_with_documents = {kinds[row["source_id"]] for row in news_run.rows(documents, state=State.KEPT)}
    assert kinds_with_documents == {"feed", "sitemap", "crawl", "seeds", "page", "json", "mail"}


def test_documents_have_text_language_quality_and_origins(news_run: NewsRun):
    for row in news_run.rows(documents, state=State.KEPT):
        assert row["text"], row["url"]
        assert row["language"] == "en"
        assert row["quality"] is not None
        assert row["origins"]["title"]


def test_a_copy_is_linked_to_its_original(news_run: NewsRun):
    (copy,) = news_run.rows(documents, state=State.DUPLICATE)
    (original,) = news_run.rows(documents, id=copy["duplicate_of"])
    assert {url.rpartition("/")[2] for url in (copy["url"], original["url"])} == {"copy", "auction"}


def test_two_reports_of_one_event_are_one_story_with_a_summary(news_run: NewsRun):
    (story,) = [row for row in news_run.rows(stories, state="live") if row["size"] > 1]
    assert story["size"] == 2
    assert story["attributes"]["articles"] == 2
    assert "bids" in story["summary"]


def test_the_users_own_subjects_are_found(news_run: NewsRun):
    named = {row["document_id"] for row in news_run.rows(mentions, subject_id="nordwind")}
    titles = {row["title"] for row in news_run.rows(documents) if row["id"] in named}
    assert titles == {"Auction opens", "Bids for the bay"}
