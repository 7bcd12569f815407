"""The four recipes on each of the two environments, over the same demo internet and in the same order of arrival.

The network decides which of two copies comes first, and decides it again in each run. To make everything comparable,
the second environment follows the order of the first: sources that name the same documents are polled one after the
other, and documents are refined in the order of their keys, once all of them are there.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine, select, update
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.servers.valkey import Valkey
from tests.support.cluster import Cluster, cluster

from headwater.app import App
from headwater.cli.demo import RECIPES, demo_settings
from headwater.engine.engine import Engine as TaskEngine
from headwater.engine.network import NetworkLoop
from headwater.model.jobs import Job, Task
from headwater.runtime.celery.queues import queue_name
from headwater.settings.settings import Settings, read_settings
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, documents, leads, sources
from headwater.store.schema.knowledge import bars
from headwater_demo.internet import Internet, running

LOCAL_TASKS = (Task.REFINE, Task.GATHER, Task.DELIVER)
COPIED_SETTINGS = ("hosts", "contact", "requests_per_second", "budgets", "rate_limits", "recipes")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
LONGEST = 60.0
DAY, BRIEFLY = timedelta(days=1), timedelta(seconds=0.02)
Waves = Sequence[Sequence[str]]


@contextmanager
def embedded(folder: Path) -> Iterator[Cluster]:
    """SQLite and a folder."""
    with _installed(folder, f"sqlite:///{folder / 'headwater.db'}") as environment:
        yield environment


@contextmanager
def clustered(folder: Path, postgres: Postgres, valkey: Valkey, seaweed: Seaweed) -> Iterator[Cluster]:
    """PostgreSQL, Valkey, a bucket and Celery."""
    place = {
        "place": "s3://both-environments/archive",
        "endpoint": seaweed.endpoint,
        "key": seaweed.key,
        "secret": seaweed.secret,
    }
    with _installed(
        folder, postgres.create("both_environments"), redis=valkey.url, archive=place
    ) as environment:
        yield environment
    postgres.drop("both_environments")


@contextmanager
def _installed(folder: Path, database: str, redis: str = "", **more: Any) -> Iterator[Cluster]:
    """Each has its own demo internet: its answers depend on how often it was asked."""
    folder.mkdir()
    with running(size="small", process=True) as internet:
        more_settings = _demo(folder, internet) | more
        with cluster(
            folder, internet, database, redis=redis, recipes=RECIPES, more_settings=more_settings
        ) as environment:
            app = App(settings_of(environment))
            for recipe in RECIPES:
                app.register(app.recipe(recipe))
            _postpone_polls(environment.engine)
            app.store.engine.dispose()
            yield environment


def _demo(folder: Path, internet: Internet) -> dict[str, Any]:
    """The settings of the demo, with vectors for geopolitics: the cluster has an index for them."""
    settings = demo_settings(Settings(), folder / "lists", internet.base_url, "small")
    settings_by_name = {
        name: value for name, value in msgspec.to_builtins(settings).items() if name in COPIED_SETTINGS
    }
    settings_by_name["recipes"]["geopolitics"]["options"] |= {"tier": "B", "models": str(models_of(folder))}
    return settings_by_name


def models_of(folder: Path) -> Path:
    """A folder beside both environments: the encoder is built once."""
    return folder.parent


def settings_of(environment: Cluster) -> Settings:
    return read_settings(environment.folder / "headwater.yaml", {})


def run_alone(environment: Cluster) -> Waves:
    """Run in one process, one source after the other; returns the sources that may be polled together."""
    app = App(settings_of(environment))
    context = app.context("alone", fetching=True)
    polls = {recipe: NetworkLoop(context, [Job(recipe, Task.POLL)]) for recipe in RECIPES}
    records_by_source = {}
    for source, recipe in _sources(environment.engine):
        _wake(environment.engine, [source])
        _work_until(partial(_are_polled, environment.engine, [source]), partial(polls[recipe].step, BRIEFLY))
        _postpone_polls(environment.engine)
        records_by_source[source] = _records_of(source, environment.engine)
    fetches = NetworkLoop(context, [Job(recipe, Task.FETCH) for recipe in RECIPES])
    _work_until(partial(_is_done, environment, Task.FETCH), partial(fetches.step, BRIEFLY))
    _line_up(environment.engine)
    local_engine = TaskEngine(context)
    for task in LOCAL_TASKS:
        _work_until(partial(_is_done, environment, task), partial(_run, local_engine, task))
    fetches.fetcher.close()
    app.store.engine.dispose()
    return _waves(records_by_source)


def run_together(environment: Cluster, valkey: Valkey, waves: Waves) -> None:
    """Run by a beat and a worker. Each task begins when the one before it is done: the markers that say "a hint is under
    way" are set, so that no hint is sent, and are removed when it is time."""
    with valkey.client() as client:
        markers = {
            task: [f"{queue_name(Job(recipe, task))}:hinted" for recipe in RECIPES] for task in LOCAL_TASKS
        }
        client.mset({marker: "held" for task in LOCAL_TASKS for marker in markers[task]})
        programs = [environment.worker("poll,fetch,refine,gather,deliver"), environment.beat()]
        for wave in waves:
            _wake(environment.engine, wave)
            environment.wait_until(partial(_are_polled, environment.engine, wave))
            _postpone_polls(environment.engine)
        environment.wait_until(partial(_is_done, environment, Task.FETCH))
        _line_up(environment.engine)
        for task in LOCAL_TASKS:
            client.delete(*markers[task])
            environment.wait_until(partial(_is_done, environment, task))
    assert environment.stop(*programs) == [0, 0], environment.output()
    assert "Traceback" not in environment.output()


def _work_until(condition: Callable[[], bool], work: Callable[[], int]) -> None:
    give_up_at = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < give_up_at, "waited too long"
        if not work():
            time.sleep(0.01)


def _run(local_engine: TaskEngine, task: Task) -> int:
    return sum(local_engine.run(Job(recipe, task)) for recipe in RECIPES)


def _is_done(environment: Cluster, task: Task) -> bool:
    return all(task not in environment.store.next_due(recipe) for recipe in RECIPES)


def _sources(engine: Engine) -> Sequence[Any]:
    query = select(sources.c.id, sources.c.recipe).order_by(sources.c.recipe, sources.c.id)
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def _postpone_polls(engine: Engine) -> None:
    """No source is polled unless it is woken: some would be due again before all is done."""
    with write_transaction(engine) as connection:
        connection.execute(update(sources).values(due_at=datetime.now(UTC) + DAY))


def _wake(engine: Engine, source_ids: Sequence[str]) -> None:
    with write_transaction(engine) as connection:
        connection.execute(update(sources).where(sources.c.id.in_(source_ids)).values(due_at=LONG_AGO))


def _are_polled(engine: Engine, source_ids: Sequence[str]) -> bool:
    unpolled = (sources.c.last_polled_at.is_(None)) | (sources.c.lease_owner.is_not(None))
    with read_transaction(engine) as connection:
        return not connection.execute(
            select(sources.c.id).where(sources.c.id.in_(source_ids), unpolled).limit(1)
        ).first()


def _line_up(engine: Engine) -> None:
    """Documents that are due since the same moment are claimed in the order of their keys."""
    with write_transaction(engine) as connection:
        connection.execute(update(documents).where(documents.c.due_at.is_not(None)).values(due_at=LONG_AGO))


def _records_of(source: str, engine: Engine) -> set[tuple[Any, ...]]:
    """The documents that a source names, and the prices that it reported last."""
    mine = select(captures.c.id).where(captures.c.source_id == source)
    price_key = list(bars.primary_key)
    with read_transaction(engine) as connection:
        document_keys = connection.execute(
            select(leads.c.document_id).where(leads.c.source_id == source)
        ).all()
        price_keys = connection.execute(select(*price_key).where(bars.c.capture_id.in_(mine))).all()
    return {tuple(row) for row in (*document_keys, *price_keys)}


def _waves(records_by_source: Mapping[str, set[tuple[Any, ...]]]) -> Waves:
    """Each source comes after all earlier sources that reported the same records."""
    next_wave: dict[tuple[Any, ...], int] = defaultdict(int)
    waves = defaultdict(list)
    for source, records in records_by_source.items():
        wave = max((next_wave[record] for record in records), default=0)
        next_wave.update(dict.fromkeys(records, wave + 1))
        waves[wave].append(source)
    return [waves[wave] for wave in sorted(waves)]
