"""Paths in a list of sources are relative to that list, wherever a command is called."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from headwater.model.recipe import Discover
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION, SourceKind
from headwater.settings.places import path_beside, value_beside


def source_beside(source: Source, folder: Path, discover: Mapping[str, Discover]) -> Source:
    """The source of a list with the files and folders that its options name, as every process finds them."""
    kind = discover.get(source.kind)
    options = dict(source.options)
    for name in kind.places if isinstance(kind, SourceKind) else ():
        if isinstance(options.get(name), str) and options[name]:
            options[name] = path_beside(folder.absolute(), options[name])
    if headers := options.get(HEADERS_OPTION):
        options[HEADERS_OPTION] = value_beside(folder.absolute(), headers)
    return replace(source, options=options)
