"""`headwater sources validate` and `add`: ask first, then believe."""

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
from headwater.cli.render.console import cell, console, format_relative, print_json, print_json_lines
from headwater.model.errors import Refused
from headwater.model.source import Source
from headwater.ops.feed_check import FeedCheck, check_feeds, find_feed
from headwater.settings.sources import SourceLine, make_source
from headwater.store.rows import source_from

Duration = Annotated[
    str | None, typer.Option(metavar="DURATION", help="Look every so often: 90s, 15m, 4h, 1d.")
]
Cron = Annotated[str | None, typer.Option(metavar="CRON", help="Look by a cron expression, in UTC.")]
Seconds = Annotated[float, typer.Option(min=0.1, help="How long an address may take to answer.")]


def validate(
    context: typer.Context,
    what: Annotated[
        str, typer.Argument(metavar="URL|RECIPE", help="An address, or all sources of a recipe.")
    ],
    seconds: Seconds = 2.0,
    as_json: Json = False,
) -> None:
    """Ask for a feed once and tell what it is: format, entries, how fresh, what is wrong with it.

    Stores nothing. Exit code 1 if something cannot be used.
    """
    app = make_app(context)
    urls = [what] if is_url(what) else _addresses(app, what)
    checks = check_feeds(app, urls, timedelta(seconds=seconds))
    if as_json:
        print_json_lines(asdict(one) for one in checks)
    else:
        for one in checks:
            _show(one, console(), app.clock())
    if not all(one.ok for one in checks):
        raise typer.Exit(1)


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _addresses(app: App, recipe: str) -> Sequence[str]:
    """Where the recipe's sources are now (they may have moved), else where it says they are."""
    known = app.recipe(recipe)
    rows = app.catalogue.sources(recipe) if app.settings.database_exists else []
    found = [row["url"] for row in rows if row["kind"] == "feed" and row["active"]]
    return found or [source.url for source in known.sources if source.kind == "feed"]


def _show(one: FeedCheck, out: Console, now: datetime) -> None:
    out.print(cell(one.url), soft_wrap=True)
    for line, style in _lines(one, now):
        out.print(Text("  ") + cell(line, style), soft_wrap=True)


def _lines(one: FeedCheck, now: datetime) -> Iterator[tuple[str, str]]:
    """What there is to say, each with its style."""
    if one.ok:
        newest = f"newest {format_relative(one.newest, now)}" if one.newest else "without dates"
        yield f"{one.format} '{one.title}': {one.entries} entries, {newest}", "green"
        if one.freshness == "stale":
            yield "note: nothing new for a long time", "yellow"
    else:
        yield f"not usable: {one.reason} {one.detail}", "red"
    if one.final_url not in {"", one.url}:
        yield f"answered from {one.final_url}", ""
    yield from ((f"note: {warning}", "yellow") for warning in one.warnings)
    yield from ((f"try {feed}", "") for feed in one.feeds)


def add(
    context: typer.Context,
    recipe: RecipeName,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The address of a feed, or of a site that has one.")
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Its name; the feed's own title unless given.")] = None,
    every: Duration = None,
    cron: Cron = None,
    fallback: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Read this feed when the first cannot be; may be repeated."),
    ] = None,
    no_check: Annotated[bool, typer.Option("--no-check", help="Add it without asking it first.")] = False,
    seconds: Seconds = 2.0,
    as_json: Json = False,
) -> None:
    """Add a feed to a recipe, after asking it once: what it is, whether it answers, how fresh it is.

    The address of a site is enough: the feed that its page names, or that such sites usually have, is looked for.
    """
    app = make_app(context)
    app.recipe(recipe)
    options = {"fallback": fallback} if fallback else {}
    line = SourceLine(
        name=name or urlsplit(url).hostname or url, url=url, every=every, cron=cron, options=options
    )
    make_source(line, recipe, where="source")  # mistakes in the words are told before anything is asked
    found = None if no_check else _usable(find_feed(app, url, timedelta(seconds=seconds)))
    if found is not None:
        line.name, line.url = name or found.title or line.name, found.url
    source = _as_it_was(app, make_source(line, recipe, where="source"))
    new = app.store.register([source], app.clock(), origin="operator")
    if as_json:
        print_json({"id": source.id, "name": source.name, "url": source.url, "new": bool(new)})
        return
    _tell_added(source, found, console(), new=bool(new))


def _as_it_was(app: App, source: Source) -> Source:
    """A source that is there already keeps what was not told anew."""
    row = app.catalogue.source(source.id)
    if row is None:
        return source
    known = source_from(row)
    return replace(
        source,
        trigger=source.trigger or known.trigger,
        options={**known.options, **source.options},
        subject=known.subject,
        credibility=known.credibility,
    )


def _tell_added(source: Source, found: FeedCheck | None, out: Console, *, new: bool) -> None:
    done = "Added" if new else "It was there already; updated"
    told = [f"{done} {source.name} ({source.id}), {source.url}. The next run or worker looks at it."]
    if found is not None and found.freshness == "stale":
        told.append("Note that it has had nothing new for a long time.")
    if found is not None and found.feeds:
        told.append(f"The site also has {', '.join(found.feeds[:5])}.")
    for line in told:
        out.print(cell(line), soft_wrap=True)


def _usable(found: FeedCheck) -> FeedCheck:
    if found.ok:
        return found
    better = f" Perhaps you mean {' or '.join(found.feeds[:3])}." if found.feeds else ""
    raise Refused(
        "unusable_source",
        f"{found.url} cannot be used: {found.reason} {found.detail}".rstrip()
        + f".{better} To add it all the same, give --no-check",
    )
