"""`headwater sources add`: detect what an address is, show what it would bring, and store the source."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
import typer
import yaml
from rich.console import Console
from rich.text import Text

from headwater.app import App
from headwater.cli.environment import answering_app, config_path
from headwater.cli.options import Json, RecipeName, global_options
from headwater.cli.pipeline.sources_validate import Seconds
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    format_count,
    format_duration,
    format_relative,
    print_json,
)
from headwater.model.errors import Refused
from headwater.model.page import PageMode
from headwater.model.recipe import Recipe
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION
from headwater.ops.source_detection import SourceCandidate, UnusableSource, detect_sources
from headwater.ops.source_preview import PREVIEWED, check_by_trial
from headwater.ops.source_registration import (
    check_places,
    check_source,
    plan_registration,
    register_source,
    stored_headers,
)
from headwater.recipes.definition import with_bundled_list
from headwater.settings.recipes import BUNDLED, RecipeSettings
from headwater.settings.settings import read_settings
from headwater.settings.source_places import source_beside
from headwater.settings.sources import SourceLine, make_source
from headwater.settings.yaml_edit import set_field, write_checked
from headwater.text.redaction import redact_record

Duration = Annotated[
    str | None, typer.Option(metavar="DURATION", help="Poll at this interval: 90s, 15m, 4h, 1d.")
]
Cron = Annotated[str | None, typer.Option(metavar="CRON", help="Poll by a cron expression, in UTC.")]


def add(
    context: typer.Context,
    recipe: RecipeName,
    address: Annotated[
        str,
        typer.Argument(
            metavar="[ADDRESS]", help="The address of a feed, sitemap, page or API, or of a site."
        ),
    ] = "",
    *,
    kind: Annotated[
        str | None, typer.Option(help="What it is, instead of detecting it: feed, sitemap, crawl, page, …")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the kind, in YAML: depth=2; can be repeated."),
    ] = None,
    bundled: Annotated[
        bool, typer.Option("--bundled", help="Add the sources that come with the recipe instead.")
    ] = False,
    name: Annotated[str | None, typer.Option(help="The name of the source; default: its title.")] = None,
    every: Duration = None,
    cron: Cron = None,
    fallback: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Fall back to this feed when the first fails; can be repeated."),
    ] = None,
    pages: Annotated[
        PageMode | None,
        typer.Option(
            help="Request the pages of its items: never, try or require; default: as in the recipe."
        ),
    ] = None,
    replace_existing: Annotated[
        bool, typer.Option("--replace", help="Change the source if it exists already.")
    ] = False,
    no_check: Annotated[bool, typer.Option("--no-check", help="Add it without fetching it first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the best candidate without asking.")] = False,
    seconds: Seconds = 2.0,
    as_json: Json = False,
) -> None:
    """Add a source to a recipe: detect what an address is, show what it would bring, and store it.

    The address of a site is enough: the feeds that its page names, its sitemap and the page itself are candidates. On a
    terminal you are asked if there are several; otherwise the best one is taken and the others are named. With --kind nothing
    is detected: a source of that kind is polled once on trial, without storing anything, and the preview shows what it lists.
    """
    app = answering_app(context)
    chosen_recipe = app.recipe(recipe)
    if bundled == bool(address or kind):
        raise Refused("bad_option", "give either an address or --bundled")
    if bundled:
        _add_bundled(context, app, recipe, as_json=as_json)
        return
    options = read_options(option or ()) | ({"fallback": fallback} if fallback else {})
    line = SourceLine(
        name=name or urlsplit(address).hostname or address or kind or "",
        url=address,
        kind=kind or "feed",
        every=every,
        cron=cron,
        pages=pages,
        options=options,
    )
    make_source(line, recipe, where="source")  # refuses bad arguments before anything is fetched
    within, candidates = timedelta(seconds=seconds), list[SourceCandidate]()
    if kind is None and not no_check:
        with _advice():
            headers = options.get(HEADERS_OPTION) or stored_headers(app, recipe, address)
            offers = detect_sources(app, address, within, headers)
        candidates = _known_kinds(offers, chosen_recipe, address)
        chosen = _choose(candidates, app.clock(), ask=not (yes or as_json))
        line.kind, line.url, line.name = chosen.kind, chosen.url, name or chosen.title or line.name
        candidates = [chosen, *(candidate for candidate in candidates if candidate is not chosen)]
    source = source_beside(make_source(line, recipe, where="source"), Path(), chosen_recipe.discover)
    check_source(source, chosen_recipe)
    registration = plan_registration(app, source, replace_existing=replace_existing)
    if registration.is_stored and not no_check:
        check_places(registration.source, chosen_recipe)
        if not candidates or candidates[0].kind not in PREVIEWED:
            with _advice():
                preview = check_by_trial(app, registration.source, within)
            source = replace(source, name=name or preview.title or source.name)
            candidates = [preview, *candidates[1:]]
    registration = register_source(app, source, replace_existing=replace_existing)
    source, exists = registration.source, registration.existed
    changed = exists and registration.is_stored
    if as_json:
        record = _record(source, candidates, new=not exists, changed=changed)
        print_json(redact_record(record))
        return
    _print_result(source, candidates, console(), app.clock(), exists=exists, changed=changed)


ADVICE = {
    "forbidden_address": "",  # it would never be polled
    "timeout": ". Allow more time with --seconds, or add it anyway with --kind KIND --no-check",
    "html_instead": ". Leave out --kind, and its feeds are found; or add it anyway with --no-check",
}
ADD_ANYWAY = ". Add it anyway with --kind KIND --no-check"


@contextmanager
def _advice() -> Iterator[None]:
    """Adds what can be done by options to why a source cannot be used."""
    try:
        yield
    except UnusableSource as error:
        raise Refused(error.reason, f"{error.detail}{ADVICE.get(error.cause, ADD_ANYWAY)}") from error


def read_options(lines: Sequence[str]) -> dict[str, Any]:
    """`depth=2`, `include=[/news/]`: values as a source list would write them."""
    options = {}
    for line in lines:
        name, separator, value = line.partition("=")
        if not separator or not name:
            raise Refused("bad_option", f"--option: give NAME=VALUE instead of '{line}'")
        try:
            options[name] = _option_value(value)
        except yaml.YAMLError as error:
            raise Refused("bad_option", f"--option {name}: '{value}' is not a value in YAML") from error
    return options


def _option_value(text: str) -> Any:
    """The value as in a source list. There is no room for comments here, so that `#` is a part of a text, quoted or not."""
    value = yaml.safe_load(text)
    is_plain = not text.lstrip().startswith(("'", '"'))
    is_text = value is None or isinstance(value, str)
    return text.strip() if "#" in text and is_plain and is_text else value


def _known_kinds(
    candidates: Sequence[SourceCandidate], recipe: Recipe, address: str
) -> list[SourceCandidate]:
    """Those that the recipe can poll."""
    known_kinds = [candidate for candidate in candidates if candidate.kind in recipe.discover]
    if not known_kinds:
        kinds = " or ".join(dict.fromkeys(candidate.kind for candidate in candidates))
        raise Refused(
            "unusable_source",
            f"{address} is a {kinds}, and the recipe '{recipe.name}' has no such sources; it knows: "
            f"{', '.join(sorted(recipe.discover))}. The recipe 'news' knows every kind",
        )
    return known_kinds


def _choose(candidates: Sequence[SourceCandidate], now: datetime, *, ask: bool) -> SourceCandidate:
    """Asks on a terminal when there is a choice."""
    if len(candidates) == 1 or not ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return candidates[0]
    side = error_console()
    for number, candidate in enumerate(candidates, 1):
        side.print(Text.assemble(f"{number}. ", cell(_headline(candidate), "bold")), soft_wrap=True)
        _print_preview(candidate, side, now)
    choice: int = typer.prompt("Which one", default=1, type=int, err=True)
    if not 1 <= choice <= len(candidates):
        raise Refused("bad_choice", f"there is no candidate {choice}")
    return candidates[choice - 1]


def _add_bundled(context: typer.Context, app: App, recipe: str, *, as_json: bool) -> None:
    """The sources are added here. A list that also names subjects is named in the settings, because every process that works
    on the recipe must know them."""
    own = app.settings.recipes.get(recipe, RecipeSettings())
    listed = with_bundled_list(app.recipe(recipe), own)
    changed = None
    if listed.subjects and own.sources != BUNDLED:
        changed = _name_bundled_list(context, recipe, own)
    origin = "recipe" if listed.subjects else "operator"
    new = app.store.register(listed.sources, app.clock(), origin=origin)
    if as_json:
        named = {"subjects": len(listed.subjects)} if listed.subjects else {}
        settings = {"settings": str(changed)} if changed else {}
        print_json({"recipe": recipe, "sources": len(listed.sources), "new": new} | named | settings)
        return
    subjects = f" and {format_count(len(listed.subjects), 'subject')}" if listed.subjects else ""
    console().print(
        f"Added {format_count(new, 'source')} of {len(listed.sources)}{subjects} that come with {recipe}. "
        "The next run or worker polls them.",
        soft_wrap=True,
    )
    if changed:
        console().print(
            f"{changed} now says `recipes: {{{recipe}: {{sources: {BUNDLED}}}}}`: every process that works on it knows the "
            "subjects.",
            soft_wrap=True,
        )


def _name_bundled_list(context: typer.Context, recipe: str, own: RecipeSettings) -> Path:
    """Writes into the settings that the recipe uses its bundled list; returns the file."""
    if own.sources is not None:
        raise Refused(
            "has_list",
            f"recipes.{recipe}.sources: it names your own list {own.sources}; write {BUNDLED} there to use the bundled one",
        )
    path = config_path(global_options(context))
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    write_checked(path, set_field(text, ("recipes", recipe, "sources"), BUNDLED), read_settings)
    return path


def _record(
    source: Source, candidates: Sequence[SourceCandidate], *, new: bool, changed: bool
) -> Mapping[str, Any]:
    record: dict[str, Any] = {
        "id": source.id,
        "name": source.name,
        "kind": source.kind,
        "url": source.url,
        "new": new,
    }
    if changed:
        record["changed"] = True
    if candidates:
        record["preview"] = msgspec.to_builtins(candidates[0])
        record["others"] = [{"kind": other.kind, "url": other.url} for other in candidates[1:]]
    return record


def _print_result(
    source: Source,
    candidates: Sequence[SourceCandidate],
    out: Console,
    now: datetime,
    *,
    exists: bool,
    changed: bool,
) -> None:
    label = f"{source.name} ({source.kind}, {source.id}), {source.url or 'no address'}"
    if exists and not changed:
        out.print(
            cell(f"It exists already, nothing changed: {label}. Change it with --replace."), soft_wrap=True
        )
        return
    action = "Changed" if exists else "Added"
    out.print(cell(f"{action} {label}. The next run or worker polls it."), soft_wrap=True)
    if candidates:
        _print_preview(candidates[0], out, now)
    for other in candidates[1:]:
        out.print(cell(f"The site also has {_headline(other)}.", "dim"), soft_wrap=True)


def _headline(candidate: SourceCandidate) -> str:
    title = f" '{candidate.title}'" if candidate.title else ""
    return f"{candidate.kind}{title}: {candidate.url}"


def _item_count(candidate: SourceCandidate) -> str:
    if not candidate.items:
        return ""
    return f"{'at least ' if candidate.has_more else ''}{format_count(candidate.item_count, 'item')}"


def _print_preview(candidate: SourceCandidate, out: Console, now: datetime) -> None:
    facts = [
        _item_count(candidate),
        f"something new every {format_duration(candidate.every.total_seconds())}" if candidate.every else "",
        f"language {candidate.language}" if candidate.language else "",
        f"pages {candidate.pages} by robots.txt" if candidate.pages else "",
        candidate.note,
    ]
    if line := ", ".join(fact for fact in facts if fact):
        out.print(
            Text("   ") + cell(line, "yellow" if candidate.pages == "disallowed" else "dim"), soft_wrap=True
        )
    for item in candidate.items:
        age = f"{format_relative(item.published, now):>12}  " if item.published else ""
        out.print(
            Text("   ") + cell(f"{age}{item.title}"), soft_wrap=False, overflow="ellipsis", no_wrap=True
        )
    newest = max((item.published for item in candidate.items if item.published), default=None)
    if newest is not None and now - newest > timedelta(days=60):
        out.print(Text("   ") + cell("Note that it has published nothing new for a long time.", "yellow"))
