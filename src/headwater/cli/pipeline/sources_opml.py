"""`headwater sources import` and `export`: lists of feeds as OPML."""

import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import answering_app, open_app
from headwater.cli.options import Json, OutFile, Quiet, RecipeName
from headwater.cli.render.console import cell, console, format_count, print_json_lines
from headwater.cli.render.progress import ticking
from headwater.cli.standalone.inputs import read_file
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.fetch.guard.routes import is_request_url
from headwater.fetch.source_secrets import has_references
from headwater.model.errors import Permanent, Refused
from headwater.model.recipe import Parse
from headwater.model.source import Source
from headwater.ops.feed_check import FeedCheck, check_feeds
from headwater.ops.source_lists import source_opml
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.feeds.opml import (
    LARGEST_OPML,
    OpmlOutline,
    ParsedOpml,
    parse_untrusted_opml,
)
from headwater.text.printable import printable_line
from headwater.text.redaction import redact_record

ListFile = Annotated[Path, typer.Argument(metavar="FILE", help="An OPML file.")]


def import_list(
    context: typer.Context,
    recipe: RecipeName,
    path: ListFile,
    *,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Add them without fetching them first.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, help="Time limit for each feed.")] = 10.0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Add the feeds of an OPML file to a recipe, each after fetching it once to check it.

    Feeds that cannot be used are listed and left out. Existing sources do not change. The exit code is 1 if none could be
    added.
    """
    app = answering_app(context)
    app.recipe(recipe)
    outlines = _read(path, recipe)
    checks: dict[str, FeedCheck] = {}
    if not no_check:
        # The file may come from others: it must not name a variable of ours.
        urls = [outline.url for outline in outlines if not has_references(outline.url)]
        with ticking(f"checking {format_count(len(urls), 'feed')}", quiet=quiet):
            checks = {check.url: check for check in check_feeds(app, urls, timedelta(seconds=seconds))}
    results = redact_record(_added(app, recipe, outlines, checks))
    if as_json:
        print_json_lines(results)
    else:
        _print_results(results)
    if not any(outline["result"] != "left out" for outline in results):
        raise typer.Exit(1)


def _read(path: Path, recipe: str) -> tuple[OpmlOutline, ...]:
    try:
        data = read_file(str(path), LARGEST_OPML)
        parsed: ParsedOpml = parse_in_sandbox(Parse(parse_untrusted_opml, data))
    except Permanent as error:
        raise Refused("bad_list", f"{path} cannot be read: {error.detail}") from error
    if parsed.reason:
        problem = ": ".join(part for part in (parsed.reason, parsed.detail) if part)
        raise Refused(
            "bad_list",
            f"{path} is not an OPML file ({problem}); export one from your feed reader, or add an address with `headwater "
            f"sources add {recipe} ADDRESS`",
        )
    if not parsed.outlines:
        raise Refused("bad_list", f"{path} contains no feed")
    return parsed.outlines


def _added(
    app: App, recipe: str, outlines: Sequence[OpmlOutline], checks: Mapping[str, FeedCheck]
) -> list[dict[str, Any]]:
    stored_urls = {row["url"] for row in app.catalogue.sources(recipe)}
    results = [_result(outline, stored_urls, checks.get(outline.url)) for outline in outlines]
    new_outlines = [
        outline for outline, (result, _) in zip(outlines, results, strict=True) if result == "added"
    ]
    app.store.register([_source(recipe, outline) for outline in new_outlines], app.clock(), origin="operator")
    return [
        {
            "name": outline.name,
            "url": outline.url,
            "categories": outline.categories,
            "result": result,
            "reason": reason,
        }
        for outline, (result, reason) in zip(outlines, results, strict=True)
    ]


def _result(outline: OpmlOutline, stored_urls: set[str], check: FeedCheck | None) -> tuple[str, str]:
    if outline.url in stored_urls:
        return "there already", ""
    if has_references(outline.url):
        return "left out", "it refers to a secret; add it with `headwater sources add`"
    if not is_request_url(outline.url):
        return "left out", "it is not a correct address"
    if check is not None and not check.ok:
        return "left out", f"{check.reason} {check.detail}".strip()
    return "added", ""


def _source(recipe: str, outline: OpmlOutline) -> Source:
    options = {"categories": list(outline.categories), "site": outline.site}
    line = SourceLine(
        name=printable_line(outline.name),
        url=outline.url,
        options={key: value for key, value in options.items() if value},
    )
    return make_source(line, recipe, where=outline.url)


def _print_results(results: Sequence[dict[str, Any]]) -> None:
    out = console()
    for line in results:
        if line["reason"]:
            out.print(
                cell(f"left out {line['name']}, {line['url']}: {line['reason']}", "yellow"), soft_wrap=True
            )
    counts = {
        result: sum(1 for line in results if line["result"] == result)
        for result in ("added", "there already")
    }
    left_out = len(results) - sum(counts.values())
    out.print(
        f"{format_count(counts['added'], 'source')} added, {counts['there already']} there already, {left_out} left out."
    )


def export_list(
    context: typer.Context,
    recipe: RecipeName,
    *,
    out: OutFile = None,
) -> None:
    """Write the feeds of a recipe as OPML. Secrets in URLs are written as ***."""
    app = open_app(context)
    app.recipe(recipe)
    text = source_opml(app, [recipe])
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused("unwritable", f"{out} cannot be written: {error.strerror}") from error
