"""The recipe for procedures of public administrations: pages in, ProcedureDoc files out."""

from datetime import timedelta

from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.quality.checks import CheckEncoding, CheckLanguage, CheckWords
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Source, Trigger
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.crawl.poll import discover_crawl
from headwater.sources.feeds.poll import discover_feed
from headwater.sources.seeds import discover_seeds
from headwater.sources.sitemaps.poll import discover_sitemap
from headwater.text.urls import SEED_P_RULES, canonical_url
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.adapters.boe import discover_gazette
from headwater_recipes.procedures.adapters.datos import discover_open_data
from headwater_recipes.procedures.commands import COMMANDS
from headwater_recipes.procedures.knowledge_base.sink import ProcedureFiles, close_run
from headwater_recipes.procedures.normalise import LANGUAGES
from headwater_recipes.procedures.page.reader import procedure_readers
from headwater_recipes.procedures.registry.portals import Portal, packaged_registry
from headwater_recipes.procedures.steps import FindProcedures, RequireCitable

DAILY, WEEKLY = Trigger(every=timedelta(days=1)), Trigger(every=timedelta(days=7))


def build_recipe() -> Recipe:
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
        extract=procedure_readers(),
        steps=(
            CheckEncoding(),
            DetectLanguage(languages=LANGUAGES),
            CheckWords(minimum=50),
            CheckLanguage(allowed=LANGUAGES, undetermined=True),
            RequireCitable(),
            DropExactDuplicates(),
            FindProcedures(),
        ),
        trigger=WEEKLY,
        triggers={"feed": DAILY, "boe": DAILY, "sitemap": DAILY},
        routes=(Route(name="procedures", sink="procedures"),),
        canonical=procedure_address,
        sinks={"procedures": ProcedureFiles},
        after_run=close_run,
        commands=COMMANDS,
    )


def procedure_address(url: str) -> str:
    return canonical_url(url, SEED_P_RULES)


def registered_sources() -> tuple[Source, ...]:
    """What the registry says may be looked at; portals that need a login or only inform are known, not visited."""
    open_to_all = [
        entry
        for entry in packaged_registry(demo=False).entries
        if entry.access_method in {"crawl", "api", "rss"}
    ]
    return tuple(source for entry in open_to_all for source in _sources(entry))


def _sources(entry: Portal) -> list[Source]:
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
