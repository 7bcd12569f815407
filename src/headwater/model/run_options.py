"""Options of a single run: what a recipe lets a caller choose, and what the row of the run records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from headwater.model.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """`request` has a field with a default for everything that a caller may choose. `overrides` returns the options of the
    recipe that a request sets for its run, or raises Refused. `describe` returns what the row of a run records, given the
    options that apply and the time. `filters` are the parameters by which runs are listed, with the field of the request that
    each one means; `labels` are names of recorded values in the HTTP API, where they differ."""

    request: type[msgspec.Struct]
    overrides: Callable[[Any], Mapping[str, str]]
    describe: Callable[[Mapping[str, Any], datetime], Mapping[str, str]]
    filters: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


def read_run_request(recipe: str, options: RunOptions | None, request: Mapping[str, Any]) -> dict[str, str]:
    """The options of the recipe that a request sets, or Refused."""
    names = () if options is None else options.request.__struct_fields__
    if unknown := [name for name in request if name not in names]:
        choices = ", ".join(names) or "none"
        raise Refused(
            "bad_option", f"the recipe '{recipe}' has no run option '{unknown[0]}'; there are: {choices}"
        )
    if options is None:
        return {}
    try:
        parsed = msgspec.convert(dict(request), options.request, strict=False)
    except msgspec.ValidationError as error:
        raise Refused("bad_option", f"run options of the recipe '{recipe}': {error}") from error
    return dict(options.overrides(parsed))
