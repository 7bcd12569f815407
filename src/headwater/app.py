"""The composition root: the only place that knows which implementations an installation uses.

Most commands read a few rows. They must not wait for the parts that fetch, extract and deliver, so a part is imported
when it is first used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.engine.retry_policy import RetryPolicy
from headwater.model.errors import Refused
from headwater.secret_references import resolve_secret
from headwater.settings.archive import (
    SCHEME,
    ArchiveSettings,
    bucket_credentials,
    check_archive_endpoint,
    local_archive_folder,
    parse_bucket_url,
)
from headwater.settings.settings import Settings
from headwater.store.connect import connect
from headwater.store.migrate import migrate
from headwater.store.reads.catalogue import Catalogue

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from headwater.archive.bucket import S3Server
    from headwater.archive.named_objects import NamedObjects
    from headwater.archive.packs import ObjectArchive
    from headwater.archive.record_files import RecordFiles
    from headwater.engine.context import JobContext
    from headwater.fetch.politeness.rate_limiter import RateLimiter
    from headwater.fetch.settings import FetchSettings
    from headwater.model.ports import Clock, Fetcher
    from headwater.model.questions import ExtractionQuestion
    from headwater.model.recipe import Recipe, Sink
    from headwater.model.subject import Subject
    from headwater.recipes.loader import LoadedRecipes
    from headwater.sinks.queue import Push
    from headwater.store.changes.alarms import AlarmStore
    from headwater.store.changes.api_keys import ApiKeyStore
    from headwater.store.changes.idempotency_keys import IdempotencyKeys
    from headwater.store.changes.link_health import LinkHealthStore
    from headwater.store.changes.mentions import MentionStore
    from headwater.store.changes.operations import Operations
    from headwater.store.changes.pipeline_runs import PipelineRuns
    from headwater.store.changes.queue_lists import QueueLists
    from headwater.store.changes.queues import SqlQueues
    from headwater.store.changes.replays import Replays
    from headwater.store.changes.reviews import ReviewStore
    from headwater.store.changes.saved_searches import SavedSearchStore
    from headwater.store.changes.sessions import SessionStore
    from headwater.store.changes.uptime import UptimeRows
    from headwater.store.changes.workers import WorkerRows
    from headwater.store.maintenance.tasks import MaintenanceTasks
    from headwater.store.reads.object_copies import ObjectCopies
    from headwater.store.reads.provenance import SqlProvenance
    from headwater.store.redis.markers import DedupeMarkers
    from headwater.store.search.document_search import DocumentSearch
    from headwater.store.sql_store import SqlStore
    from headwater.store.summaries.sql_summaries import SqlSummaryStore

# Longer than a nearby server ever takes, and short enough that a dead one delays nothing.
MARKER_TIMEOUT_SECONDS = 0.5
# Nothing is fetched while the limits are unknown, so a longer wait is worthwhile.
RATE_LIMIT_TIMEOUT_SECONDS = 3.0


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class App:
    """An installation with its parts, each opened when it is first used."""

    settings: Settings
    clock: Clock = now
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)

    @cached_property
    def engine(self) -> Engine:
        """The connections to the database, which is created or upgraded first."""
        self._folder()
        engine = connect(self.settings.database_url, self.settings.connections)
        migrate(engine)
        return engine

    @cached_property
    def store(self) -> SqlStore:
        from headwater.store.sql_store import SqlStore

        return SqlStore(self.engine)

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.engine)

    @cached_property
    def operations(self) -> Operations:
        from headwater.store.changes.operations import Operations

        return Operations(self.engine)

    @cached_property
    def alarms(self) -> AlarmStore:
        from headwater.store.changes.alarms import AlarmStore

        return AlarmStore(self.engine)

    @cached_property
    def reviews(self) -> ReviewStore:
        from headwater.store.changes.reviews import ReviewStore

        return ReviewStore(self.engine)

    @cached_property
    def api_keys(self) -> ApiKeyStore:
        from headwater.store.changes.api_keys import ApiKeyStore

        return ApiKeyStore(self.engine)

    @cached_property
    def sessions(self) -> SessionStore:
        from headwater.store.changes.sessions import SessionStore

        return SessionStore(self.engine)

    @cached_property
    def idempotency_keys(self) -> IdempotencyKeys:
        from headwater.store.changes.idempotency_keys import IdempotencyKeys

        return IdempotencyKeys(self.engine)

    @cached_property
    def link_health(self) -> LinkHealthStore:
        from headwater.store.changes.link_health import LinkHealthStore

        return LinkHealthStore(self.engine)

    @cached_property
    def maintenance_tasks(self) -> MaintenanceTasks:
        from headwater.store.maintenance.tasks import MaintenanceTasks

        return MaintenanceTasks(self.engine)

    @cached_property
    def uptime(self) -> UptimeRows:
        from headwater.store.changes.uptime import UptimeRows

        return UptimeRows(self.engine)

    @cached_property
    def workers(self) -> WorkerRows:
        from headwater.store.changes.workers import WorkerRows

        return WorkerRows(self.engine)

    @cached_property
    def mentions(self) -> MentionStore:
        from headwater.store.changes.mentions import MentionStore

        return MentionStore(self.engine)

    @cached_property
    def object_copies(self) -> ObjectCopies:
        from headwater.store.reads.object_copies import ObjectCopies

        return ObjectCopies(self.engine)

    @cached_property
    def pipeline_runs(self) -> PipelineRuns:
        from headwater.store.changes.pipeline_runs import PipelineRuns

        return PipelineRuns(self.engine)

    @cached_property
    def replays(self) -> Replays:
        from headwater.store.changes.replays import Replays

        return Replays(self.engine)

    @cached_property
    def saved_searches(self) -> SavedSearchStore:
        from headwater.store.changes.saved_searches import SavedSearchStore

        return SavedSearchStore(self.store.engine)

    @cached_property
    def search(self) -> DocumentSearch:
        from headwater.store.search.document_search import DocumentSearch

        return DocumentSearch(self.engine, self.settings.folder, self.settings.encoder)

    @cached_property
    def summaries(self) -> SqlSummaryStore:
        from headwater.store.summaries.sql_summaries import SqlSummaryStore

        return SqlSummaryStore(self.engine)

    @cached_property
    def archive(self) -> ObjectArchive:
        from headwater.archive.bucket import open_bucket_archive
        from headwater.archive.packs import open_folder_archive

        self._folder()
        folder = self.archive_folder
        if folder is not None:
            return open_folder_archive(folder)
        archive = self.settings.archive_settings
        return open_bucket_archive(bucket_server(archive), *parse_bucket_url(archive.place))

    @cached_property
    def records(self) -> RecordFiles:
        """Files of old documents: next to the captures if those are in a bucket, which every machine can read. Earlier
        versions left them in the data folder even then; the first process that opens them moves them."""
        from headwater.archive.record_files import (
            RECORDS_PREFIX,
            BucketRecords,
            FolderRecords,
            collect_folder_records,
        )

        folder = FolderRecords(self.settings.folder / RECORDS_PREFIX)
        if self.archive_folder is not None:
            return folder
        archive = self.settings.archive_settings
        bucket, prefix = parse_bucket_url(archive.place)
        path = f"{prefix}/{RECORDS_PREFIX}" if prefix else RECORDS_PREFIX
        files = BucketRecords(bucket_server(archive).bucket(bucket, path), f"s3://{bucket}/{path}")
        collect_folder_records(folder, files)
        return files

    @property
    def archive_folder(self) -> Path | None:
        """None if the archive is a bucket."""
        return local_archive_folder(self.settings.archive_settings, self.settings.folder)

    @cached_property
    def loaded_recipes(self) -> LoadedRecipes:
        from headwater.recipes.loader import load_recipes

        return load_recipes(self.settings)

    @cached_property
    def recipes(self) -> Mapping[str, Recipe]:
        """The usable recipes; why others are left out is in `loaded_recipes`."""
        return self.loaded_recipes.recipes

    @cached_property
    def sinks(self) -> Mapping[str, Sink]:
        """Returns the common sinks and each recipe's own."""
        from headwater.model.recipe import own_sink_name
        from headwater.settings.channel_sinks import open_usable
        from headwater.sinks.files import FileSink
        from headwater.sinks.queue import QueueSink

        of_recipes = {
            own_sink_name(recipe.name, name): open_usable(
                partial(make_sink, self.output(recipe.name), self.provenance)
            )
            for recipe in self.recipes.values()
            for name, make_sink in recipe.sinks.items()
        }
        common: dict[str, Sink] = {
            "files": FileSink(self.output),
            "queue": QueueSink(
                self._push(), {name: recipe.queue_attributes for name, recipe in self.recipes.items()}
            ),
        }
        if self.settings.objects:
            common["objects"] = self._object_sink()
        return {**common, **self.channels, **of_recipes}

    def _object_sink(self) -> Sink:
        from headwater.sinks.objects import ObjectSink

        copies = self.object_copies
        layouts = {name: recipe.layout for name, recipe in self.recipes.items() if recipe.layout is not None}
        return ObjectSink(
            layouts, copies.payloads_of, copies.parsed_of, self.archive.get, self.named_objects()
        )

    def named_objects(self, place: str = "", setting: str = "objects") -> NamedObjects:
        """Returns a folder, or buckets of the server that the setting `archive` names; by default those of the setting
        `objects`."""
        from headwater.archive.named_objects import objects_in_bucket, objects_in_buckets, objects_in_folder

        place = place or self.settings.objects
        if not place.startswith(SCHEME):
            return objects_in_folder(Path(place))
        server = bucket_server(self.settings.archive_settings)
        if place.rstrip("/") == SCHEME.rstrip("/"):
            return objects_in_buckets(server)
        return objects_in_bucket(server, *parse_bucket_url(place, setting))

    @cached_property
    def provenance(self) -> SqlProvenance:
        from headwater.store.reads.provenance import SqlProvenance

        return SqlProvenance(self.engine, self.archive)

    def output(self, recipe: str) -> Path:
        """Returns the folder of a recipe's files."""
        settings = self.settings.recipes.get(recipe)
        return (
            Path(settings.folder) if settings and settings.folder else self.settings.folder / "out" / recipe
        )

    def close_run(self, recipe: str) -> None:
        """Lets a recipe update its summaries at the end of a run."""
        after_run = self.recipe(recipe).after_run
        if after_run is not None:
            after_run(self.output(recipe), self.provenance)

    def _push(self) -> Push:
        """Queues are rows; if the settings name a server, their items go onto its lists, too."""
        from headwater.store.changes.queues import SqlQueues

        if not self.settings.queues:
            return self.queues.push
        return self.queue_lists(SqlQueues(self.engine, self.clock)).push

    def queue_lists(self, rows: SqlQueues) -> QueueLists:
        """Needs the setting `queues`, but no Redis library."""
        from headwater.sinks.queue import RedisQueue
        from headwater.store.changes.queue_lists import QueueLists

        return QueueLists(rows, RedisQueue(resolve_secret(self.settings.queues, "queues")).push)

    @cached_property
    def queues(self) -> SqlQueues:
        """Queues of documents for other programs. Items on a server become rows when they are taken."""
        from headwater.model.saved_search import QUEUE_CHANNEL
        from headwater.redis_client import RedisClient
        from headwater.store.changes.queues import SqlQueues
        from headwater.store.redis.queue_supply import RedisQueueSupply

        rows = SqlQueues(self.engine, self.clock)
        if not self.settings.queues:
            return rows
        server = RedisClient(resolve_secret(self.settings.queues, "queues"), "queues")
        recipes_by_queue = {
            route.name: recipe.name
            for recipe in self.recipes.values()
            for route in recipe.routes
            if route.sink == QUEUE_CHANNEL
        }
        recipes_by_queue |= {
            search.route: search.recipe or ""
            for search in self.store.saved_searches().searches
            if search.channel == QUEUE_CHANNEL
        }
        return replace(rows, supply=RedisQueueSupply(server, recipes_by_queue))

    @cached_property
    def questions(self) -> Mapping[str, ExtractionQuestion]:
        """What the agent asks about documents in queues, by the last part of a queue's name."""
        return {
            name: question for recipe in self.recipes.values() for name, question in recipe.questions.items()
        }

    @cached_property
    def markers(self) -> DedupeMarkers | None:
        """Fingerprints for other programs, if the settings name a server."""
        from headwater.redis_client import RedisClient
        from headwater.store.redis.markers import DedupeMarkers

        if not self.settings.redis:
            return None
        server = RedisClient(resolve_secret(self.settings.redis, "redis"), seconds=MARKER_TIMEOUT_SECONDS)
        namespaces = {name: recipe.prefix for name, recipe in self.recipes.items()}
        return DedupeMarkers(server, self.engine, self.clock, namespaces)

    @cached_property
    def channels(self) -> Mapping[str, Sink]:
        """Channels for alarms; recipes may send records to them too."""
        from headwater.settings.channel_sinks import open_channel, open_usable

        notify = self.settings.notify.items()
        return {
            name: open_usable(partial(open_channel, name, channel, self.clock)) for name, channel in notify
        }

    def recipe(self, name: str) -> Recipe:
        """Raises Refused, with the reason, if the recipe is unknown or was left out."""
        if refusal := self.loaded_recipes.refusals.get(name):
            raise refusal
        from headwater.model.recipe import find_recipe

        return find_recipe(self.loaded_recipes.recipes, name)

    def register(self, recipe: Recipe) -> int:
        """Updates the sources, subjects and views of a recipe in the store, and returns the number of new sources."""
        from headwater.store.views import install_views

        if recipe.views is not None:
            install_views(self.engine, recipe.name, recipe.views)
        if recipe.subjects:
            self.mentions.declare(recipe.name, recipe.subjects)
        return self.store.register(recipe.sources, self.clock())

    def subjects(self, recipe: str) -> Sequence[Subject]:
        """Returns the subjects of the settings, or else the recipe's own."""
        return self.recipe(recipe).subjects

    @property
    def fetch_settings(self) -> FetchSettings:
        """Returns the settings of the fetcher, with the limits that the recipes declare."""
        from headwater.settings.fetch import fetch_settings

        return fetch_settings(self.settings, (recipe.fetch_limits for recipe in self.recipes.values()))

    def fetcher(self, answered_before: Iterable[str] = ()) -> Fetcher:
        from headwater.fetch.client.http_fetcher import HttpFetcher
        from headwater.logs import configure_logs

        configure_logs(self.settings.log, self.settings.log_level)
        return HttpFetcher(
            self.fetch_settings,
            rate_limiter=self._rate_limiter(),
            clock=self.clock,
            answered_before=answered_before,
        )

    def _rate_limiter(self) -> RateLimiter | None:
        """Limits are shared by all processes with the same server, or else with the same data folder. Without either (a
        single request) there is nothing to share."""
        from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
        from headwater.fetch.politeness.rate_limiter_redis import RedisRateLimiter
        from headwater.redis_client import RedisClient

        if self.settings.redis:
            server = RedisClient(
                resolve_secret(self.settings.redis, "redis"), seconds=RATE_LIMIT_TIMEOUT_SECONDS
            )
            return RedisRateLimiter(
                server, counted=sorted({recipe.prefix for recipe in self.recipes.values()})
            )
        folder = self.settings.folder
        return FileRateLimiter(folder / "rate-limits.db") if folder.is_dir() else None

    def install_views(self) -> None:
        """Create the views of all recipes, unless they are up to date."""
        from headwater.store.views import install_views

        for recipe in self.recipes.values():
            if recipe.views is not None:
                install_views(self.engine, recipe.name, recipe.views)

    def context(self, owner: str, *, fetching: bool) -> JobContext:
        """Returns the context of a worker; only one that fetches needs a fetcher."""
        from headwater.engine.context import JobContext
        from headwater.fetch.browser.program import is_browser_available
        from headwater.logs import configure_logs
        from headwater.model.ports import ignore_commits
        from headwater.store.reads.source_history import answering_hosts

        self.install_views()
        return JobContext(
            owner=owner,
            recipes=self.recipes,
            store=self.store,
            archive=self.archive,
            clock=self.clock,
            log=configure_logs(self.settings.log, self.settings.log_level),
            fetcher=self.fetcher(answering_hosts(self.engine)) if fetching else None,
            sinks=self.sinks,
            retry_policy=self.retry_policy,
            renders=is_browser_available(),
            channels=tuple(self.channels),
            on_commit=self.markers or ignore_commits,
        )

    def _folder(self) -> Path:
        folder = self.settings.folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(
                "data_unwritable",
                f"the data folder {folder} cannot be created: {error.strerror}; choose another with --data",
            ) from error
        return folder


def bucket_server(archive: ArchiveSettings) -> S3Server:
    from headwater.archive.bucket import S3Server

    key, secret = bucket_credentials(archive)
    endpoint = check_archive_endpoint(archive)
    return S3Server(endpoint=endpoint, region=archive.region, key=key, secret=secret)
