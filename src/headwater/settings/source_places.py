"""Paths in a list of sources are relative to that list, wherever a command is called."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from headwater.model.recipe import Discover
from headwater.model.source import Source
from headwater.model.source_kind import HEADERS_OPTION, SourceKind
from headwater.settings.places import FILE_REFERENCE, path_beside, value_beside

FALLBACK_OPTION = "fallback"


def source_beside(source: Source, folder: Path, discover: Mapping[str, Discover]) -> Source:
    """The source of a list with the files and folders that its address and its options name, as every process finds them. It
    keeps its id, which is that of the address as it is written: a list that is moved with its secrets names the same sources."""
    kind, folder = discover.get(source.kind), folder.absolute()
    options = dict(source.options)
    for name in kind.places if isinstance(kind, SourceKind) else ():
        if isinstance(options.get(name), str) and options[name]:
            options[name] = path_beside(folder, options[name])
    if headers := options.get(HEADERS_OPTION):
        options[HEADERS_OPTION] = value_beside(folder, headers)
    if fallback := options.get(FALLBACK_OPTION):
        options[FALLBACK_OPTION] = _urls_beside(folder, fallback)
    return replace(source, url=_url_beside(folder, source.url), options=options)


def _urls_beside(folder: Path, urls: Any) -> Any:
    if isinstance(urls, str):
        return _url_beside(folder, urls)
    return [_url_beside(folder, str(url)) for url in urls] if isinstance(urls, list) else urls


def _url_beside(folder: Path, url: str) -> str:
    """The address, where a parameter `file:PATH` names the file in full."""
    if FILE_REFERENCE not in unquote_plus(url):
        return url
    parts = urlsplit(url)
    return urlunsplit(
        parts._replace(query="&".join(_field_beside(folder, field) for field in parts.query.split("&")))
    )


def _field_beside(folder: Path, field: str) -> str:
    name, equals, value = field.partition("=")
    written = unquote_plus(value)
    if not written.startswith(FILE_REFERENCE):
        return field
    return f"{name}{equals}{quote(value_beside(folder, written), safe='/:')}"
