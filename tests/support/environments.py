"""Where an installation of the tests may live: SQLite and a folder, or PostgreSQL and a bucket."""

from dataclasses import dataclass, field

from tests.servers.seaweed import Seaweed

from headwater.settings.archive import ArchiveSettings

ENVIRONMENTS = ("embedded", "cluster")


@dataclass(frozen=True)
class EnvironmentUnderTest:
    """Without anything said, both lie in the data folder."""

    database: str | None = None
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)


def bucket(seaweed: Seaweed, name: str) -> ArchiveSettings:
    return ArchiveSettings(
        place=f"s3://homes/{name}", endpoint=seaweed.endpoint, key=seaweed.key, secret=seaweed.secret
    )
