"""One public portal: who runs it, whose it is, and how it is looked at."""

from typing import Annotated, Any, Literal

import msgspec

Jurisdiction = Literal["age", "ccaa", "local", "boe"]
Slug = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]


class Look(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How its procedures are found: a kind of source, where, and that kind's options."""

    kind: Literal["sitemap", "crawl", "feed", "seeds", "boe", "datos"]
    url: str = ""
    every: str | None = None
    cron: str | None = None
    options: dict[str, Any] = {}


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`domains` are the registered names that speak for it, everything below included."""

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
    looks: list[Look] = []


class RegistryFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    version: str
    sources: list[Entry]
