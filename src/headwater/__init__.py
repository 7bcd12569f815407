"""Headwater: sources in; clean, deduplicated, explained documents and stories out.

page = headwater.read(data, url=…)           one document, each field with its origin
entries = headwater.feed("https://…")        any feed, however broken
verdicts = headwater.dedupe(articles)        near-duplicates in your own corpus
stories = headwater.cluster(articles)        articles about one event
hw = headwater.open("headwater-data")        an installation: documents, stories, search, captures, runs
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.model.document import Document as Document
    from headwater.model.errors import HeadwaterError as HeadwaterError
    from headwater.model.errors import Permanent as Permanent
    from headwater.model.errors import Refused as Refused
    from headwater.model.errors import Temporary as Temporary
    from headwater.python_api.feeds import feed as feed
    from headwater.python_api.installation import Installation as Installation
    from headwater.python_api.installation import open_installation as open  # noqa: A004 - its public name
    from headwater.python_api.standalone import cluster as cluster
    from headwater.python_api.standalone import dedupe as dedupe
    from headwater.python_api.standalone import read as read

# Loaded when they are asked for: a program that only reads rows should not wait for the readers.
_MODULES = {
    "Document": "headwater.model.document",
    "HeadwaterError": "headwater.model.errors",
    "Installation": "headwater.python_api.installation",
    "Permanent": "headwater.model.errors",
    "Refused": "headwater.model.errors",
    "Temporary": "headwater.model.errors",
    "cluster": "headwater.python_api.standalone",
    "dedupe": "headwater.python_api.standalone",
    "feed": "headwater.python_api.feeds",
    "open": "headwater.python_api.installation",
    "read": "headwater.python_api.standalone",
}
_NAMES = {"open": "open_installation"}

__all__ = [
    "Document",
    "HeadwaterError",
    "Installation",
    "Permanent",
    "Refused",
    "Temporary",
    "cluster",
    "dedupe",
    "feed",
    "open",
    "read",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), _NAMES.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_MODULES)
