"""A kind of source: how it is polled, what it is for, and the options that a line of a source list may set."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headwater.model.errors import Permanent, Refused
from headwater.model.recipe import Discover, PollSession
from headwater.model.schedule import INTERVAL_OPTION
from headwater.model.source import Source
from headwater.model.suggestion import suggest

HEADERS_OPTION = "headers"
COMMON_OPTIONS: Mapping[str, str] = {
    INTERVAL_OPTION: "Seconds between two polls; the same as `every`, for lists that other programs write.",
    HEADERS_OPTION: "Headers of the requests to the host of the source: `{Authorization: env:NAME}`, or `file:PATH`. Resolved for "
    "each poll, never stored.",
}


def accept_any(source: Source) -> None:
    del source


def no_addresses(source: Source) -> tuple[str, ...]:
    del source
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKind:
    """A `Discover` that can say what it is. `options` names each option with one sentence about it. `check` reads the
    options as a poll would and raises Permanent when one of them is wrong, so that a mistake is reported when a list is
    loaded. `places` are the options that name a file or a folder on this machine, `variables` those that name a variable of the
    environment, `addresses` returns what the options name besides the address of the source: over HTTP, the first two are
    refused and the third are checked. `needs_url` is false for kinds that may do without an address."""

    discover: Discover
    help: str
    options: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Source], object] = accept_any
    places: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    addresses: Callable[[Source], Iterable[str]] = no_addresses
    needs_url: bool = True

    def __call__(self, source: Source, now: datetime) -> PollSession:
        return self.discover(source, now)


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """What is wrong with a source: the field of its line (`kind`, `url`, `options.depth`), and a sentence."""

    field: str
    sentence: str


def find_source_problem(source: Source, discover: Mapping[str, Discover]) -> SourceProblem | None:
    """Returns what keeps the source from being polled by a recipe with these kinds; None when nothing does.

    A kind that is a plain function says nothing about its options, so they are not checked."""
    kind = discover.get(source.kind)
    if kind is None:
        return SourceProblem("kind", _unknown_kind(source.kind, sorted(discover)))
    if not isinstance(kind, SourceKind):
        return None
    if kind.needs_url and not source.url:
        return SourceProblem("url", f"a source of the kind '{source.kind}' needs an address")
    names = {**COMMON_OPTIONS, **kind.options}
    for name in source.options:
        if name not in names:
            return SourceProblem(f"options.{name}", _unknown_option(name, source.kind, sorted(kind.options)))
    try:
        kind.check(source)
    except (Permanent, Refused) as error:
        name, separator, sentence = error.detail.partition(": ")
        known_name = separator and name in names
        return SourceProblem(f"options.{name}" if known_name else "options", sentence or error.detail)
    return None


def _unknown_kind(kind: str, kinds: list[str]) -> str:
    return f"this recipe does not know the kind '{kind}'{suggest(kind, kinds) or '.'} It knows: {', '.join(kinds)}"


def _unknown_option(name: str, kind: str, options: list[str]) -> str:
    if suggestion := suggest(name, options):
        return f"there is no such option{suggestion}"
    others = f"It has: {', '.join(options)}" if options else "It has none"
    return f"the kind '{kind}' has no such option. {others}"
