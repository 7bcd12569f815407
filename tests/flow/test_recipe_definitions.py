"""Recipes of the settings: the crypto recipe in YAML alone, and one from a Python file."""

from pathlib import Path

import msgspec
import yaml
from sqlalchemy import create_engine, text
from tests.support.recipe_run import recipe_run
from tests.support.row_comparison import differences, read_rows

from headwater.app import App
from headwater.model.jobs import State
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings
from headwater.store.schema.flow import documents
from headwater_demo.internet import running

CRYPTO = """
like: news
cron: "0 */4 * * *"
steps:
  - normalise
  - language: {paragraphs: 2, sure: 0.95}
  - quality
  - duplicates
group: {by: all, cluster: event, settle: 1s, window: 3d}
routes:
  - {to: files, name: articles}
"""
FEEDS = [("Ledger Lane", "http://ledgerlane.example/feed")]


def define(text: str, **more) -> RecipeSettings:
    return msgspec.convert(yaml.safe_load(text) | more, RecipeSettings)


def test_the_crypto_recipe_in_yaml_alone_stores_the_same_rows(tmp_path: Path):
    rows, files = [], []
    with running(size="small") as internet:
        for name, definition in (("installed", RecipeSettings()), ("yaml", define(CRYPTO))):
            folder = tmp_path / name
            folder.mkdir()
            with recipe_run(folder, internet, feeds=FEEDS, definition=definition) as crypto_run:
                crypto_run.run()
                rows.append(read_rows(crypto_run.app.store.engine))
                # A trigger of the contract views fills it, and views belong to the package of a recipe.
                rows[-1].pop("document_keys", None)
                files.append(crypto_run.delivered())
    assert files[0] == files[1] != set()
    assert {row["state"] for row in rows[0]["documents"]} == {State.KEPT}
    assert rows[0]["stories"]
    assert list(differences(*rows)) == []


FILTERED = """
like: news
keep: {words: [network], min_words: 20}
group: {by: day, cluster: words, settle: 1s}
routes:
  - {to: table, table: articles}
  - {to: table, table: stories, of: story, when: {min_documents: 1}}
  - {to: files, name: none, when: {language: xx}}
"""


def test_a_filter_names_its_reason_and_conditional_routes_fill_tables(tmp_path: Path):
    with (
        running(size="small") as internet,
        recipe_run(tmp_path, internet, feeds=FEEDS, definition=define(FILTERED)) as run,
    ):
        run.run()
        reasons = {row["reason"] for row in run.documents(State.DROPPED)}
        kept = run.documents(State.KEPT)
        kept_rows = run.rows(documents, state=State.KEPT)
        output = run.app.output("crypto")
    assert reasons == {"filtered:words"}
    assert kept
    assert all("network" in f"{row['title']} {row['text']}".casefold() for row in kept_rows)
    engine = create_engine(f"sqlite:///{output / 'tables.db'}")
    with engine.connect() as connection:
        delivered = connection.execute(text("SELECT id, title, revision FROM articles")).all()
        stories = connection.execute(text("SELECT count(*) FROM stories")).scalar()
    engine.dispose()
    assert {row.id for row in delivered} == {row["id"] for row in kept}
    assert stories
    assert not (tmp_path / "data" / "out" / "none").exists()


FILE = """
from dataclasses import replace
from headwater_recipes.crypto import recipe as crypto


def recipe():
    return replace(crypto(), name="mine", sources=(), views=None)
"""


def test_a_recipe_in_a_single_file_needs_no_package(tmp_path: Path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    settings = Settings(data=str(tmp_path / "data"), recipes={"mine": RecipeSettings(file=str(path))})
    assert App(settings).recipe("mine").name == "mine"
