"""The registry of public portals: who runs each, which domains it owns, and where its procedures are discovered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from headwater.settings.yaml_file import load_yaml
from headwater.text.urls import host_of
from headwater_recipes.procedures.registry.territory import LEVELS

FOLDER = Path(__file__).parent
FILES = ("state.yaml", "regional.yaml", "local.yaml", "seeds.yaml")
DEMO = "demo.yaml"
Jurisdiction = Literal["age", "ccaa", "local", "boe"]
Slug = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]


class PortalSource(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A source of procedures: its kind, address and options."""

    kind: Literal["sitemap", "crawl", "feed", "seeds", "boe", "datos"]
    url: str = ""
    every: str | None = None
    cron: str | None = None
    options: dict[str, Any] = {}


class Portal(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`domains`: the registered names that belong to the portal, with all subdomains."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{2,60}$")]
    name: str
    jurisdiction: Jurisdiction
    portal_url: str
    domains: list[str]
    access_method: Literal["crawl", "api", "rss", "auth_only", "informational"] = "crawl"
    tier: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    priority: Literal["P0", "P1", "P2"] = "P1"
    organism: str = ""
    abbreviation: Annotated[str, msgspec.Meta(pattern=r"^(?:[A-Z]{2,10})?$")] = ""
    ccaa: Slug | None = None
    province: Slug | None = None
    municipality: Slug | None = None
    languages: tuple[Literal["es", "ca", "eu", "gl", "en", "fr", "ar"], ...] = ("es",)
    content_formats: tuple[Literal["html", "pdf", "xml", "json", "csv", "rss"], ...] = ("html",)
    update_frequency: str = "irregular"
    rate_limit_rps: float = 1.0
    discovery: list[PortalSource] = []


class RegistryFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    version: str
    sources: list[Portal]


@dataclass(frozen=True)
class PortalRegistry:
    portals: tuple[Portal, ...] = ()
    by_domain: dict[str, Portal] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        table = {domain: portal for portal in self.portals for domain in portal.domains}
        object.__setattr__(self, "by_domain", table)

    def owner(self, url: str) -> Portal | None:
        """The portal with the longest domain that matches the host of the address."""
        labels = host_of(url).split(".")
        names = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self.by_domain[name] for name in names if name in self.by_domain), None)


def expected_languages(portal: Portal) -> frozenset[str]:
    """The languages in which pages of the portal are expected. The state publishes in all official languages; any portal
    may have pages in Spanish and English."""
    official = ("ca", "eu", "gl") if portal.jurisdiction in {"age", "boe"} else ()
    return frozenset({"es", "en", *portal.languages, *official})


def portal_territory(portal: Portal) -> dict[str, str]:
    places = {"ccaa": portal.ccaa, "provincia": portal.province, "municipio": portal.municipality}
    return {"nivel": LEVELS[portal.jurisdiction]} | {name: value for name, value in places.items() if value}


def read_registry(paths: Iterable[Path]) -> PortalRegistry:
    return PortalRegistry(tuple(portal for path in paths for portal in load_yaml(path, RegistryFile).sources))


@cache
def packaged_registry(*, demo: bool = True) -> PortalRegistry:
    """The portals of the package. `demo` adds those of the demo internet, which use reserved names."""
    names: Sequence[str] = (*FILES, DEMO) if demo else FILES
    return read_registry(FOLDER / name for name in names if (FOLDER / name).exists())
