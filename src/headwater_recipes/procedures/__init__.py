"""Procedures of public administrations: pages in, ProcedureDoc files out."""

from datetime import timedelta

from headwater.discover.crawl import discover_crawl
from headwater.discover.feed import discover_feed
from headwater.discover.seeds import discover_seeds
from headwater.discover.sitemap import discover_sitemap
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Source, Trigger
from headwater.pure.urls import SEED_P, canonical
from headwater.settings.sources import SourceLine, make_source
from headwater.steps.checks import CheckEncoding, CheckLanguage, CheckWords
from headwater.steps.exact import DropExactDuplicates
from headwater.steps.language import DetectLanguage
from headwater_recipes.procedures.discover.gazette import discover_gazette
from headwater_recipes.procedures.discover.open_data import discover_open_data
from headwater_recipes.procedures.files.sink import ProcedureFiles, close_run
from headwater_recipes.procedures.normalise import LANGUAGES
from headwater_recipes.procedures.page.read import by_media_type
from headwater_recipes.procedures.registry.entry import Entry
from headwater_recipes.procedures.registry.registry import packaged
from headwater_recipes.procedures.steps import Citable, FindProcedures

NAME = "procedures"
DAILY, WEEKLY = Trigger(every=timedelta(days=1)), Trigger(every=timedelta(days=7))


def recipe() -> Recipe:
    return Recipe(
        name=NAME,
        version="1",
        sources=registered_sources(),
        discover={
            "sitemap": discover_sitemap,
            "crawl": discover_crawl,
            "feed": discover_feed,
            "seeds": discover_seeds,
            "boe": discover_gazette,
            "datos": discover_open_data,
        },
        extract=by_media_type(),
        steps=(
            CheckEncoding(),
            DetectLanguage(languages=LANGUAGES),
            CheckWords(least=50),
            CheckLanguage(allowed=LANGUAGES, undetermined=True),
            Citable(),
            DropExactDuplicates(),
            FindProcedures(),
        ),
        trigger=WEEKLY,
        triggers={"feed": DAILY, "boe": DAILY, "sitemap": DAILY},
        routes=(Route(name="procedures", sink="procedures"),),
        canonical=procedure_address,
        sinks={"procedures": ProcedureFiles},
        closing=close_run,
    )


def procedure_address(url: str) -> str:
    return canonical(url, SEED_P)


def registered_sources() -> tuple[Source, ...]:
    """What the registry says may be looked at; portals that need a login or only inform are known, not visited."""
    open_to_all = [
        entry for entry in packaged(demo=False).entries if entry.access_method in {"crawl", "api", "rss"}
    ]
    return tuple(source for entry in open_to_all for source in _sources(entry))


def _sources(entry: Entry) -> list[Source]:
    return [
        make_source(
            SourceLine(
                name=entry.id if len(entry.looks) == 1 else f"{entry.id}-{look.kind}",
                url=look.url,
                kind=look.kind,
                every=look.every,
                cron=look.cron,
                credibility=1.0,
                options=dict(look.options),
            ),
            NAME,
            where=entry.id,
        )
        for look in entry.looks
    ]
