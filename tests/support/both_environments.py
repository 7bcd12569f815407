"""The four recipes on each of the two homes, over the same demo internet and in the same order of arrival.

Which of two copies came first is nobody's decision but the network's, and it is decided again with each run. So that
everything can be compared, the second home is given the order of the first: sources that name the same documents are
looked at one after the other, and documents are refined in the order of their names, when all of them are there.
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
from headwater.engine.engine import Engine as Desks
from headwater.engine.network import NetworkLoop
from headwater.model.jobs import Job, Task
from headwater.runtime.celery.queues import queue_name
from headwater.settings.settings import Settings, read_settings
from headwater.store.connect import read_transaction, write_transaction
from headwater.store.schema.flow import captures, documents, leads, sources
from headwater.store.schema.knowledge import bars
from headwater_demo.internet import Internet, running

DESK = (Task.REFINE, Task.GATHER, Task.DELIVER)
TOLD = ("hosts", "contact", "requests_per_second", "budgets", "rate_limits", "recipes")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
LONGEST = 60.0
DAY, BRIEFLY = timedelta(days=1), timedelta(seconds=0.02)
Waves = Sequence[Sequence[str]]


@contextmanager
def embedded(folder: Path) -> Iterator[Cluster]:
    """SQLite and a folder."""
    with _installed(folder, f"sqlite:///{folder / 'headwater.db'}") as made:
        yield made


@contextmanager
def clustered(folder: Path, postgres: Postgres, valkey: Valkey, seaweed: Seaweed) -> Iterator[Cluster]:
    """PostgreSQL, Valkey, a bucket and Celery."""
    place = {
        "place": "s3://both-homes/archive",
        "endpoint": seaweed.endpoint,
        "key": seaweed.key,
        "secret": seaweed.secret,
    }
    with _installed(folder, postgres.create("both_homes"), redis=valkey.url, archive=place) as made:
        yield made
    postgres.drop("both_homes")


@contextmanager
def _installed(folder: Path, database: str, redis: str = "", **more: Any) -> Iterator[Cluster]:
    """An internet for each: what it says depends on how often it was asked."""
    folder.mkdir()
    with running(size="small", process=True) as internet:
        told = _demo(folder, internet) | more
        with cluster(folder, internet, database, redis=redis, recipes=RECIPES, more_settings=told) as made:
            app = App(settings_of(made))
            for recipe in RECIPES:
                app.register(app.recipe(recipe))
            _rest(made.engine)
            app.store.engine.dispose()
            yield made


def _demo(folder: Path, internet: Internet) -> dict[str, Any]:
    """As the demo is, but that geopolitics goes by meaning too: the cluster has an index for vectors."""
    settings = demo_settings(Settings(), folder / "lists", internet.base_url, "small")
    told = {name: value for name, value in msgspec.to_builtins(settings).items() if name in TOLD}
    told["recipes"]["geopolitics"]["options"] |= {"tier": "B", "models": str(models_of(folder))}
    return told


def models_of(folder: Path) -> Path:
    """Beside both homes: the encoder is built once."""
    return folder.parent


def settings_of(made: Cluster) -> Settings:
    return read_settings(made.folder / "headwater.yaml", {})


def run_alone(made: Cluster) -> Waves:
    """In one process, one source after the other; gives the sources that may be looked at together."""
    app = App(settings_of(made))
    context = app.context("alone", fetching=True)
    looks = {recipe: NetworkLoop(context, [Job(recipe, Task.POLL)]) for recipe in RECIPES}
    told = {}
    for source, recipe in _sources(made.engine):
        _wake(made.engine, [source])
        _until(partial(_looked_at, made.engine, [source]), partial(looks[recipe].step, BRIEFLY))
        _rest(made.engine)
        told[source] = _told_by(source, made.engine)
    fetches = NetworkLoop(context, [Job(recipe, Task.FETCH) for recipe in RECIPES])
    _until(partial(_is_done, made, Task.FETCH), partial(fetches.step, BRIEFLY))
    _line_up(made.engine)
    desks = Desks(context)
    for task in DESK:
        _until(partial(_is_done, made, task), partial(_run, desks, task))
    fetches.fetcher.close()
    app.store.engine.dispose()
    return _waves(told)


def run_together(made: Cluster, valkey: Valkey, waves: Waves) -> None:
    """By a beat and a worker. One kind of work begins when the one before it is done: the marks that say "a hint is under
    way" are set, so that none is sent, and taken away when it is time."""
    with valkey.client() as client:
        marks = {task: [f"{queue_name(Job(one, task))}:hinted" for one in RECIPES] for task in DESK}
        client.mset({mark: "held" for task in DESK for mark in marks[task]})
        programs = [made.worker("poll,fetch,refine,gather,deliver"), made.beat()]
        for wave in waves:
            _wake(made.engine, wave)
            made.wait_until(partial(_looked_at, made.engine, wave))
            _rest(made.engine)
        made.wait_until(partial(_is_done, made, Task.FETCH))
        _line_up(made.engine)
        for task in DESK:
            client.delete(*marks[task])
            made.wait_until(partial(_is_done, made, task))
    assert made.stop(*programs) == [0, 0], made.output()
    assert "Traceback" not in made.output()


def _until(true: Callable[[], bool], work: Callable[[], int]) -> None:
    until = time.monotonic() + LONGEST
    while not true():
        assert time.monotonic() < until, "waited too long"
        if not work():
            time.sleep(0.01)


def _run(desks: Desks, task: Task) -> int:
    return sum(desks.run(Job(recipe, task)) for recipe in RECIPES)


def _is_done(made: Cluster, task: Task) -> bool:
    return all(task not in made.store.next_due(recipe) for recipe in RECIPES)


def _sources(engine: Engine) -> Sequence[Any]:
    query = select(sources.c.id, sources.c.recipe).order_by(sources.c.recipe, sources.c.id)
    with read_transaction(engine) as connection:
        return connection.execute(query).all()


def _rest(engine: Engine) -> None:
    """No source is looked at unless it is woken: some would be due again before all is done."""
    with write_transaction(engine) as connection:
        connection.execute(update(sources).values(due_at=datetime.now(UTC) + DAY))


def _wake(engine: Engine, some: Sequence[str]) -> None:
    with write_transaction(engine) as connection:
        connection.execute(update(sources).where(sources.c.id.in_(some)).values(due_at=LONG_AGO))


def _looked_at(engine: Engine, some: Sequence[str]) -> bool:
    unseen = (sources.c.last_polled_at.is_(None)) | (sources.c.lease_owner.is_not(None))
    with read_transaction(engine) as connection:
        return not connection.execute(
            select(sources.c.id).where(sources.c.id.in_(some), unseen).limit(1)
        ).first()


def _line_up(engine: Engine) -> None:
    """Of what is due since the same moment, the first by name comes first."""
    with write_transaction(engine) as connection:
        connection.execute(update(documents).where(documents.c.due_at.is_not(None)).values(due_at=LONG_AGO))


def _told_by(source: str, engine: Engine) -> set[tuple[Any, ...]]:
    """The documents that it names, and the bars that are as it said last."""
    mine = select(captures.c.id).where(captures.c.source_id == source)
    bar = list(bars.primary_key)
    with read_transaction(engine) as connection:
        named = connection.execute(select(leads.c.document_id).where(leads.c.source_id == source)).all()
        given = connection.execute(select(*bar).where(bars.c.capture_id.in_(mine))).all()
    return {tuple(row) for row in (*named, *given)}


def _waves(told: Mapping[str, set[tuple[Any, ...]]]) -> Waves:
    """Each source comes after all that told of the same before it."""
    reached: dict[tuple[Any, ...], int] = defaultdict(int)
    found = defaultdict(list)
    for source, things in told.items():
        place = max((reached[thing] for thing in things), default=0)
        reached.update(dict.fromkeys(things, place + 1))
        found[place].append(source)
    return [found[place] for place in sorted(found)]
