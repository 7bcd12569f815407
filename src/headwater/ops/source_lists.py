"""The feeds of recipes as OPML, for other programs."""

from collections.abc import Mapping, Sequence
from typing import Any

from headwater.app import App
from headwater.sources.feeds.opml import OpmlOutline, write_opml
from headwater.text.redaction import hide_secrets


def source_opml(app: App, recipes: Sequence[str]) -> str:
    """Secrets in addresses are written as ***."""
    rows = [row for recipe in recipes for row in app.catalogue.sources(recipe)]
    feeds = [source_outline(row) for row in rows if row["kind"] == "feed" and row["url"]]
    return write_opml(f"Feeds of {', '.join(recipes)}", feeds)


def source_outline(row: Mapping[str, Any]) -> OpmlOutline:
    options = row["options"] or {}
    return OpmlOutline(
        name=row["name"],
        url=hide_secrets(row["url"]),
        site=options.get("site"),
        categories=tuple(options.get("categories") or ()),
    )
