"""Engines that share their compiled statements, and recipes that are looked up once.

An engine compiles every statement when it first executes it, and `headwater` has one engine per process. A test process has
thousands, which compile the same statements again and again. The cache of SQLAlchemy belongs to a dialect, so the engines of
a test process share the dialect, too. The list of installed packages is read once for each search path.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Any
from unittest.mock import patch

import sqlalchemy
from sqlalchemy import Dialect, Engine

from headwater.recipes import loader
from headwater.store import connect, postgresql

STATEMENTS = 5_000


def _sharing(create: Callable[..., Engine]) -> Callable[..., Engine]:
    shared_parts: dict[str, tuple[Dialect, Any]] = {}

    def create_engine(url: Any, **options: Any) -> Engine:
        engine = create(url, query_cache_size=STATEMENTS, **options)
        name = engine.dialect.name
        # A dialect learns about its database with the first connection; before that, it cannot stand in for another.
        if name in shared_parts and shared_parts[name][0].server_version_info:
            engine.dialect, engine._compiled_cache = shared_parts[name]
        else:
            shared_parts[name] = engine.dialect, engine._compiled_cache
        return engine

    return create_engine


@contextmanager
def separate_statements() -> Iterator[None]:
    """For an engine whose dialect a test changes."""
    with (
        patch.multiple(connect, create_engine=sqlalchemy.create_engine),
        patch.multiple(postgresql, create_engine=sqlalchemy.create_engine),
    ):
        yield


@cache
def _entry_points(_path: tuple[str, ...], **selected: str) -> EntryPoints:
    return entry_points(**selected)


def share_statements() -> None:
    """From now on, in this process."""
    connect.create_engine = postgresql.create_engine = _sharing(sqlalchemy.create_engine)
    loader.entry_points = lambda **selected: _entry_points(tuple(sys.path), **selected)
