"""Laptop and cluster: all four recipes, with real servers and real programs, give the same rows, bodies and files."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.both_homes import clustered, embedded, run_alone, run_together, settings_of
from tests.cluster import Cluster
from tests.postgres import Postgres
from tests.same_rows import differences, named_in_vain, read_bodies, read_files, read_rows, strangers
from tests.seaweed import Seaweed
from tests.valkey import Valkey

from headwater.app import App
from headwater.cli.demo import RECIPES
from headwater.worker.retelling import age_stories
from headwater_demo import KEYS

NOON = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)


def _left(made: Cluster) -> dict[str, Any]:
    """What a home holds when all is done. Scores of stories fade by the hour: here they are as at one moment."""
    assert strangers(made.engine) == set()
    app = App(settings_of(made), clock=lambda: NOON)
    age_stories(app)
    left = {
        "rows": read_rows(made.engine),
        "bodies": read_bodies(made.engine, app.archive),
        "files": read_files(made.data / "out"),
    }
    app.store.engine.dispose()
    return left


def test_all_four_recipes_give_the_same_rows_bodies_and_files_on_both_homes(
    tmp_path: Path, postgres: Postgres, valkey: Valkey, seaweed: Seaweed, monkeypatch: pytest.MonkeyPatch
):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with embedded(tmp_path / "alone") as alone:
        waves = run_alone(alone)
        ours = _left(alone)
    with clustered(tmp_path / "together", postgres, valkey, seaweed) as together:
        run_together(together, valkey, waves)
        theirs = _left(together)
    apart = list(differences(ours["rows"], theirs["rows"]))
    assert apart == [], "\n".join(apart[:20])
    assert ours["bodies"] == theirs["bodies"]
    assert ours["files"] == theirs["files"]
    _check_that_there_is_something(theirs)


def _check_that_there_is_something(left: dict[str, Any]) -> None:
    """Two homes with nothing in them would be the same too."""
    rows = left["rows"]
    kept = Counter(row["recipe"] for row in rows["documents"] if row["state"] == "kept")
    assert min(kept[recipe] for recipe in RECIPES) > 10
    assert len(left["bodies"]) == len({row["sha256"] for row in rows["captures"]}) > 100
    assert len(left["files"]) > 150
    assert (
        min(len(rows[name]) for name in ("bars", "bands", "edges", "facts", "mentions", "members", "stories"))
        > 10
    )
    assert {row["state"] for row in rows["documents"]} >= {"kept", "duplicate", "dropped", "aside"}
    assert any(row["state"] == "duplicate" for row in rows["leads"])


def test_whatever_is_not_compared_is_named_and_exists(engine: Engine):
    assert strangers(engine) == set()
    assert named_in_vain() == set()
