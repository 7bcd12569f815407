"""The settings: typed, read once, from the file and then from environment variables."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from headwater.model.errors import Refused
from headwater.secret_references import resolve_secret
from headwater.settings.archive import ARCHIVE_VARIABLES, ArchiveSettings, with_archive_variables
from headwater.settings.channels import Channel
from headwater.settings.environments import DEFAULT_ENVIRONMENT, Environment, environment_overrides
from headwater.settings.llm import AgentSettings, SummarySettings
from headwater.settings.places import settings_beside
from headwater.settings.rate_limits import (
    RateLimit,
    check_headers,
    check_hosts,
    load_rate_limits,
    user_agents,
)
from headwater.settings.recipes import BrokenRecipe, RecipeSettings
from headwater.settings.yaml_file import convert_yaml, missing_file, read_yaml
from headwater.store.connection_settings import ConnectionSettings

DEFAULT_FILE = "headwater.yaml"
DEFAULT_DATA = "headwater-data"
RESERVED_SINKS = {"files", "queue", "table", "objects"}
MIN_CONNECTIONS = 2  # maintenance of the search index holds a lock on one and works on another


class Retention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Days to keep records, 0 for ever. `runs` are those of whole recipes; `alarms` are those that are over; `captures` are raw bytes; `documents` are moved to
    Parquet files, and their titles and numbers stay; `queue` are items that another program has finished; `summaries` are
    finished requests to a language model; `matches` are those of saved searches, with their digests; `tables` are tables of other programs in the same database."""

    polls: int = 14
    runs: int = 365
    alarms: int = 365
    captures: int = 0
    documents: int = 0
    queue: int = 90
    summaries: int = 90
    matches: int = 365
    tables: dict[str, int] = {}

    @property
    def least_days(self) -> int:
        own = (
            *(self.polls, self.runs, self.alarms, self.captures, self.documents),
            *(self.queue, self.summaries, self.matches),
        )
        return min((*own, *self.tables.values()))


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of an installation. The descriptions are those of the generated reference."""

    data: Annotated[str, Meta(description="The data folder.")] = DEFAULT_DATA
    database: Annotated[
        str | None,
        Meta(
            description="A SQLAlchemy URL, or `env:NAME` or `file:PATH` to read it from there. The default is SQLite in the "
            "data folder."
        ),
    ] = None
    connections: Annotated[
        ConnectionSettings,
        Meta(
            description="Connections of each process to PostgreSQL: `pool_size`, `max_overflow`, `recycle`; in seconds "
            "`statement_timeout`, `lock_timeout`, `idle_timeout`; `pooler: true` behind PgBouncer and the like."
        ),
    ] = ConnectionSettings()
    archive: Annotated[
        str | ArchiveSettings,
        Meta(
            description="Where raw captures are stored: a folder (by default `archive` in the data folder) or "
            "`s3://bucket/prefix`. For a bucket it can be a record of `place`, `endpoint` (`https://host:port` if it is not "
            "Amazon's), `region`, `key` and `secret` (`env:NAME` or `file:PATH`)."
        ),
    ] = ""
    environments: Annotated[
        dict[str, Environment],
        Meta(
            description="Other environments of this installation by name, each with its own database, archive, redis and "
            "queues. `--env NAME` uses one; `headwater move --to NAME` moves the installation there. What the top level says is "
            "the environment `default`."
        ),
    ] = {}
    workers: Annotated[
        int, Meta(description="The number of processes that refine, besides the one that fetches.")
    ] = 1
    contact: Annotated[
        str, Meta(description="An address for complaints of sites; it is part of the User-Agent.")
    ] = ""
    hosts: Annotated[
        dict[str, str],
        Meta(
            description="Host (or `*.domain`) to base URL, to send requests to another server; that server may have a private "
            "address."
        ),
    ] = {}
    allow: Annotated[
        list[str], Meta(description="Private addresses (`host:port`) that may be fetched from.")
    ] = []
    requests_per_second: Annotated[
        float, Meta(ge=0, le=1_000_000, description="The rate limit per host; 0 for none.")
    ] = 1.0
    rate_limits: Annotated[
        dict[str, RateLimit],
        Meta(
            description="Host (or `*.domain`) to its own limits: `rate`, `concurrency`, `user_agent`, `robots`, `shared`, "
            "`contact`. A file `rate_limits.yaml` next to the settings overrides this."
        ),
    ] = {}
    reservations: Annotated[
        list[Literal["tdm", "noai", "noimageai", "noindex"]],
        Meta(
            description="Rights reservations of publishers that keep a page from being fetched or stored: `tdm`, `noai`, "
            "`noimageai`, `noindex`. All are recorded in any case."
        ),
    ] = []
    budgets: Annotated[
        dict[str, Annotated[int, Meta(ge=0)]],
        Meta(
            description="Requests per minute by kind of source (`news_api`) or name of a key (`massive`); 0 for no limit."
        ),
    ] = {}
    queues: Annotated[
        str,
        Meta(
            description="Where documents for other programs are queued: rows of the database, or lists on a Redis server when "
            "its URL is set (`redis://host:6379/0`, or `env:NAME`)."
        ),
    ] = ""
    objects: Annotated[
        str,
        Meta(
            description="Where recipes with a layout deliver payloads, texts and records as named objects, for other programs: a "
            "folder, `s3://` for buckets of the archive's server, or `s3://BUCKET/PREFIX` for one bucket."
        ),
    ] = ""
    redis: Annotated[
        str,
        Meta(
            description="The URL of a Redis server (or `env:NAME`). Installations on several machines share rate limits "
            "through it, `headwater beat` and `headwater worker` exchange messages, and other programs find fingerprints of the "
            "last day. It holds nothing that must not be lost."
        ),
    ] = ""
    callback: Annotated[
        str,
        Meta(
            description="The public URL at which WebSub hubs reach `headwater serve`; with it, the server subscribes to them."
        ),
    ] = ""
    hub: Annotated[
        str,
        Meta(
            description="A WebSub hub that `headwater serve --url …` tells which of its feeds have changed; the feeds name it."
        ),
    ] = ""
    log: Annotated[str, Meta(description="The format of log lines: `console` or `json`.")] = "console"
    log_level: Annotated[str, Meta(description="`debug`, `info`, `warning` or `error`.")] = "warning"
    notify: Annotated[
        dict[str, Channel],
        Meta(
            description="Channels for alarms by name; each has a `kind` (`webhook`, `slack` or `email`) and the fields of that "
            "kind."
        ),
    ] = {}
    heartbeat_url: Annotated[
        str,
        Meta(
            description="The address of a dead man's switch: a service outside that receives a POST every 30 seconds while "
            "database, Redis, beat and workers are alive, and reports when none comes; `env:NAME` or `file:PATH` reads it from "
            "there."
        ),
    ] = ""
    traces_url: Annotated[
        str,
        Meta(
            description="Where traces of documents are sent, from poll to delivery: the address of an OpenTelemetry collector for OTLP "
            "over HTTP, such as `http://127.0.0.1:4318/v1/traces`; `env:NAME` or `file:PATH` reads it from there."
        ),
    ] = ""
    api_key: Annotated[
        str,
        Meta(
            description="A key for `headwater serve` that may operate (runs and queues), besides those of `headwater keys`; `env:NAME` "
            "or `file:PATH` reads it from there. At least 16 characters."
        ),
    ] = ""
    agent: Annotated[
        AgentSettings,
        Meta(
            description="The language model of `headwater agent`: `endpoint` (an OpenAI-compatible API; without one the agent "
            "is off), `model`, `key` (`env:NAME` or `file:PATH`), `seconds`, `max_calls`, `concurrency`, `options`."
        ),
    ] = AgentSettings()
    summaries: Annotated[
        SummarySettings,
        Meta(
            description="The language model that summarises stories, of recipes that permit it: the fields of `agent`, and `mode` "
            "(`direct` or `batch`), `premium_model` for the top `premium_share`, `daily_budget` (US dollars in 24 hours), "
            "`prices` by model (input and output, per million tokens), `max_age_days`, `min_articles`. Without an endpoint "
            "stories have local summaries."
        ),
    ] = SummarySettings()
    encoder: Annotated[
        str,
        Meta(
            description="The encoder of texts as vectors: `multilingual` (the default), `english`, a folder with an ONNX sentence encoder "
            "and its tokenizer, a folder of a hub's cache, or a name under `models` in the data folder, where the built-in "
            "ones are built at first use."
        ),
    ] = ""
    retention: Annotated[
        Retention,
        Meta(
            description="Days after which the nightly cleanup deletes `polls`, `runs`, `alarms`, `captures`, finished `queue` items, "
            "finished `summaries` and `matches` of saved searches, and moves `documents` to files; 0 for never. `tables` names tables of other programs in the "
            "same database, whose rows are deleted by their column `created_at`; recipes may name some more."
        ),
    ] = Retention()
    recipes: Annotated[
        dict[str, RecipeSettings],
        Meta(
            description="Settings of recipes by name: `sources` is a file with its sources (or `bundled` for the list that comes with it), `subjects` a file "
            "of subjects to search for, `folder` the place of its files (by default `out/RECIPE` in the data folder), `options` "
            "are those of the recipe, `every` or `cron` the schedule of its sources. `keep`, `steps`, `group` and `routes` change "
            "what it does; with `like: NAME` they define a recipe of your own, and `file: PATH` loads one from a Python file."
        ),
    ] = {}

    @property
    def folder(self) -> Path:
        return Path(self.data)

    @property
    def database_url(self) -> str:
        """Escapes the characters of the folder's name that have a meaning in a URL."""
        path = str(self.folder / "headwater.db").replace("%", "%25").replace("?", "%3F")
        return resolve_secret(self.database, "database") if self.database else f"sqlite:///{path}"

    @property
    def database_exists(self) -> bool:
        """True if there is a database file, or a server, which is assumed to have the database until the first query."""
        return self.database is not None or (self.folder / "headwater.db").exists()

    @property
    def archive_settings(self) -> ArchiveSettings:
        return (
            self.archive if isinstance(self.archive, ArchiveSettings) else ArchiveSettings(place=self.archive)
        )

    def in_environment(self, name: str) -> "Settings":
        """Returns the settings of the same installation in the environment of that name. An environment overrides the top
        level only, so the result has no environments: none can be applied to another."""
        if name == DEFAULT_ENVIRONMENT:
            return self
        return msgspec.structs.replace(
            self, **environment_overrides(self.environments, name), environments={}
        )


SETTING_VARIABLES = {
    "data": "HEADWATER_DATA",
    "contact": "HEADWATER_CONTACT",
    "database": "HEADWATER_DATABASE",
    "redis": "HEADWATER_REDIS",
    "queues": "HEADWATER_QUEUES",
    "objects": "HEADWATER_OBJECTS",
    "log": "HEADWATER_LOG",
    "log_level": "HEADWATER_LOG_LEVEL",
}


def read_settings(
    path: Path | None, variables: Mapping[str, str] = os.environ, env: str | None = None
) -> Settings:
    """Reads the given file, else that of HEADWATER_CONFIG, else ./headwater.yaml if it exists; then applies the environment
    `env` (or that of HEADWATER_ENV), then the environment variables. A path in the file is relative to the file, one in a
    variable to the current folder."""
    file = path or _default_file(variables)
    if file and not file.exists():
        raise Refused(
            "missing_file", f"{missing_file(file)}; `headwater --config {quote(str(file))} init` writes one"
        )
    settings = _load_settings(file) if file else Settings()
    if file:
        _check_names(settings, file)
        settings = settings_beside(settings, file.parent)
    rate_limits = {**settings.rate_limits, **load_rate_limits(file)}
    settings = msgspec.structs.replace(settings, rate_limits=rate_limits)
    if name := env or variables.get("HEADWATER_ENV"):
        settings = settings.in_environment(name)
    settings = _with_variables(settings, variables)
    _check_values(settings)
    return settings


def _load_settings(file: Path) -> Settings:
    """A mistake in one recipe disables that recipe; any other mistake is one of the whole file."""
    content = read_yaml(file)
    recipes = content.data.get("recipes") if isinstance(content.data, dict) else None
    if not isinstance(recipes, dict):
        return convert_yaml(content, Settings)
    broken: dict[str, RecipeSettings] = {}
    for name, own in recipes.items():
        try:
            convert_yaml(replace(content, data={"recipes": {name: own}}), Settings)
        except Refused as refusal:
            broken[str(name)] = BrokenRecipe(problem=refusal.detail)
    usable = {name: own for name, own in recipes.items() if str(name) not in broken}
    settings = convert_yaml(replace(content, data={**content.data, "recipes": usable}), Settings)
    return msgspec.structs.replace(settings, recipes={**settings.recipes, **broken})


def _default_file(variables: Mapping[str, str]) -> Path | None:
    if name := variables.get("HEADWATER_CONFIG"):
        return Path(name)
    return Path(DEFAULT_FILE) if Path(DEFAULT_FILE).exists() else None


def overriding_variables(settings: Settings, env: str, variables: Mapping[str, str]) -> list[str]:
    """Returns the variables that are set and override a setting of the environment."""
    overrides = environment_overrides(settings.environments, env)
    names = {field: [name] for field, name in SETTING_VARIABLES.items()}
    names["archive"] = sorted(ARCHIVE_VARIABLES.values())
    return [name for field in sorted(overrides) for name in names.get(field, ()) if variables.get(name)]


def _with_variables(settings: Settings, variables: Mapping[str, str]) -> Settings:
    values: dict[str, Any] = {
        field: variables[name] for field, name in SETTING_VARIABLES.items() if variables.get(name)
    }
    if any(variables.get(name) for name in ARCHIVE_VARIABLES.values()):
        values["archive"] = with_archive_variables(settings.archive_settings, variables)
    return msgspec.structs.replace(settings, **values)


def _check_values(settings: Settings) -> None:
    if reserved := RESERVED_SINKS & settings.notify.keys():
        raise Refused("bad_config", f"notify.{min(reserved)}: this name is reserved; choose another one")
    if settings.log not in {"console", "json"}:
        raise Refused("bad_config", f"log: '{settings.log}' is neither console nor json")
    if settings.log_level not in {"debug", "info", "warning", "error"}:
        raise Refused(
            "bad_config", f"log_level: '{settings.log_level}' is none of debug, info, warning, error"
        )
    if settings.retention.least_days < 0:
        raise Refused("bad_config", "retention: days cannot be negative; use 0 to keep records for ever")
    if settings.workers < 1:
        raise Refused("bad_config", "workers: at least 1 is needed")
    if settings.connections.max_connections < MIN_CONNECTIONS:
        minimum = f"connections: pool_size and max_overflow together must be at least {MIN_CONNECTIONS}"
        raise Refused("bad_config", minimum)


def _check_names(settings: Settings, path: Path) -> None:
    if DEFAULT_ENVIRONMENT in settings.environments:
        raise Refused(
            "bad_config",
            f"{path}: environments.{DEFAULT_ENVIRONMENT}: this is the name of the top level; choose another name",
        )
    check_hosts(settings.rate_limits, path, ("rate_limits",))
    check_hosts(settings.hosts, path, ("hosts",))
    check_headers(
        {("contact",): settings.contact, **user_agents(settings.rate_limits, ("rate_limits",))}, path
    )
