"""Endpoints of recipes: functions that programs call over HTTP, and language models as tools."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A function of a recipe, at `/api/v1/recipes/RECIPE/NAME`.

    `handler` is `module:function`; it is imported when it is first called, gets the open installation and the parameters, and
    returns a record, or a list of records. `parameters` are read from the query; one that `changes` something is a POST, reads
    them from the body and needs a key that may operate. `tool` is its name for language models, if they may call it.
    """

    handler: str
    parameters: type[msgspec.Struct]
    help: str
    changes: bool = False
    tool: str = ""
