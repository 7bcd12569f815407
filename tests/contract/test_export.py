"""Articles on their way out: in order, a few at a time, whole files only."""

import csv
import json
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.flow.command_line import CommandResult, call
from tests.support.crypto_scene import CRYPTO, crypto, drafts, settings_file
from tests.support.scene import HOUR, START, Scene, ended_result, kept_result, make_source

from headwater.archive.row_files import WRITERS, atomic_file
from headwater.model.errors import Temporary
from headwater.model.jobs import State
from headwater.store.reads.export import ArticleFilter, export_articles

MEBIBYTE = 1 << 20


Ask = Callable[..., CommandResult]


@pytest.fixture
def ask(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Ask:
    settings = settings_file(tmp_path, database)
    return lambda *words: call(capsys, monkeypatch, "--config", str(settings), *words)


def keep(scene: Scene, *paths: str, **options: Any) -> None:
    scene.refine(*(kept_result(draft, **options) for draft in drafts(scene, crypto(), *paths)))


def titles(engine: Engine, **options: Any) -> list[str]:
    return [row["title"] for row in export_articles(engine, ArticleFilter(recipe=CRYPTO, **options))]


def test_c41_kept_articles_go_out_with_their_source_and_nothing_else_does(scene: Scene, engine: Engine):
    accepted, bad = drafts(scene, crypto(), "good", "bad")
    scene.refine(
        kept_result(
            accepted, title="Mine opens", guid="g1", authors=("Ada Vane",), keywords=("mining",), text="Text."
        ),
        ended_result(bad, State.DROPPED, "low_quality"),
    )
    scene.poll(source=make_source("Foreign"))
    (row,) = export_articles(engine, ArticleFilter(recipe=CRYPTO))
    assert (row["title"], row["guid"], row["body"]) == ("Mine opens", "g1", "Text.")
    assert (row["authors"], row["keywords"]) == (["Ada Vane"], ["mining"])
    assert (row["source"], row["source_url"]) == ("Ledger", crypto().url)
    assert row["created_at"] == START


def test_no_export_shows_a_secret_of_a_source(scene: Scene, engine: Engine):
    source = crypto(url="https://ledger.example/feed?sas=hidden&page=1")
    scene.refine(*(kept_result(draft) for draft in drafts(scene, source, "one")))
    (row,) = export_articles(engine, ArticleFilter(recipe=CRYPTO))
    assert row["source_url"] == "https://ledger.example/feed?sas=***&page=1"


def test_c41_since_and_until_count_by_storing_or_by_publishing(scene: Scene, engine: Engine):
    keep(scene, "late", title="published early, stored first", published=START - 50 * HOUR)
    scene.now += HOUR
    keep(scene, "news", title="published late, stored second", published=START - HOUR)
    first, second = "published early, stored first", "published late, stored second"
    assert titles(engine) == [first, second]
    assert titles(engine, since=START + HOUR) == [second]
    assert titles(engine, until=START + HOUR) == [first]
    assert titles(engine, by="published", since=START - 2 * HOUR) == [second]
    assert titles(engine, by="published", until=START - 2 * HOUR) == [first]


def test_c36_memory_does_not_grow_with_what_is_exported(scene: Scene, engine: Engine, tmp_path: Path):
    for start in range(0, 2_000, 500):
        keep(scene, *(str(i) for i in range(start, start + 500)), text="x" * 20_000)
    with atomic_file(tmp_path / "warm.jsonl") as file:
        WRITERS["jsonl"](export_articles(engine, ArticleFilter(recipe=CRYPTO)), file)
    tracemalloc.start()
    with atomic_file(tmp_path / "all.jsonl") as file:
        count = WRITERS["jsonl"](export_articles(engine, ArticleFilter(recipe=CRYPTO)), file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_000
    assert (tmp_path / "all.jsonl").stat().st_size > 35 * MEBIBYTE
    assert peak < 20 * MEBIBYTE


ROWS = [
    {
        "id": "1",
        "title": 'Quote " comma, line\nbreak',
        "authors": ["A", "B"],
        "score": None,
        "seen_at": START,
    },
    {"id": "2", "title": "ñ 漢字", "authors": [], "score": 0.5, "seen_at": None},
]


def write(form: str, rows: Any, folder: Path) -> Path:
    path = folder / f"rows.{form}"
    with atomic_file(path) as file:
        WRITERS[form](rows, file)
    return path


def test_c41_json_lines_hold_every_value(tmp_path: Path):
    parsed_rows = [
        json.loads(line) for line in write("jsonl", ROWS, tmp_path).read_text("utf-8").splitlines()
    ]
    assert parsed_rows[0]["title"] == ROWS[0]["title"]
    assert datetime.fromisoformat(parsed_rows[0]["seen_at"]) == START
    assert parsed_rows[1] == ROWS[1]


def test_c41_csv_holds_every_value(tmp_path: Path):
    with write("csv", ROWS, tmp_path).open(encoding="utf-8", newline="") as file:
        parsed_rows = list(csv.DictReader(file))
    assert [row["title"] for row in parsed_rows] == [row["title"] for row in ROWS]
    assert parsed_rows[0]["authors"] == "A; B"
    assert parsed_rows[0]["seen_at"] == START.isoformat()
    assert (parsed_rows[1]["seen_at"], parsed_rows[1]["score"]) == ("", "0.5")


def test_c38_no_headline_is_a_formula_in_a_spreadsheet(tmp_path: Path):
    titles = [
        "=cmd|' /C calc'!A0",
        "+1",
        "-1",
        "@SUM(A1)",
        "＝1",
        "＋1",
        "－1",
        "＠A1",
        "\tx",
        "\n=1",
        "plain = fine",
    ]
    rows = [{"title": title, "authors": [title], "score": -1.5} for title in titles]
    with write("csv", rows, tmp_path).open(encoding="utf-8", newline="") as file:
        parsed_rows = list(csv.DictReader(file))
    assert [row["title"] for row in parsed_rows] == [*(f"'{title}" for title in titles[:-1]), "plain = fine"]
    assert [row["authors"] for row in parsed_rows] == [row["title"] for row in parsed_rows]
    assert {row["score"] for row in parsed_rows} == {"-1.5"}


def test_a_file_that_cannot_be_finished_is_not_there_and_the_old_one_stays(tmp_path: Path):
    def broken() -> Iterator[dict[str, Any]]:
        yield ROWS[0]
        raise ValueError("gone")

    path = write("jsonl", ROWS, tmp_path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="gone"):
        write("jsonl", broken(), tmp_path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.jsonl"]


def test_a_missing_folder_is_reported(tmp_path: Path):
    with pytest.raises(Temporary, match="folder_unwritable"):
        write("jsonl", ROWS, tmp_path / "nowhere")


def test_c41_the_command_writes_a_file_and_reports_it(scene: Scene, ask: Ask, tmp_path: Path):
    keep(scene, "a", "b")
    scene.now = datetime.now(UTC) - timedelta(hours=2)
    keep(scene, "c", title="Fresh")
    out = tmp_path / "out.csv"
    answer = ask("export", "articles", "--format", "csv", "--out", str(out), "--json")
    assert answer.record["articles"] == 3
    assert answer.record["bytes"] == out.stat().st_size
    fresh = ask("export", "articles", "--recipe", "crypto", "--since", "24h", "--out", str(out))
    assert fresh.code == 0
    assert "1 article in" in fresh.err
    assert json.loads(out.read_text("utf-8"))["title"] == "Fresh"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--since", "someday"), 2, "--since: 'someday' is not a time; write for example 2026-11-14"),
        (("--format", "parquet"), 1, "give a file with --out"),
    ],
)
def test_an_impossible_export_is_explained_in_a_sentence(
    scene: Scene, ask: Ask, words: tuple[str, ...], code: int, message: str
):
    keep(scene, "a")
    answer = ask("export", "articles", *words)
    assert answer.code == code
    assert message in " ".join(answer.err.split())
