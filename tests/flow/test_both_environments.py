"""Laptop and cluster: all four recipes, with real servers and processes, store the same rows, bodies and files."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, update
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.servers.valkey import Valkey
from tests.support.both_environments import (
    clustered,
    embedded,
    run_alone,
    run_together,
    settings_of,
)
from tests.support.cluster import Cluster
from tests.support.environments import EnvironmentUnderTest
from tests.support.recipe_run import recipe_run
from tests.support.row_comparison import (
    Row,
    differences,
    read_bodies,
    read_files,
    read_rows,
    stale_exceptions,
    unknown_tables,
)

from headwater.app import App
from headwater.cli.demo import RECIPES
from headwater.runtime.maintenance import rescore_stories
from headwater.search.query import SearchFilters, words_query
from headwater.store.connect import write_transaction
from headwater.store.maintenance.snapshot import delete_all_rows
from headwater.store.schema.flow import documents, sources
from headwater.store.search.document_search import DocumentSearch
from headwater_demo.internet import Internet, running
from headwater_demo.markets.watch_list import KEYS

SAME_PAGES = {"Mint Watch", "Mint Watch: entities"}
NOON = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class EnvironmentContents:
    """What an environment holds after its run."""

    rows: dict[str, list[Row]]
    bodies: dict[str, bytes]
    files: dict[str, Any]
    search_results: list[tuple[str, float]]

    def states(self, recipe: str, table: str = "documents") -> set[str]:
        return {row["state"] for row in self.rows[table] if row["recipe"] == recipe}


@pytest.fixture(scope="module")
def environments(
    tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, valkey_server: Valkey, seaweed: Seaweed
) -> Iterator[tuple[EnvironmentContents, EnvironmentContents]]:
    folder = tmp_path_factory.mktemp("environments")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        with embedded(folder / "alone") as alone:
            waves = run_alone(alone)
            ours = _read_contents(alone)
        with clustered(folder / "together", postgres, valkey_server, seaweed) as together:
            run_together(together, valkey_server, waves)
            theirs = _read_contents(together)
    yield ours, theirs
    with valkey_server.client() as client:
        client.flushall()


def _read_contents(cluster: Cluster) -> EnvironmentContents:
    """Scores of stories decay by the hour: both environments are read as of the same time."""
    assert unknown_tables(cluster.engine) == set()
    app = App(settings_of(cluster), clock=lambda: NOON)
    rescore_stories(app)
    contents = EnvironmentContents(
        rows=read_rows(cluster.engine),
        bodies=read_bodies(cluster.engine, app.archive),
        files=read_files(cluster.data / "out"),
        search_results=_search(cluster, "water behind a dam"),
    )
    app.store.engine.dispose()
    return contents


def _search(cluster: Cluster, query: str) -> list[tuple[str, float]]:
    search = DocumentSearch(cluster.engine, cluster.folder)
    rows = search.search(
        words_query(query, filters=SearchFilters(recipe=("geopolitics",))), method="words"
    ).rows
    return sorted((row["title"], round(row["score"], 4)) for row in rows)


def test_every_table_has_the_same_rows(environments: tuple[EnvironmentContents, EnvironmentContents]):
    ours, theirs = environments
    differing = list(differences(ours.rows, theirs.rows))
    assert differing == [], "\n".join(differing[:20])


def test_folder_and_bucket_hold_the_same_bodies_of_all_captures(
    environments: tuple[EnvironmentContents, EnvironmentContents],
):
    ours, theirs = environments
    assert ours.bodies == theirs.bodies
    assert set(ours.bodies) == {row["sha256"] for row in ours.rows["captures"]}


def test_the_same_files_are_delivered(environments: tuple[EnvironmentContents, EnvironmentContents]):
    ours, theirs = environments
    assert ours.files.keys() == theirs.files.keys()
    assert [name for name in ours.files if ours.files[name] != theirs.files[name]] == []
    folders = {name.partition("/")[0] for name in ours.files}
    assert folders == {"crypto", "procedures", "geopolitics", "news"}


def test_a_search_returns_the_same_documents(
    environments: tuple[EnvironmentContents, EnvironmentContents],
):
    ours, theirs = environments
    assert ours.search_results == theirs.search_results
    assert any("Karsten" in title for title, _ in ours.search_results)


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_recipe_has_documents_deliveries_and_polls(
    environments: tuple[EnvironmentContents, EnvironmentContents], recipe: str
):
    """Two empty environments would be equal as well."""
    for contents in environments:
        kept_rows = [
            row for row in contents.rows["documents"] if (row["recipe"], row["state"]) == (recipe, "kept")
        ]
        assert len(kept_rows) > 10
        delivered_rows = [
            row for row in contents.rows["deliveries"] if (row["recipe"], row["state"]) == (recipe, "done")
        ]
        assert len(delivered_rows) >= min(len(kept_rows), 5)
        assert {run["status"] for run in contents.rows["polls"] if run["recipe"] == recipe} == {"completed"}


def test_rows_that_depend_on_the_order_of_arrival_exist(
    environments: tuple[EnvironmentContents, EnvironmentContents],
):
    ours, _ = environments
    assert ours.states("crypto") == {"kept", "duplicate"}
    assert ours.states("procedures") == {"kept", "dropped", "aside"}
    assert ours.states("markets", "leads") == ours.states("crypto", "leads") == {"done", "duplicate"}
    filled = (
        "bars", "dedupe_bands", "edges", "facts", "mentions", "observations", "queue_items", "sentence_counts", "story_members",
        "vectors",
    )  # fmt: skip
    assert [name for name in filled if len(ours.rows[name]) < 10] == []


def test_dates_and_families_do_not_depend_on_the_order_of_arrival(
    tmp_path: Path, own_environment: EnvironmentUnderTest
):
    """Two feeds name the same pages, and one of them has no dates: the order is the network's choice, the result is not."""
    with running(size="full") as internet:
        feeds = [(feed["name"], feed["url"]) for feed in internet.feeds() if feed["name"] in SAME_PAGES]
        assert len(feeds) == len(SAME_PAGES)
        orders = [feeds, feeds[::-1]]
        first, second = (
            _arrive_in_turn(tmp_path / str(number), internet, order, own_environment)
            for number, order in enumerate(orders)
        )
    assert first == second
    assert len(first) > 10
    assert None not in {published for _, published in first.values()}


def _arrive_in_turn(
    folder: Path, internet: Internet, feeds: list[tuple[str, str]], environment: EnvironmentUnderTest
) -> dict[str, tuple[str, datetime | None]]:
    """Poll one feed after the other, each until nothing is left to do; returns state and date of every document."""
    folder.mkdir()
    with recipe_run(folder, internet, feeds=feeds, environment=environment) as crypto_run:
        engine = crypto_run.app.store.engine
        for name, _ in feeds:
            with write_transaction(engine) as connection:
                connection.execute(update(sources).values(due_at=NOON.replace(year=2030)))
                connection.execute(
                    update(sources).where(sources.c.name == name).values(due_at=NOON.replace(year=2020))
                )
            crypto_run.run()
        results = {row["id"]: (row["state"], row["published_at"]) for row in crypto_run.rows(documents)}
        with write_transaction(engine) as connection:
            delete_all_rows(connection)
        return results


def test_every_table_that_is_not_compared_is_named_and_exists(engine: Engine):
    assert unknown_tables(engine) == set()
    assert stale_exceptions() == set()


def test_a_difference_is_reported_with_table_row_and_column():
    ours = {"dedupe_epochs": [{"space": 1, "value": 2}, {"space": 2, "value": 5}]}
    assert list(differences(ours, {"dedupe_epochs": ours["dedupe_epochs"][::-1]})) == []
    theirs = {"dedupe_epochs": [{"space": 1, "value": 3}]}
    assert list(differences(ours, theirs)) == [
        'dedupe_epochs {"space":1}: value: 2 != 3', 'dedupe_epochs {"space":2}: 1 against 0',
    ]  # fmt: skip
