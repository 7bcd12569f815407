"""Any sources: clean text, language, quality, duplicates, stories by meaning, and mentions of your own subjects.

It has no sources of its own. Recipes of the settings are usually like this one.
"""

from datetime import timedelta
from pathlib import Path

from headwater.documents.embedding.models import nlp_installed
from headwater.extract.sandboxed_readers import readers_by_media_type
from headwater.model.page import PageMode
from headwater.model.recipe import Recipe, Route
from headwater.model.source import Trigger
from headwater.recipes.named_groupings import make_grouping
from headwater.recipes.named_steps import DEFAULT_STEPS, StepParts, make_steps
from headwater.settings.recipes import GroupSettings
from headwater.settings.settings import DEFAULT_DATA
from headwater.sources.kinds import STANDARD_KINDS
from headwater.stories.document_vectors import DocumentEncoder

NAME = "news"
# Reports of one event rarely lie further apart, and older stories cost nothing any more.
GROUP = GroupSettings(by="all", cluster="meaning", settle="5s", window="4d")


def recipe() -> Recipe:
    return build_recipe(Path(DEFAULT_DATA), "")


def build_recipe(folder: Path, encoder: str) -> Recipe:
    """The recipe with its models in this data folder. Without headwater[nlp] it compares words."""
    document_encoder = DocumentEncoder(str(folder), encoder or None) if nlp_installed() else None
    return Recipe(
        name=NAME,
        version="1",
        sources=(),
        discover=STANDARD_KINDS,
        extract=readers_by_media_type(fragments=True),
        steps=make_steps(DEFAULT_STEPS, StepParts(encoder=document_encoder), NAME),
        trigger=Trigger(every=timedelta(minutes=30)),
        triggers={kind: Trigger(every=timedelta(hours=6)) for kind in ("sitemap", "crawl", "seeds", "page")},
        pages=dict.fromkeys(("feed", "json"), PageMode.TRY),
        grouping=make_grouping(GROUP, document_encoder, NAME),
        routes=(Route(name="articles", sink="files"),),
        with_data_dir=build_recipe,
    )
