"""The environments of the tests: SQLite and a folder, or PostgreSQL and a bucket."""

from dataclasses import dataclass, field

import pytest
from tests.servers.seaweed import Seaweed

from headwater.settings.archive import ArchiveSettings

ENVIRONMENTS = ("embedded", "cluster")
# For a test of something that is the same on both databases, in a module that has both.
on_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@dataclass(frozen=True)
class EnvironmentUnderTest:
    """By default, both are in the data folder."""

    database: str | None = None
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)


def bucket(seaweed: Seaweed, name: str) -> ArchiveSettings:
    return ArchiveSettings(
        place=f"s3://environments/{name}", endpoint=seaweed.endpoint, key=seaweed.key, secret=seaweed.secret
    )
