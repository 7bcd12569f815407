"""Adding a source: check it against its recipe, and store it as the operator's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headwater.app import App
from headwater.fetch.source_secrets import has_references
from headwater.model.errors import Refused
from headwater.model.recipe import Recipe
from headwater.model.source import Source
from headwater.model.source_kind import SourceKind, find_source_problem
from headwater.ops.same_sources import address_spelling
from headwater.store.rows import source_from
from headwater.text.redaction import is_secret_reference


@dataclass(frozen=True, slots=True)
class SourceRegistration:
    source: Source
    existed: bool
    is_stored: bool


def register_source(app: App, source: Source, *, replace_existing: bool) -> SourceRegistration:
    """Store the source. One that exists is changed only on request, and keeps its id, its address and the settings that were not
    given again. Returns it as it is stored."""
    check_source(source, app.recipe(source.recipe))
    row = app.catalogue.source(source.id) or _same_address(app, source)
    if row is not None and not replace_existing:
        return SourceRegistration(source_from(row), existed=True, is_stored=False)
    stored = source if row is None else _keep_settings(source, source_from(row))
    app.store.register([stored], app.clock(), origin="operator")
    return SourceRegistration(stored, existed=row is not None, is_stored=True)


def _same_address(app: App, source: Source) -> Mapping[str, Any] | None:
    """A source of the same kind whose address differs only in spelling, such as by a slash at its end."""
    if not source.url:
        return None
    address = address_spelling(source.url)
    rows = app.catalogue.sources(source.recipe)
    same = next(
        (
            row
            for row in rows
            if row["kind"] == source.kind and row["url"] and address_spelling(row["url"]) == address
        ),
        None,
    )
    return None if same is None else app.catalogue.source(same["id"])


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


def refuse_references(url: str, options: Mapping[str, Any] | None = None) -> None:
    """For what comes over HTTP. A reference is resolved on this machine and sent to the address: whoever may write one reads
    every file and variable of the server."""
    for text in (url, *_texts(options or {})):
        if is_secret_reference(text.strip()) or has_references(text):
            raise Refused(
                "reference_refused",
                "env:NAME and file:PATH are refused over HTTP; write them into the list of sources, or use `headwater sources "
                "add` on the machine itself",
            )


def refuse_places(source: Source, recipe: Recipe) -> None:
    """For what comes over HTTP: whoever may name a file or a folder reads what is in it."""
    kind = recipe.discover.get(source.kind)
    for name in kind.places if isinstance(kind, SourceKind) else ():
        if source.options.get(name):
            raise Refused(
                "place_refused",
                f"options.{name}: files and folders of the server are refused over HTTP; add this source on the machine itself",
            )


def _texts(options: Mapping[str, Any]) -> Iterator[str]:
    """Every text in the options, at any depth: deeper ones than a recursion could follow, too."""
    waiting: list[Any] = [options]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value


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
