"""Adding a source: check it against its recipe, and store it as the operator's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION, SourceKind, find_source_problem
from headwater.ops.same_sources import address_spelling
from headwater.store.rows import source_from


@dataclass(frozen=True, slots=True)
class SourceRegistration:
    """`source` as it is stored, or would be. `is_stored` is False if it exists and no change was asked for."""

    source: Source
    existed: bool
    is_stored: bool


def register_source(app: App, source: Source, *, replace_existing: bool) -> SourceRegistration:
    """Store the source. One that exists is changed only on request, and keeps its id, its address and the settings that were not
    given again. Returns it as it is stored."""
    registration = plan_registration(app, source, replace_existing=replace_existing)
    if registration.is_stored:
        app.store.register([registration.source], app.clock(), origin="operator")
    return registration


def plan_registration(app: App, source: Source, *, replace_existing: bool) -> SourceRegistration:
    """What `register_source` would do now. A trial polls this source: one that exists may need its own options for that."""
    check_source(source, app.recipe(source.recipe))
    row = app.catalogue.source(source.id) or _same_address(app, source)
    if row is not None and not replace_existing:
        return SourceRegistration(source_from(row), existed=True, is_stored=False)
    merged = source if row is None else _keep_settings(source, source_from(row))
    return SourceRegistration(merged, existed=row is not None, is_stored=True)


def stored_headers(app: App, recipe: str, url: str) -> Mapping[str, str]:
    """The headers with which a source at this address is requested already, whatever its kind; secrets are references."""
    stored = (source_from(row) for row in _rows_at(app, recipe, url))
    return next((headers for source in stored if (headers := source.options.get(HEADERS_OPTION))), {})


def _same_address(app: App, source: Source) -> Mapping[str, Any] | None:
    """A source of the same kind whose address differs only in spelling, such as by a slash at its end."""
    rows = _rows_at(app, source.recipe, source.url) if source.url else ()
    return next((row for row in rows if row["kind"] == source.kind), None)


def _rows_at(app: App, recipe: str, url: str) -> Iterator[Mapping[str, Any]]:
    address = address_spelling(url)
    for row in app.catalogue.sources(recipe):
        if row["url"] and address_spelling(row["url"]) == address:
            whole = app.catalogue.source(row["id"])
            if whole is not None:
                yield whole


def check_source(source: Source, recipe: Recipe) -> None:
    problem = find_source_problem(source, recipe.discover)
    if problem is not None:
        raise Refused("bad_source", f"{problem.field}: {problem.sentence}")


def check_places(source: Source, recipe: Recipe) -> None:
    """Refuses a file or a folder that does not exist here. A list may name one that is made later; somebody who adds a single
    source has more likely made a typo."""
    kind = recipe.discover.get(source.kind)
    for name in kind.places if isinstance(kind, SourceKind) else ():
        place = str(source.options.get(name) or "")
        if place and not Path(place).expanduser().exists():
            raise Refused(
                "missing_place",
                f"options.{name}: there is no {Path(place).absolute()}; correct it, create it first, or use --no-check",
            )


def _keep_settings(source: Source, stored: Source) -> Source:
    return replace(
        source,
        id=stored.id,
        url=stored.url,
        trigger=source.trigger or stored.trigger,
        options={**stored.options, **source.options},
        subject=stored.subject,
        pages=source.pages or stored.pages,
        credibility=stored.credibility,
    )
