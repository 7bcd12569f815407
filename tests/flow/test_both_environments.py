"""Laptop and cluster: all four recipes, with real servers and real programs, give the same rows, bodies and files."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.servers.postgres import Postgres
from tests.servers.seaweed import Seaweed
from tests.servers.valkey import Valkey
from tests.support.both_environments import (
    clustered,
    embedded,
    models_of,
    run_alone,
    run_together,
    settings_of,
)
from tests.support.cluster import Cluster
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
from headwater.documents.embedding.encoder import open_encoder
from headwater.runtime.summaries import rescore_stories
from headwater.store.search.full_text import SearchQuery
from headwater.store.search.vectors import search_by_vector
from headwater_demo.markets.watch_list import KEYS

NOON = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Left:
    """What a home holds when all is done."""

    rows: dict[str, list[Row]]
    bodies: dict[str, bytes]
    files: dict[str, Any]
    found: list[tuple[str, float]]

    def states(self, recipe: str, table: str = "documents") -> set[str]:
        return {row["state"] for row in self.rows[table] if row["recipe"] == recipe}


@pytest.fixture(scope="module")
def homes(
    tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, valkey_server: Valkey, seaweed: Seaweed
) -> Iterator[tuple[Left, Left]]:
    folder = tmp_path_factory.mktemp("homes")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        with embedded(folder / "alone") as alone:
            waves = run_alone(alone)
            ours = _left(alone)
        with clustered(folder / "together", postgres, valkey_server, seaweed) as together:
            run_together(together, valkey_server, waves)
            theirs = _left(together)
    yield ours, theirs
    with valkey_server.client() as client:
        client.flushall()


def _left(made: Cluster) -> Left:
    """Scores of stories fade by the hour: here they are as at one moment."""
    assert unknown_tables(made.engine) == set()
    app = App(settings_of(made), clock=lambda: NOON)
    rescore_stories(app)
    left = Left(
        rows=read_rows(made.engine),
        bodies=read_bodies(made.engine, app.archive),
        files=read_files(made.data / "out"),
        found=_found(made, "water behind a dam"),
    )
    app.store.engine.dispose()
    return left


def _found(made: Cluster, query: str) -> list[tuple[str, float]]:
    encoder = open_encoder(models_of(made.folder))
    meant = encoder([query])[0]
    near = search_by_vector(made.engine, SearchQuery(query=query, recipe="geopolitics"), encoder.name, meant)
    return [(row["title"], round(row["similarity"], 4)) for row in near]


def test_every_table_has_the_same_rows(homes: tuple[Left, Left]):
    ours, theirs = homes
    apart = list(differences(ours.rows, theirs.rows))
    assert apart == [], "\n".join(apart[:20])


def test_folder_and_bucket_hold_the_same_bodies_of_all_captures(homes: tuple[Left, Left]):
    ours, theirs = homes
    assert ours.bodies == theirs.bodies
    assert set(ours.bodies) == {row["sha256"] for row in ours.rows["captures"]}


def test_the_same_files_are_delivered(homes: tuple[Left, Left]):
    ours, theirs = homes
    assert ours.files.keys() == theirs.files.keys()
    assert [name for name in ours.files if ours.files[name] != theirs.files[name]] == []
    folders = {name.partition("/")[0] for name in ours.files}
    assert folders == {"articles", "procedures", "stories"}


def test_the_same_is_found_by_meaning(homes: tuple[Left, Left]):
    ours, theirs = homes
    assert ours.found == theirs.found
    assert "Karsten" in ours.found[0][0]


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_recipe_is_there_with_what_it_makes(homes: tuple[Left, Left], recipe: str):
    """Two homes with nothing in them would be the same too."""
    for left in homes:
        kept = [row for row in left.rows["documents"] if (row["recipe"], row["state"]) == (recipe, "kept")]
        assert len(kept) > 10
        sent = [row for row in left.rows["deliveries"] if (row["recipe"], row["state"]) == (recipe, "done")]
        assert len(sent) >= min(len(kept), 5)
        assert {run["status"] for run in left.rows["polls"] if run["recipe"] == recipe} == {"completed"}


def test_what_depends_on_the_order_of_arrival_is_there_too(homes: tuple[Left, Left]):
    ours, _ = homes
    assert ours.states("crypto") == {"kept", "duplicate"}
    assert ours.states("procedures") == {"kept", "dropped", "aside"}
    assert ours.states("markets", "leads") == ours.states("crypto", "leads") == {"done", "duplicate"}
    filled = (
        "bars", "dedupe_bands", "edges", "facts", "mentions", "observations", "queue_items", "sentence_counts", "story_members",
        "vectors",
    )  # fmt: skip
    assert [name for name in filled if len(ours.rows[name]) < 10] == []


def test_whatever_is_not_compared_is_named_and_exists(engine: Engine):
    assert unknown_tables(engine) == set()
    assert stale_exceptions() == set()


def test_a_difference_is_told_by_table_row_and_column():
    ours = {"dedupe_epochs": [{"space": 1, "value": 2}, {"space": 2, "value": 5}]}
    assert list(differences(ours, {"dedupe_epochs": ours["dedupe_epochs"][::-1]})) == []
    theirs = {"dedupe_epochs": [{"space": 1, "value": 3}]}
    assert list(differences(ours, theirs)) == [
        'dedupe_epochs {"space":1}: value: 2 != 3', 'dedupe_epochs {"space":2}: 1 against 0',
    ]  # fmt: skip
