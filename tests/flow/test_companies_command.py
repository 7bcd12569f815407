"""`headwater companies` changes the watch list and leaves the rest of the file as it is."""

from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import CommandResult, call

from headwater_recipes.markets.watch_list import load_watch_list

LIST = """\
# Our companies
entities:
  - {ticker: NGSC, name: Northgate, sector: Chips, aliases: [Gate]}   # since May
  # Energy
  - ticker: SLNR
    name: Solnara
    sector: Energy
    brands:
      - Volt

# What is read
sources:
  - {name: news, kind: news_api, per_company: true}
"""


@pytest.fixture
def list_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "watchlist.yaml").write_text(LIST)
    (tmp_path / "headwater.yaml").write_text("recipes: {markets: {sources: watchlist.yaml}}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "watchlist.yaml"


@pytest.fixture
def companies(list_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def companies_command(*words: str) -> CommandResult:
        return call(capsys, monkeypatch, "companies", *words)

    return companies_command


def names(path: Path) -> dict[str, set[str]]:
    subjects = load_watch_list(path).subjects
    return {s.attributes["ticker"]: {alias.text for alias in s.aliases} for s in subjects if s.active}


def test_a_company_is_added_renamed_paused_and_removed_and_comments_stay(companies: Any, list_file: Path):
    assert (
        companies("add", "KDRA", "--name", "Kadera", "--sector", "Software", "--alias", "KD: Systems").code
        == 0
    )
    assert companies("alias", "SLNR", "Sol").code == 0
    assert companies("alias", "SLNR", "Volt", "--brand", "--remove").code == 0
    assert names(list_file) == {
        "NGSC": {"NGSC", "Northgate", "Gate"},
        "SLNR": {"SLNR", "Solnara", "Sol"},
        "KDRA": {"KDRA", "Kadera", "KD: Systems"},
    }
    assert companies("pause", "KDRA").code == 0
    assert "KDRA" not in names(list_file)
    assert companies("resume", "KDRA").code == 0
    assert [source.name for source in load_watch_list(list_file).sources] == [
        "NGSC news", "SLNR news", "KDRA news",
    ]  # fmt: skip
    assert companies("remove", "NGSC").code == 0
    assert set(names(list_file)) == {"SLNR", "KDRA"}
    text = list_file.read_text()
    assert all(comment in text for comment in ("# Our companies", "# Energy", "# What is read"))
    assert [row["ticker"] for row in companies("list", "--json").records] == ["SLNR", "KDRA"]
    assert sorted(path.name for path in list_file.parent.iterdir()) == ["headwater.yaml", "watchlist.yaml"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("add", "NGSC", "--name", "Again", "--sector", "Chips"), "watchlist.yaml: entities: a ticker is listed twice"),
        (("remove", "NONE"), "no company has the ticker 'NONE'"),
        (("alias", "NGSC", "Nobody", "--remove"), "'Nobody' is not among the aliases of NGSC"),
    ],
)  # fmt: skip
def test_a_change_that_would_break_the_list_is_refused(companies: Any, list_file: Path, words, sentence: str):
    result = companies(*words)
    assert (result.code, sentence in " ".join(result.err.split())) == (1, True)
    assert list_file.read_text() == LIST


def test_without_a_list_of_ones_own_the_setting_is_named(companies: Any, list_file: Path):
    (list_file.parent / "headwater.yaml").write_text("")
    assert "recipes.markets.sources: FILE" in companies("list").err
