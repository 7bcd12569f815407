"""The recipe for procedures of public administrations: pages in, ProcedureDoc files out."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from headwater.documents.dedupe.drop_exact_duplicates import DropExactDuplicates
from headwater.documents.language.detect_language import DetectLanguage
from headwater.documents.quality.checks import CheckEncoding, CheckLanguage, CheckWords
from headwater.extract.sandbox.extractor_by_name import ExtractorByName
from headwater.extract.sandboxed_readers import sandboxed_for_all_types
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Source, Trigger
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.kinds import CRAWL, FEED, SEEDS, SITEMAP
from headwater.text.urls import canonical_url
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.adapters.boe import discover_gazette
from headwater_recipes.procedures.adapters.datos import discover_open_data
from headwater_recipes.procedures.commands import COMMANDS
from headwater_recipes.procedures.endpoints import ENDPOINTS
from headwater_recipes.procedures.knowledge_base.sink import ProcedureFiles, close_run
from headwater_recipes.procedures.registry.portals import Portal, packaged_registry
from headwater_recipes.procedures.scores import LANGUAGES
from headwater_recipes.procedures.steps import FindProcedures, RequireCitable
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES
from headwater_recipes.procedures.web_pages import WEB_PAGES

READ_PROCEDURE = ExtractorByName("headwater_recipes.procedures.page.reader:read_procedure")
DAILY, WEEKLY = Trigger(every=timedelta(days=1)), Trigger(every=timedelta(days=7))


def build_recipe() -> Recipe:
    return Recipe(
        name=NAME,
        version="1",
        sources=(),
        endpoints=ENDPOINTS,
        web_pages=WEB_PAGES,
        bundled=with_registered_portals,
        discover={
            "sitemap": SITEMAP,
            "crawl": CRAWL,
            "feed": FEED,
            "seeds": SEEDS,
            "boe": discover_gazette,
            "datos": discover_open_data,
        },
        extract=sandboxed_for_all_types(READ_PROCEDURE),
        extract_profiles={NAME: READ_PROCEDURE},
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
        replay_monthly=True,
        triggers={"feed": DAILY, "boe": DAILY, "sitemap": DAILY},
        routes=(Route(name="procedures", sink="procedures"),),
        canonical=procedure_address,
        sinks={"procedures": ProcedureFiles},
        after_run=close_run,
        commands=COMMANDS,
    )


def with_registered_portals(options: Mapping[str, Any]) -> Recipe:
    del options
    return replace(build_recipe(), sources=registered_sources())


def procedure_address(url: str) -> str:
    return canonical_url(url, PROCEDURE_URL_RULES)


def registered_sources() -> tuple[Source, ...]:
    """The sources of all portals that can be fetched. Portals that need a login or only inform are registered, not fetched."""
    portals = packaged_registry(demo=False).portals
    fetched = [portal for portal in portals if portal.access_method in {"crawl", "api", "rss"}]
    return tuple(source for portal in fetched for source in _sources(portal))


def _sources(portal: Portal) -> list[Source]:
    return [
        make_source(
            SourceLine(
                name=portal.id if len(portal.discovery) == 1 else f"{portal.id}-{source.kind}",
                url=source.url,
                kind=source.kind,
                every=source.every,
                cron=source.cron,
                credibility=1.0,
                options=dict(source.options),
            ),
            NAME,
            where=portal.id,
        )
        for source in portal.discovery
    ]
