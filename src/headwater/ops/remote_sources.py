"""A source that comes over HTTP: whoever sends it chooses where this machine sends what, so that it may name nothing of ours."""

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.app import App
from headwater.fetch.source_secrets import has_references
from headwater.model.errors import Permanent, Refused
from headwater.model.recipe import Recipe
from headwater.model.source import Source
from headwater.model.source_kind import COMMON_OPTIONS, SourceKind
from headwater.ops.source_detection import refuse_private_address
from headwater.settings.sources import SourceLine, check_address, make_source
from headwater.text.redaction import is_secret_reference

ON_THE_MACHINE = "write them into the list of sources, or use `headwater sources add` on the machine itself"


def remote_source(app: App, line: SourceLine, recipe: str) -> Source:
    """The source as it would be stored. Raises Refused for what nobody may name over HTTP: secrets, variables, files and folders
    of the server, and private addresses."""
    refuse_references(line.url, line.options)
    chosen = app.recipe(recipe)
    source = make_source(line, chosen.name, where="source")
    refuse_server_options(source, chosen)
    for address in (source.url, *_option_addresses(source, chosen)):
        if address:
            check_address(address, "source")
            refuse_private_address(app, address)
    return source


def refuse_references(url: str, options: Mapping[str, Any] | None = None) -> None:
    """A reference is resolved on this machine and sent to the address: whoever may write one reads every file and variable of
    the server."""
    for text in (url, *_texts(options or {})):
        if is_secret_reference(text.strip()) or has_references(text):
            raise Refused(
                "reference_refused",
                f"env:NAME and file:PATH are refused over HTTP; {ON_THE_MACHINE}",
            )


def refuse_server_options(source: Source, recipe: Recipe) -> None:
    """Refuses the options by which a kind of source reads a variable, a file or a folder. A kind that does not declare its
    options may read anything by them, or send a key of ours elsewhere: it takes none over HTTP."""
    kind = recipe.discover.get(source.kind)
    if kind is None:
        return
    if not isinstance(kind, SourceKind):
        _refuse_undeclared(source)
        return
    for name in (name for name in kind.variables if source.options.get(name)):
        raise Refused(
            "reference_refused",
            f"options.{name}: variables of the environment are refused over HTTP; {ON_THE_MACHINE}",
        )
    for name in (name for name in kind.places if source.options.get(name)):
        raise Refused(
            "place_refused",
            f"options.{name}: files and folders of the server are refused over HTTP; add this source on the machine itself",
        )


def _refuse_undeclared(source: Source) -> None:
    if names := sorted(source.options.keys() - COMMON_OPTIONS.keys()):
        raise Refused(
            "options_refused",
            f"options.{names[0]}: the kind '{source.kind}' takes no options over HTTP; {ON_THE_MACHINE}",
        )


def _option_addresses(source: Source, recipe: Recipe) -> tuple[str, ...]:
    kind = recipe.discover.get(source.kind)
    if not isinstance(kind, SourceKind):
        return ()
    try:
        return tuple(kind.addresses(source))
    except Permanent as error:
        raise Refused("bad_source", f"options.{error.detail}") from error


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
