"""Few settings, typed, read once: the file first, then the environment."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from headwater.model.connection_settings import ConnectionSettings
from headwater.model.errors import Refused
from headwater.settings.archive import ARCHIVE_VARIABLES as ARCHIVE_FROM_ENVIRONMENT
from headwater.settings.archive import ArchiveSettings, with_archive_variables
from headwater.settings.channels import Channel, resolve_secret
from headwater.settings.environments import Environment, environment_overrides
from headwater.settings.llm import AgentSettings, SummarySettings
from headwater.settings.rate_limits import (
    RateLimit,
    check_headers,
    check_hosts,
    load_rate_limits,
    user_agents,
)
from headwater.settings.yaml_file import load_yaml

DEFAULT_FILE = "headwater.yaml"
DEFAULT_DATA = "headwater-data"
MIN_CONNECTIONS = 2  # upkeep of the search index holds a lock on one and works on another


class RecipeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`sources` replaces the recipe's own list by a file; `subjects` is a file of subjects to look for; `folder` is
    where a recipe that writes files of its own puts them (out/RECIPE in the data folder unless given); `options` are
    what the recipe understands."""

    sources: str | None = None
    subjects: str | None = None
    folder: str | None = None
    options: dict[str, Any] = {}


class Retention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Days. `polls` are those of sources, `alarms` those that are over, `captures` what came over the wire; `documents`
    are moved to Parquet files, their names and numbers stay; `queue` are items that another program ended,
    `summaries` questions to a language model that are over."""

    polls: int = 30
    alarms: int = 365
    captures: int = 0
    documents: int = 0
    queue: int = 90
    summaries: int = 90


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything an installation can be told.

    data: the folder in which everything lies. database: a SQLAlchemy address; SQLite in the data folder unless given;
    `env:NAME` or `file:PATH` reads it from there. connections: to PostgreSQL, of each process: pool, spare, recycle;
    seconds that a statement, a wait for a lock and an idle transaction may take (statement, lock, idle); pooler: true
    behind PgBouncer and the like. archive: where raw captures lie: a folder (archive in the data folder
    unless given) or s3://bucket/prefix; for a bucket also a record of place, endpoint (https://host:port if it is not
    Amazon's), region, key and secret (`env:NAME` or `file:PATH`). environments: other places where this installation may
    live, by name, each with a database, an archive, a redis and queues of its own; `--env NAME` puts that over the rest, `headwater move --to NAME` moves there.
    workers: processes that refine, beside the one that fetches. contact: an address that sites can complain to; it
    is part of the User-Agent. hosts: host (or *.domain) to base URL, to point names at another server; such a server
    may be on a private address. allow: private addresses (host:port) that may be fetched from. requests_per_second:
    per host, 0 for no limit. rate_limits: host (or *.domain) to what differs there (rate, concurrency, user_agent,
    robots, shared, contact); a file rate_limits.yaml beside the settings may say the same and comes first.
    reservations: which statements of publishers (tdm, noai, noimageai, noindex) keep a page from being fetched or kept;
    they are recorded in any case. budgets: requests a minute by kind of source (news_api) or by name of a key
    (massive), 0 for no limit. queues: where documents for other programs are put: rows of the database, or lists
    on a Redis server if its address is given (redis://host:6379/0, or env:NAME). redis: the address of a Redis server
    (or env:NAME) through which installations on several machines share their limits, `headwater beat` and `headwater
    worker` send their messages, and other programs find marks for what was seen in the last day; nothing that must not
    be lost lies there. callback: the public address under which hubs reach `headwater listen`. log: console or json;
    log_level: debug, info, warning or error. notify: channels on which alarms are told, by name; each has a
    kind (webhook, slack or email) and what that needs. api_key: whoever starts runs through `headwater serve` must
    show it; `env:NAME` or `file:PATH` reads it from there. agent: whom `headwater agent`
    asks about documents: endpoint (an OpenAI-compatible API; nothing is asked without one), model, key (`env:NAME` or
    `file:PATH`), seconds, max_calls, concurrency, options. summaries: who summarises stories of recipes in tier C: the same, and
    mode (direct or batch), premium_model for the top share, daily_budget (US dollars in 24 hours), prices by model (input
    and output, a million tokens), max_age_days, min_articles; stories have local summaries without an endpoint. encoder: the model
    that turns texts into vectors, where something is done by meaning: a folder with an ONNX sentence encoder and its
    tokenizer, a folder of a hub's cache, or a name under models in the data folder; a small English one that is built
    there unless given. retention: after how many days the nightly clean-up removes
    polls, alarms, captures, ended items of queues and answered questions and moves documents to files; 0 is never.
    """

    data: str = DEFAULT_DATA
    database: str | None = None
    connections: ConnectionSettings = ConnectionSettings()
    archive: str | ArchiveSettings = ""
    environments: dict[str, Environment] = {}
    workers: int = 1
    contact: str = ""
    hosts: dict[str, str] = {}
    allow: list[str] = []
    requests_per_second: Annotated[float, msgspec.Meta(ge=0, le=1_000_000)] = 1.0
    rate_limits: dict[str, RateLimit] = {}
    reservations: list[Literal["tdm", "noai", "noimageai", "noindex"]] = []
    budgets: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}
    queues: str = ""
    redis: str = ""
    callback: str = ""
    log: str = "console"
    log_level: str = "warning"
    notify: dict[str, Channel] = {}
    api_key: str = ""
    agent: AgentSettings = AgentSettings()
    summaries: SummarySettings = SummarySettings()
    encoder: str = ""
    retention: Retention = Retention()
    recipes: dict[str, RecipeSettings] = {}

    @property
    def folder(self) -> Path:
        return Path(self.data)

    @property
    def database_url(self) -> str:
        """Letters of the folder's name that mean something in an address are written as such."""
        path = str(self.folder / "headwater.db").replace("%", "%25").replace("?", "%3F")
        return resolve_secret(self.database, "database") if self.database else f"sqlite:///{path}"

    @property
    def database_exists(self) -> bool:
        """Whether there is a database file. A database server is assumed to have one; the first query tells."""
        return self.database is not None or (self.folder / "headwater.db").exists()

    @property
    def archive_settings(self) -> ArchiveSettings:
        return (
            self.archive if isinstance(self.archive, ArchiveSettings) else ArchiveSettings(place=self.archive)
        )

    def in_environment(self, name: str) -> "Settings":
        """The same installation in another place."""
        return msgspec.structs.replace(self, **environment_overrides(self.environments, name))


SETTING_VARIABLES = {
    "data": "HEADWATER_DATA",
    "database": "HEADWATER_DATABASE",
    "redis": "HEADWATER_REDIS",
    "queues": "HEADWATER_QUEUES",
    "log": "HEADWATER_LOG",
    "log_level": "HEADWATER_LOG_LEVEL",
}


def read_settings(
    path: Path | None, environment: Mapping[str, str] = os.environ, env: str | None = None
) -> Settings:
    """From the given file, else from HEADWATER_CONFIG, else from ./headwater.yaml if there is one; then what the home
    says (else that of HEADWATER_HOME), then the variables."""
    named = path or (Path(environment["HEADWATER_CONFIG"]) if environment.get("HEADWATER_CONFIG") else None)
    found = named or (Path(DEFAULT_FILE) if Path(DEFAULT_FILE).exists() else None)
    settings = load_yaml(found, Settings) if found else Settings()
    if found:
        _check(settings, found)
    settings = msgspec.structs.replace(
        settings, rate_limits={**settings.rate_limits, **load_rate_limits(found)}
    )
    if name := env or environment.get("HEADWATER_ENV"):
        settings = settings.in_environment(name)
    return _checked(_from_environment(settings, environment))


def overriding_variables(settings: Settings, env: str, environment: Mapping[str, str]) -> list[str]:
    """The variables that are set and say something else than the home does."""
    told = environment_overrides(settings.environments, env)
    names = {field: [name] for field, name in SETTING_VARIABLES.items()}
    names["archive"] = sorted(ARCHIVE_FROM_ENVIRONMENT.values())
    return [name for field in sorted(told) for name in names.get(field, ()) if environment.get(name)]


def _from_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    given: dict[str, Any] = {
        field: environment[name] for field, name in SETTING_VARIABLES.items() if environment.get(name)
    }
    if any(environment.get(name) for name in ARCHIVE_FROM_ENVIRONMENT.values()):
        given["archive"] = with_archive_variables(settings.archive_settings, environment)
    return msgspec.structs.replace(settings, **given)


def _checked(settings: Settings) -> Settings:
    if settings.log not in {"console", "json"}:
        raise Refused("bad_config", f"log: '{settings.log}' is neither console nor json")
    if settings.log_level not in {"debug", "info", "warning", "error"}:
        raise Refused(
            "bad_config", f"log_level: '{settings.log_level}' is none of debug, info, warning, error"
        )
    if min(msgspec.structs.astuple(settings.retention)) < 0:
        raise Refused("bad_config", "retention: days cannot be negative; 0 keeps for ever")
    if settings.workers < 1:
        raise Refused("bad_config", "workers: at least 1 is needed")
    if settings.connections.max_connections < MIN_CONNECTIONS:
        told = f"connections: pool_size and max_overflow together must be at least {MIN_CONNECTIONS}"
        raise Refused("bad_config", told)
    return settings


def _check(settings: Settings, path: Path) -> None:
    check_hosts(settings.rate_limits, path, ("rate_limits",))
    check_hosts(settings.hosts, path, ("hosts",))
    check_headers(
        {("contact",): settings.contact, **user_agents(settings.rate_limits, ("rate_limits",))}, path
    )
