"""Extractors that are imported where and when they are needed: what parses untrusted bytes costs memory and time, with its libraries."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable


@dataclass(frozen=True, slots=True)
class ExtractorByName:
    """Stands for the extractor `place` ("module:name"), or for what it makes of `arguments`. It is imported with the first document;
    pickled, it becomes the extractor itself in the process that unpickles it."""

    place: str
    arguments: tuple[Any, ...] = ()

    def __call__(self, data: bytes, hints: ExtractHints) -> Reading | Unreadable:
        return import_extractor(self.place, *self.arguments)(data, hints)

    def __reduce__(self) -> tuple[Callable[..., Extract], tuple[Any, ...]]:
        return import_extractor, (self.place, *self.arguments)


def import_extractor(place: str, *arguments: Any) -> Extract:
    """Raises ImportError or AttributeError if there is none at this place."""
    module, _, name = place.partition(":")
    extractor: Any = getattr(import_module(module), name)
    result: Extract = extractor(*arguments) if arguments else extractor
    return result
