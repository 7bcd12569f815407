"""An open installation: its documents, stories, sources and captures, and runs."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from headwater.app import App
from headwater.documents.language.codes import language_problem
from headwater.liveness import owner_name
from headwater.model.errors import Refused
from headwater.model.http import Capture
from headwater.model.jobs import State, stored_states
from headwater.ops.installation_lock import release_dead_owners, worker_lock
from headwater.python_api.display import explanation_html, record_html
from headwater.python_api.records import RecordList
from headwater.runtime.inline import run_inline
from headwater.runtime.registration import register_recipe
from headwater.search.query import make_filters, parse_query
from headwater.settings.settings import Settings, read_settings
from headwater.settings.times import parse_time
from headwater.store.reads.document_list import DocumentQuery, document_columns, iterate_documents
from headwater.store.reads.explanation import explain
from headwater.store.reads.top_stories import top_stories
from headwater.store.search.document_search import Method, SearchResults
from headwater.text.redaction import redact_record

Moment = datetime | date | timedelta | str
DATABASE_SCHEMES = ("sqlite:", "sqlite+", "postgresql:", "postgresql+", "postgres:")
IDLE_WITHIN = timedelta(seconds=15)
LONGEST_RUN = timedelta(days=365)
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


class Record(dict[str, Any]):
    """A row by column names, also as attributes; a notebook shows it as a small table."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def _repr_html_(self) -> str:
        return record_html(self)


class Explanation(Record):
    """The whole history of a document."""

    def _repr_html_(self) -> str:
        return explanation_html(self)


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """What came over the wire: `about` has URL, status, headers, time and policy; `body` the bytes."""

    about: Capture
    body: bytes


class DocumentList(RecordList[Record]):
    """Documents that are read when they are needed: iterating over millions of them takes little memory. The length and
    the tables read all of them."""

    def __init__(self, read_rows: Callable[[], Iterator[dict[str, Any]]]) -> None:
        super().__init__((), columns=document_columns())
        self._read_rows = read_rows
        self._is_read = False

    def __iter__(self) -> Iterator[Record]:
        if self._is_read:
            return iter(self._records)
        return (Record(row) for row in self._read_rows())

    def _read_all(self) -> None:
        if not self._is_read:
            self._records = [Record(row) for row in self._read_rows()]
            self._is_read = True

    def __len__(self) -> int:
        self._read_all()
        return super().__len__()

    def __getitem__(self, index: Any) -> Any:
        self._read_all()
        return super().__getitem__(index)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def to_dicts(self) -> list[dict[str, Any]]:
        self._read_all()
        return super().to_dicts()

    def __repr__(self) -> str:
        return "DocumentList(…)" if not self._is_read else super().__repr__()


class SearchResultList(RecordList[Record]):
    """The documents of a search, best first. `total` counts the documents that match by words or by meaning, `word_total`
    those by words; `facets` has the counts that were asked for, `corrections` misspelt words with what they were taken for,
    `notices` sentences about what may have been meant otherwise."""

    def __init__(self, results: SearchResults) -> None:
        super().__init__(Record(row) for row in results.rows)
        self.total, self.word_total = results.total, results.word_total
        self.facets, self.corrections = results.facets, results.corrections
        self.notices = results.notices


class BadArgument(Refused, ValueError):
    """A call with a value that cannot be."""


TEXT_FILTERS = ("source", "publisher", "topic", "country", "subject", "story")


def _check_filters(filters: Mapping[str, Any]) -> None:
    names = (*TEXT_FILTERS, "quality")
    if unknown := [name for name in filters if name not in names]:
        raise Refused("bad_filter", f"there is no filter '{unknown[0]}'; there are: {', '.join(names)}")
    for name in TEXT_FILTERS:
        _check_text(name, filters.get(name))


class Installation:
    """An installation that is open for reading; with `writable`, runs can be started.

    It can be used from several threads, inside an event loop, and after a fork. Close it, or use it in a `with` statement.
    """

    def __init__(self, app: App, *, writable: bool) -> None:
        self._app, self._writable = app, writable
        # A child that used the connections of its parent would mix up their answers.
        os.register_at_fork(after_in_child=self._forget_connections)

    def documents(
        self,
        recipe: str | None = None,
        *,
        source: str | None = None,
        language: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        state: str | Sequence[str] = State.KEPT,
        limit: int | None = None,
    ) -> DocumentList:
        """Documents, newest first. Times are "2h", "yesterday", a date or a time; `source` is a name or an id. A recipe, a
        source, a language or a state that cannot be is refused."""
        self._check_recipe(recipe)
        if source is not None:
            self._app.catalogue.require_source(source, recipe)
        _check_language(language)
        _check_limit(limit)
        states = [state] if isinstance(state, str) else state
        query = DocumentQuery(
            recipe=recipe,
            source=source,
            language=language,
            states=stored_states([_state(name) for name in states]),
            since=self._time(since, "since"),
            until=self._time(until, "until"),
            limit=limit,
        )
        return DocumentList(lambda: iterate_documents(self._app.engine, query))

    def document(self, id_or_url: str) -> Record:
        """One document by its id, the first 8 or more characters of it, or its address."""
        row = self._app.catalogue.document(id_or_url)
        if row is None:
            raise Refused("unknown_document", f"there is no document '{id_or_url}'")
        return Record(row)

    def search(
        self,
        query: str,
        *,
        recipe: str | None = None,
        language: str = "",
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 10,
        method: Method = "hybrid",
        facets: Sequence[str] = (),
        **filters: Any,
    ) -> SearchResultList:
        """The best documents, by words and vectors together, or by one of them (`method`: words or meaning). The query
        may have "phrases", prefix*, -word, OR and field:value; `filters` are source, publisher, topic, country, subject,
        story and quality. The list has `total`, `corrections`, `facets` and `notices`."""
        self._check_recipe(recipe)
        _check_language(language)
        _check_limit(limit)
        _check_filters(filters)
        quality = filters.pop("quality", None)
        conditions = make_filters(
            {**filters, "recipe": recipe, "language": language},
            since=self._time(since, "since"),
            until=self._time(until, "until"),
            quality=quality,
        )
        parsed = parse_query(query, self._app.clock(), filters=conditions, limit=limit, zone=None)
        results = self._app.search.search(parsed, method=method, facets=facets)
        return SearchResultList(results)

    def stories(
        self, recipe: str | None = None, *, since: Moment | None = None, limit: int = 100
    ) -> RecordList[Record]:
        """The stories of a recipe, or of all, best first, each with its sources."""
        self._check_recipe(recipe)
        _check_limit(limit)
        recipes = [recipe] if recipe else self._app.catalogue.recipes()
        start = self._time(since, "since") or LONG_AGO
        rows = [Record(row) for name in recipes for row in top_stories(self._app.engine, name, start, limit)]
        return RecordList(rows[:limit])

    def sources(self, recipe: str | None = None) -> RecordList[Record]:
        self._check_recipe(recipe)
        return RecordList(Record(redact_record(row)) for row in self._app.catalogue.sources(recipe))

    def explain(self, id_or_url: str) -> Explanation:
        """Where every field of a document came from, and what happened to it."""
        history = explain(self._app.engine, id_or_url)
        if history is None:
            raise Refused("unknown_document", f"there is no document '{id_or_url}'")
        return Explanation(history)

    def capture(self, document_or_capture: str) -> StoredCapture:
        """The capture with this id, or the current one of this document."""
        key = document_or_capture
        row = self._app.catalogue.document(key)
        capture_id = row["capture_id"] if row is not None else key
        pair = self._app.provenance.captures([capture_id] if capture_id else []).get(capture_id)
        if pair is None:
            raise Refused("unknown_capture", f"there is no capture for '{key}', or its bytes are gone")
        return StoredCapture(*pair)

    def status(self, recipe: str) -> Record:
        self._check_recipe(recipe)
        return Record(self._app.catalogue.status(recipe, self._app.clock()))

    def run(self, recipe: str, *, once: bool = True) -> Record:
        """Run a recipe in this process until everything is done, and return its status. With `once`, every source is
        polled now; otherwise only those that are due."""
        if not self._writable:
            raise Refused(
                "read_only", "this installation is open for reading; use headwater.open(…, writable=True)"
            )
        app = self._app
        register_recipe(app, app.recipe(recipe))
        began = app.clock()
        if once:
            app.operations.wake(recipe, began)
        with worker_lock(app):
            release_dead_owners(app)
            context = app.context(owner_name("python"), fetching=True)
            context = replace(context, pass_began=began if once else None)
            try:
                run_inline(context, [recipe], horizon=IDLE_WITHIN, longest=LONGEST_RUN)
            finally:
                if context.fetcher is not None:
                    context.fetcher.close()
        app.close_run(recipe)
        return self.status(recipe)

    def close(self) -> None:
        if "engine" in vars(self._app):
            self._app.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        mode = "writable" if self._writable else "read-only"
        return f"<headwater installation in {self._app.settings.folder}, {mode}>"

    def _check_recipe(self, recipe: str | None) -> None:
        """Refuses a recipe that has no sources here and is not installed. Those with sources need not be loaded."""
        if recipe is not None and recipe not in self._app.catalogue.recipes():
            self._app.recipe(recipe)

    def _time(self, moment: Moment | None, name: str) -> datetime | None:
        if moment is None or isinstance(moment, datetime):
            return moment if moment is None or moment.tzinfo else moment.astimezone()
        if isinstance(moment, timedelta):
            return self._app.clock() - moment
        if isinstance(moment, date):
            return datetime(moment.year, moment.month, moment.day).astimezone()
        return parse_time(moment, self._app.clock(), name, zone=None)

    def _forget_connections(self) -> None:
        if "engine" in vars(self._app):
            self._app.engine.dispose(close=False)


def _state(name: str) -> State:
    try:
        return State(name)
    except ValueError:
        raise Refused("bad_state", f"there is no state '{name}'; there are: {', '.join(State)}") from None


def _check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise BadArgument("bad_limit", f"limit: it must be 1 or more, not {limit}")


def _check_text(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, str):
        raise BadArgument(f"bad_{name}", f"{name}: give one text, not {value!r}")


def _check_language(language: str | None) -> None:
    _check_text("language", language)
    if language and (problem := language_problem(language)):
        raise Refused("bad_language", problem)


def open_installation(
    place: str | Path = "", *, config: str | Path | None = None, writable: bool = False
) -> Installation:
    """Opens an installation: its data folder, the URL of its database, or a settings file as `config`.

    Without any, that of headwater.yaml in the current folder. It is created only if it is `writable`.
    """
    settings = read_settings(Path(config) if config else None)
    if place:
        is_url = "://" in str(place)
        if is_url and not str(place).startswith(DATABASE_SCHEMES):
            raise Refused(
                "bad_database", f"'{str(place).partition(':')[0]}' is not supported; use SQLite or PostgreSQL"
            )
        settings = msgspec.structs.replace(
            settings, **({"database": str(place)} if is_url else {"data": str(place), "database": None})
        )
    if not writable and not settings.database_exists:
        raise Refused(
            "no_database",
            f"there is no installation in {settings.folder}; create one with writable=True or `headwater init`",
        )
    return Installation(App(_quiet(settings)), writable=writable)


def _quiet(settings: Settings) -> Settings:
    """A program has its own output; it asks for log lines by its settings."""
    return (
        msgspec.structs.replace(settings, log_level="error") if settings.log_level == "warning" else settings
    )
