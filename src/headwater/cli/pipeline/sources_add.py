"""`headwater sources validate` and `add`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.text import Text

from headwater.app import App
from headwater.cli.environment import make_app
from headwater.cli.options import Json, RecipeName
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    format_relative,
    print_json,
    print_json_lines,
)
from headwater.cli.standalone.inputs import is_url
from headwater.model.errors import Refused
from headwater.model.source import Source
from headwater.ops.feed_check import FeedCheck, check_feeds, find_feed
from headwater.recipes.definition import with_bundled_list
from headwater.settings.recipes import BUNDLED, RecipeSettings
from headwater.settings.sources import SourceLine, make_source
from headwater.store.rows import source_from
from headwater.text.redaction import hide_secrets, redact_record

Duration = Annotated[
    str | None, typer.Option(metavar="DURATION", help="Poll at this interval: 90s, 15m, 4h, 1d.")
]
Cron = Annotated[str | None, typer.Option(metavar="CRON", help="Poll by a cron expression, in UTC.")]
Seconds = Annotated[float, typer.Option(min=0.1, help="Time limit for an answer.")]


def validate(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="URL|RECIPE", help="A URL, or a recipe to check all its sources.")
    ],
    seconds: Seconds = 2.0,
    as_json: Json = False,
) -> None:
    """Fetch a feed once and show what it is: format, entries, age, problems.

    Stores nothing. The exit code is 1 if a feed cannot be used.
    """
    app = make_app(context)
    urls = [target] if is_url(target) else _source_urls(app, target)
    checks = check_feeds(app, urls, timedelta(seconds=seconds))
    if as_json:
        print_json_lines(redact_record(asdict(result)) for result in checks)
    else:
        for result in checks:
            _show(result, console(), app.clock())
    if not all(result.ok for result in checks):
        raise typer.Exit(1)


def _source_urls(app: App, recipe: str) -> Sequence[str]:
    """The current URLs of the stored sources, which may have moved; without any, those of the recipe."""
    stored = app.recipe(recipe)
    rows = app.catalogue.sources(recipe) if app.settings.database_exists else []
    feed = [row["url"] for row in rows if row["kind"] == "feed" and row["active"]]
    return feed or [source.url for source in stored.sources if source.kind == "feed"]


def _show(result: FeedCheck, out: Console, now: datetime) -> None:
    out.print(cell(result.url), soft_wrap=True)
    for line, style in _lines(result, now):
        out.print(Text("  ") + cell(line, style), soft_wrap=True)


def _lines(result: FeedCheck, now: datetime) -> Iterator[tuple[str, str]]:
    """The lines to print, each with its style."""
    if result.ok:
        newest = f"newest {format_relative(result.newest, now)}" if result.newest else "without dates"
        yield f"{result.format} '{result.title}': {result.entries} entries, {newest}", "green"
        if result.freshness == "stale":
            yield "note: nothing new for a long time", "yellow"
    else:
        yield f"not usable: {result.reason} {result.detail}", "red"
    if result.final_url not in {"", result.url}:
        yield f"answered from {result.final_url}", ""
    yield from ((f"note: {warning}", "yellow") for warning in result.warnings)
    yield from ((f"try {feed}", "") for feed in result.feeds)


def add(
    context: typer.Context,
    recipe: RecipeName,
    url: Annotated[
        str, typer.Argument(metavar="[URL]", help="The URL of a feed, or of a site that has one.")
    ] = "",
    *,
    bundled: Annotated[
        bool, typer.Option("--bundled", help="Add the sources that come with the recipe instead.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="The name of the source; default: the title of the feed.")
    ] = None,
    every: Duration = None,
    cron: Cron = None,
    fallback: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Fall back to this feed when the first fails; can be repeated."),
    ] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Add it without fetching it first.")] = False,
    seconds: Seconds = 2.0,
    as_json: Json = False,
) -> None:
    """Add a feed to a recipe, after fetching it once to check it.

    The URL of a site is enough: the feed that its page names, or one at a usual place, is added.
    """
    app = make_app(context)
    app.recipe(recipe)
    if bundled == bool(url):
        raise Refused("bad_option", "give either an address or --bundled")
    if bundled:
        _add_bundled(app, recipe, as_json=as_json)
        return
    options = {"fallback": fallback} if fallback else {}
    line = SourceLine(
        name=name or urlsplit(url).hostname or url, url=url, every=every, cron=cron, options=options
    )
    make_source(line, recipe, where="source")  # refuses bad arguments before anything is fetched
    feed = None if no_check else _usable(find_feed(app, url, timedelta(seconds=seconds)))
    if feed is not None:
        line.name, line.url = name or feed.title or line.name, feed.url
    source = _keep_settings(app, make_source(line, recipe, where="source"))
    new = app.store.register([source], app.clock(), origin="operator")
    if as_json:
        added = {"id": source.id, "name": source.name, "url": hide_secrets(source.url), "new": bool(new)}
        print_json(added)
        return
    _print_added(source, feed, console(), new=bool(new))


def _add_bundled(app: App, recipe: str, *, as_json: bool) -> None:
    """A list that also names subjects belongs into the settings: every process must know them."""
    own = app.settings.recipes.get(recipe, RecipeSettings())
    listed = with_bundled_list(app.recipe(recipe), own)
    if listed.subjects:
        raise Refused(
            "needs_setting",
            f"the list of '{recipe}' names subjects as well; set `recipes: {{{recipe}: {{sources: {BUNDLED}}}}}` in the "
            "settings instead",
        )
    new = app.store.register(listed.sources, app.clock(), origin="operator")
    if as_json:
        print_json({"recipe": recipe, "sources": len(listed.sources), "new": new})
    else:
        console().print(
            f"Added {format_count(new, 'source')} of {len(listed.sources)} that come with {recipe}. "
            "The next run or worker polls them."
        )


def _keep_settings(app: App, source: Source) -> Source:
    """A source that exists keeps the settings that were not given again."""
    row = app.catalogue.source(source.id)
    if row is None:
        return source
    stored = source_from(row)
    return replace(
        source,
        trigger=source.trigger or stored.trigger,
        options={**stored.options, **source.options},
        subject=stored.subject,
        credibility=stored.credibility,
    )


def _print_added(source: Source, feed: FeedCheck | None, out: Console, *, new: bool) -> None:
    action = "Added" if new else "It existed; updated"
    lines = [f"{action} {source.name} ({source.id}), {source.url}. The next run or worker polls it."]
    if feed is not None and feed.freshness == "stale":
        lines.append("Note that it has published nothing new for a long time.")
    if feed is not None and feed.feeds:
        lines.append(f"The site also has {', '.join(feed.feeds[:5])}.")
    for line in lines:
        out.print(cell(line), soft_wrap=True)


def _usable(feed: FeedCheck) -> FeedCheck:
    if feed.ok:
        return feed
    suggestion = f" Did you mean {' or '.join(feed.feeds[:3])}." if feed.feeds else ""
    raise Refused(
        "unusable_source",
        f"{feed.url} cannot be used: {feed.reason} {feed.detail}".rstrip()
        + f".{suggestion} Add it anyway with --no-check",
    )
