"""An existing PostgreSQL with one table per day: read, completed and answered in place."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import psycopg
import pytest
from tests.flow.test_geopolitics import DemoClock, RecordingSink, run
from tests.servers.postgres import Postgres
from tests.support.poll_sessions import NOW, context_for, make_source, run_session, table

from headwater.model.document import Document
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.recipe import Envelope
from headwater.model.story import Story
from headwater_demo.flashpoints.reports import REPORTS
from headwater_demo.internet import running
from headwater_recipes.geopolitics import configure
from headwater_recipes.geopolitics.day_tables import source as source_of_day_tables
from headwater_recipes.geopolitics.day_tables.database import latest_day, table_of_day
from headwater_recipes.geopolitics.day_tables.output import EntryRowSink, write_story_table
from headwater_recipes.geopolitics.day_tables.source import discover_day_tables

SPACE = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
STRAIT, VOTE = (str(uuid5(SPACE, name)) for name in ("kelmar-strait", "valdora-vote"))
FLASHPOINT_IDS = {"kelmar-strait": STRAIT, "valdora-vote": VOTE}
TODAY = [report for report in REPORTS if report.flashpoint in FLASHPOINT_IDS and report.hours <= 0]
TABLES = """
CREATE TABLE flash_point_20261113 (id uuid PRIMARY KEY, title text NOT NULL, description text NOT NULL,
  entities jsonb, domains jsonb, run_id text, created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE feed_entries_20261113 (id uuid PRIMARY KEY, flashpoint_id uuid REFERENCES flash_point_20261113 (id), url text,
  title text, title_en text, seendate text, domain text, language text, sourcecountry text, description text, image text,
  images text[] DEFAULT '{}', hostname text, content text, compressed_content text, summary text, entities jsonb,
  geo_entities jsonb, created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now());
CREATE TABLE feed_entries_20261112 (id uuid PRIMARY KEY);
CREATE TABLE feed_entries_20261114_duplicate (id uuid PRIMARY KEY);
"""


@contextmanager
def news(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Connection[Any]]:
    name = f"news{time.monotonic_ns()}"
    address = postgres.create(name).replace("+psycopg", "")
    monkeypatch.setenv("NEWS_DATABASE", address)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(TABLES)
        for title, key in (("Kelmar Strait", STRAIT), ("Vote in Valdora", VOTE)):
            connection.execute(
                "INSERT INTO flash_point_20261113 (id, title, description) VALUES (%s, %s, '')", (key, title)
            )
        for report in TODAY:
            values = (uuid5(SPACE, report.url), FLASHPOINT_IDS[report.flashpoint], report.url, report.title)
            connection.execute(
                "INSERT INTO feed_entries_20261113 (id, flashpoint_id, url, title, seendate, language) "
                "VALUES (%s, %s, %s, %s, '2026-11-13', 'English')",
                values,
            )
        yield connection
    postgres.drop(name)


def clusters(connection: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    query = (
        "SELECT flashpoint_id, cluster_id, article_count, story_id FROM news_clusters_20261113 ORDER BY 1, 2"
    )
    return connection.execute(query).fetchall()


def test_g3_g22_a_day_is_read_completed_and_answered_in_place(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
):
    list_file = tmp_path / "flashpoints.yaml"
    list_file.write_text("database: env:NEWS_DATABASE\n")
    clock = DemoClock()
    recipe = configure(list_file, {"settle": "5m"})
    with (
        news(postgres, monkeypatch) as database,
        running() as internet,
        context_for(tmp_path, internet.base_url, recipe, clock) as (app, bare),
    ):
        sink = recipe.sinks["day_tables"](tmp_path, app.provenance)
        run(replace(bare, sinks={"files": RecordingSink(), "day_tables": sink}), clock)
        assert recipe.after_run is not None
        recipe.after_run(tmp_path, app.provenance)
        rows = database.execute("SELECT url, content, hostname FROM feed_entries_20261113").fetchall()
        assert len(rows) == len(TODAY)
        for url, content, hostname in rows:
            assert content
            assert hostname in url
        first = clusters(database)
        assert {str(row[0]) for row in first} == {STRAIT, VOTE}
        assert sum(row[2] for row in first) == len(TODAY)
        for flashpoint in {row[0] for row in first}:
            ranks = [row[1] for row in first if row[0] == flashpoint]
            sizes = [row[2] for row in first if row[0] == flashpoint]
            assert ranks == list(range(1, len(ranks) + 1))
            assert sizes == sorted(sizes, reverse=True)
        recipe.after_run(tmp_path, app.provenance)
        assert clusters(database) == first


def test_g3_days_without_flashpoints_and_copies_of_tables_are_not_days():
    names = ["feed_entries_20261112", "flash_point_20261112", "feed_entries_20261113_duplicate"]
    assert latest_day([*names, "feed_entries_20261114"]) == "20261112"
    assert latest_day(names, "2026-11-12") == "20261112"
    assert latest_day(names, "2026-11-11") is None
    assert latest_day([]) is None
    with pytest.raises(ValueError, match="eight digits"):
        table_of_day("feed_entries", "1; DROP TABLE x")


def test_g2_the_chosen_day_is_read_instead_of_the_newest(tmp_path: Path):
    list_file = tmp_path / "flashpoints.yaml"
    list_file.write_text("database: env:NEWS_DATABASE\ndate: '20261110'\n")
    assert [source.options["date"] for source in configure(list_file, {}).sources] == ["20261110"]
    (source_of_date,) = configure(list_file, {"target_date": "2026-11-12"}).sources
    assert source_of_date.options["date"] == "2026-11-12"


def poll_database(reference: str) -> None:
    source = make_source("day_tables", "", options={"database": reference})
    run_session(discover_day_tables(source, NOW), table({}))


def test_g3_an_unreachable_database_is_retried_and_its_address_is_not_shown(monkeypatch):
    monkeypatch.setenv("NEWS_DATABASE", "postgresql://user:geheim@127.0.0.1:1/news")
    with pytest.raises(Temporary) as raised:
        poll_database("env:NEWS_DATABASE")
    assert "geheim" not in str(raised.value)


def test_g3_a_database_other_than_postgresql_is_refused(monkeypatch):
    monkeypatch.setenv("NEWS_DATABASE", "mysql://user:geheim@db.example/news")
    with pytest.raises(Permanent) as raised:
        poll_database("env:NEWS_DATABASE")
    assert "geheim" not in str(raised.value)


def test_g3_an_address_with_a_password_is_not_written_into_a_list(tmp_path: Path):
    list_file = tmp_path / "flashpoints.yaml"
    list_file.write_text("database: postgresql://user:geheim@db.example/news\n")
    with pytest.raises(Refused, match="env:NAME"):
        configure(list_file, {})


def test_g3_names_and_translations_are_written_to_the_row_and_other_values_stay(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
):
    first, second = (str(uuid5(SPACE, report.url)) for report in TODAY[:2])
    results = {"title_en": "The ferry", "entities": {"PERSON": [{"text": "Mara Venn"}]}}
    with news(postgres, monkeypatch) as database:
        database.execute("UPDATE feed_entries_20261113 SET title_en = 'As it was'")
        envelopes = [
            Envelope(key=key, route="day_tables", record=entry(key, **more), revision=1)
            for key, more in ((first, results), (second, {}))
        ]
        assert len(EntryRowSink("env:NEWS_DATABASE").send(envelopes)) == 2
        query = "SELECT title_en, entities FROM feed_entries_20261113 WHERE id = %s"
        assert database.execute(query, (first,)).fetchall() == [("The ferry", results["entities"])]
        assert database.execute(query, (second,)).fetchall() == [("As it was", None)]


def entry(key: str, **facts: object) -> Document:
    return Document(
        id=key, recipe="geopolitics", source="s", lead="l", url="http://a.example/1", guid=key, text="Words.",
        attributes={"day": "20261113", **facts},
    )  # fmt: skip


def story(key: str, **articles_by_day: int) -> Story:
    days = {
        day.removeprefix("d"): {"articles": count, "top_domains": [], "languages": [], "urls": [f"{key}-{day}"], "images": []}
        for day, count in articles_by_day.items()
    }  # fmt: skip
    attributes = {"flashpoint": STRAIT, "rank": 1, "topic": {"name": "conflict"}, "days": days}
    return Story(id=key, recipe="geopolitics", group="g", title=key, members=(), attributes=attributes)


def test_g22_each_day_gets_its_own_stories_and_unchanged_days_are_left_alone(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
):
    """A backfill adds stories to an earlier day while a newer one exists."""
    with news(postgres, monkeypatch) as database:
        both, newer = story("both", d20261112=2, d20261113=1), story("newer", d20261113=3)
        assert write_story_table("env:NEWS_DATABASE", [both, newer]) == 3
        query = "SELECT story_id, cluster_id, article_count, urls FROM news_clusters_{} ORDER BY cluster_id"
        older_rows = database.execute(query.format("20261112")).fetchall()
        assert older_rows == [("both", 1, 2, ["both-d20261112"])]
        newest_rows = database.execute(query.format("20261113")).fetchall()
        assert [row[:3] for row in newest_rows] == [("newer", 1, 3), ("both", 2, 1)]
        assert write_story_table("env:NEWS_DATABASE", [both, newer]) == 2
        backfilled = story("late", d20261112=5)
        assert write_story_table("env:NEWS_DATABASE", [both, newer, backfilled]) == 4
        assert [row[0] for row in database.execute(query.format("20261112"))] == ["late", "both"]


def test_g3_a_day_with_more_entries_than_one_poll_reads_is_read_to_its_end(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(source_of_day_tables, "MOST_ENTRIES", 3)
    source = make_source("day_tables", "", options={"database": "env:NEWS_DATABASE"})
    identities: list[str] = []
    with news(postgres, monkeypatch):
        for _ in range(len(TODAY)):
            result = run_session(discover_day_tables(source, NOW), table({}))
            identities += [lead.identity for batch in result.batches for lead in batch]
            source = replace(source, watermark=result.discovery.watermark)
            if result.discovery.again is None:
                break
    assert len(identities) == len(set(identities)) == len(TODAY)
    assert source.watermark == {"day": "20261113"}
