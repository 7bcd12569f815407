"""The composition root: the only place that knows which home Headwater is in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path

from headwater.backends.archive import ObjectArchive, open_folder
from headwater.backends.bucket import Server, open_bucket
from headwater.backends.record_files import PREFIX as RECORDS
from headwater.backends.record_files import BucketRecords, FolderRecords, RecordFiles, gather
from headwater.backends.redis.lists import Lists
from headwater.backends.redis.markers import Markers
from headwater.backends.sql.catalogue import Catalogue
from headwater.backends.sql.connect import connect
from headwater.backends.sql.mentioning import Mentioning
from headwater.backends.sql.migrate import migrate
from headwater.backends.sql.operations import Operations
from headwater.backends.sql.provenance import SqlProvenance
from headwater.backends.sql.queueing import RowQueues
from headwater.backends.sql.store import SqlStore
from headwater.engine.desk import Desk, Patience
from headwater.fetch.browser import available
from headwater.fetch.client import HttpFetcher
from headwater.fetch.governor import Governor
from headwater.fetch.governor_file import FileGovernor
from headwater.fetch.governor_redis import RedisGovernor
from headwater.installed import RECIPES, installed_recipes, load_recipe
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.model.ports import Clock, Fetcher, nobody
from headwater.model.recipe import Recipe, Sink
from headwater.model.subject import Subject
from headwater.redis_server import RedisServer
from headwater.settings.archive import Archive, bucket_of, checked_endpoint, folder_of, identity
from headwater.settings.channels import Channel, checked, revealed
from headwater.settings.fetching import fetch_settings
from headwater.settings.settings import Settings
from headwater.sinks.files import Files
from headwater.sinks.mail import Mail
from headwater.sinks.posting import Endpoint
from headwater.sinks.queue import Push, Queues
from headwater.sinks.redis import RedisQueues
from headwater.sinks.slack import Slack
from headwater.sinks.webhook import Webhook

# Longer than a server nearby ever takes, and short enough that a dead one holds nobody up.
MARKING_SECONDS = 0.5
# Nothing is fetched while nobody can say whether it may be; there is more patience for that.
GOVERNING_SECONDS = 3.0


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class App:
    """An opened installation."""

    settings: Settings
    clock: Clock = now
    patience: Patience = field(default_factory=Patience)

    @cached_property
    def store(self) -> SqlStore:
        self._folder()
        engine = connect(self.settings.database_url, self.settings.connections)
        migrate(engine)
        return SqlStore(engine)

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.store.engine)

    @cached_property
    def operations(self) -> Operations:
        return Operations(self.store.engine)

    @cached_property
    def archive(self) -> ObjectArchive:
        self._folder()
        folder = self.archive_folder
        if folder is not None:
            return open_folder(folder)
        place = self.settings.archive_place
        return open_bucket(object_server(place), *bucket_of(place.place))

    @cached_property
    def records(self) -> RecordFiles:
        """Files of old documents: with the captures, if those lie where every machine finds them. Earlier versions left
        them in the data folder even then; whoever opens them first brings those along."""
        folder = FolderRecords(self.settings.folder / RECORDS)
        if self.archive_folder is not None:
            return folder
        server, place = object_server(self.settings.archive_place), self.settings.archive_place.place
        bucket, prefix = bucket_of(place)
        inside = f"{prefix}/{RECORDS}" if prefix else RECORDS
        files = BucketRecords(server.bucket(bucket, inside), f"s3://{bucket}/{inside}")
        gather(folder, files)
        return files

    @property
    def archive_folder(self) -> Path | None:
        """None if the archive is a bucket."""
        return folder_of(self.settings.archive_place, self.settings.folder)

    @cached_property
    def recipes(self) -> Mapping[str, Recipe]:
        return installed_recipes(self.settings)

    @cached_property
    def sinks(self) -> Mapping[str, Sink]:
        """Those that everybody may use, and each recipe's own."""
        own = {
            name: make(self.output(recipe.name), self.provenance)
            for recipe in self.recipes.values()
            for name, make in recipe.sinks.items()
        }
        common: dict[str, Sink] = {
            "files": Files(self.settings.folder / "out"),
            "queue": Queues(self._push()),
        }
        return {**common, **self.channels, **own}

    @cached_property
    def provenance(self) -> SqlProvenance:
        return SqlProvenance(self.store.engine, self.archive)

    def output(self, recipe: str) -> Path:
        """The folder of a recipe's own sinks."""
        own = self.settings.recipes.get(recipe)
        return Path(own.folder) if own is not None and own.folder else self.settings.folder / "out" / recipe

    def close_run(self, recipe: str) -> None:
        """Let a recipe bring its summaries up to date."""
        closing = self.recipe(recipe).closing
        if closing is not None:
            closing(self.output(recipe), self.provenance)

    def _push(self) -> Push:
        """Queues are rows, unless the settings name a server for them."""
        if not self.settings.queues:
            return self.queues.push
        return RedisQueues(revealed(self.settings.queues, "queues")).push

    @cached_property
    def queues(self) -> RowQueues:
        """From where documents for other programs are taken. Items in lists on a server become rows when they are."""
        rows = RowQueues(self.store.engine, self.clock)
        if not self.settings.queues:
            return rows
        server = RedisServer(revealed(self.settings.queues, "queues"), "queues")
        routes = [(route, one.name) for one in self.recipes.values() for route in one.routes]
        return replace(
            rows, supply=Lists(server, {route.name: name for route, name in routes if route.sink == "queue"})
        )

    @cached_property
    def markers(self) -> Markers | None:
        """Where other programs find what was seen, if the settings name a server."""
        if not self.settings.redis:
            return None
        server = RedisServer(revealed(self.settings.redis, "redis"), seconds=MARKING_SECONDS)
        namespaces = {name: recipe.prefix for name, recipe in self.recipes.items()}
        return Markers(server, self.store.engine, self.clock, namespaces)

    @cached_property
    def channels(self) -> Mapping[str, Sink]:
        """Where operators are told of alarms; recipes may send their own records there too."""
        made = {name: self._channel(name, channel) for name, channel in self.settings.notify.items()}
        if taken := {"files", "queue"} & made.keys():
            raise Refused("bad_config", f"notify.{min(taken)}: that name is taken; choose another one")
        return made

    def _channel(self, name: str, channel: Channel) -> Sink:
        checked(name, channel)
        if channel.kind == "email":
            return Mail(
                host=channel.host,
                port=channel.port,
                sender=channel.sender,
                recipients=channel.to,
                clock=self.clock,
                security=channel.security,
                user=channel.user,
                password=revealed(channel.password, f"notify.{name}.password"),
            )
        endpoint = Endpoint(revealed(channel.url, f"notify.{name}.url"))
        if channel.kind == "slack":
            return Slack(endpoint)
        return Webhook(endpoint, self.clock, revealed(channel.secret, f"notify.{name}.secret"))

    def recipe(self, name: str) -> Recipe:
        if name not in self.recipes:
            for broken in entry_points(group=RECIPES, name=name):
                load_recipe(broken)
            known = ", ".join(sorted(self.recipes)) or "none is installed"
            raise Refused("unknown_recipe", f"there is no recipe '{name}'; there are: {known}")
        return self.recipes[name]

    def register(self, recipe: Recipe) -> int:
        """Make the rows of its sources and subjects agree with a recipe; gives the number of new sources."""
        if recipe.subjects:
            Mentioning(self.store.engine).declare(recipe.name, recipe.subjects)
        return self.store.register(recipe.sources, self.clock())

    def subjects(self, recipe: str) -> Sequence[Subject]:
        """Those of the settings, or else the recipe's own."""
        return self.recipe(recipe).subjects

    def fetcher(self) -> Fetcher:
        configure_logs(self.settings.log, self.settings.log_level)
        return HttpFetcher(fetch_settings(self.settings), governor=self._governor(), clock=self.clock)

    def _governor(self) -> Governor | None:
        """Limits are shared by all who name the same server, or else by all who have the same data folder. Whoever has
        neither (a single look at an address) has nobody to share them with."""
        if self.settings.redis:
            server = RedisServer(revealed(self.settings.redis, "redis"), seconds=GOVERNING_SECONDS)
            return RedisGovernor(server, counted=sorted({one.prefix for one in self.recipes.values()}))
        folder = self.settings.folder
        return FileGovernor(folder / "governor.db") if folder.is_dir() else None

    def desk(self, owner: str, *, fetching: bool) -> Desk:
        """A worker's desk; only one that fetches needs a fetcher."""
        return Desk(
            owner=owner,
            recipes=self.recipes,
            store=self.store,
            archive=self.archive,
            clock=self.clock,
            log=configure_logs(self.settings.log, self.settings.log_level),
            fetcher=self.fetcher() if fetching else None,
            sinks=self.sinks,
            patience=self.patience,
            renders=available(),
            channels=tuple(self.channels),
            tell=self.markers or nobody,
        )

    def _folder(self) -> Path:
        folder = self.settings.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(
                "data_unwritable", f"the data folder {folder} cannot be made: {error.strerror}"
            ) from error
        return folder


def object_server(place: Archive) -> Server:
    key, secret = identity(place)
    return Server(endpoint=checked_endpoint(place), region=place.region, key=key, secret=secret)
