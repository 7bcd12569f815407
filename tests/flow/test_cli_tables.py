"""Every list command at the width of a narrow and of a wide terminal, and what its filters leave."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.flow.command_line import CommandResult, call_in
from tests.support.full_tables import LONG_NAME, full_installation
from tests.support.scene import RECIPE

LISTS = {
    "docs list": ("docs", "list", "--state", "kept", "--state", "dropped", "--state", "duplicate"),
    "sources list": ("sources", "list"),
    "sources show": ("sources", "show", LONG_NAME),
    "sources health": ("sources", "health"),
    "sources health of one": ("sources", "health", LONG_NAME),
    "status": ("status",),
    "quarantine list": ("quarantine", "list"),
    "alarms list": ("alarms", "list", "--all"),
    "links list": ("links", "list"),
    "mentions list": ("mentions", "list"),
    "queue list": ("queue", "list"),
    "replay list": ("replay", "list"),
    "summaries status": ("summaries", "status"),
    "backup list": ("backup", "list", "backups"),
    "companies list": ("companies", "list"),
    "procedures list": ("procedures", "list"),
    "procedures drift": ("procedures", "drift"),
    "review list": ("review", "list"),
}
# Paths and addresses are printed whole, so that they can be copied.
WHOLE = ("database", "archive", "output", "id ", "url", "options", "watermark")
WITHOUT_ROWS = {"procedures list", "procedures drift", "review list"}
UNSHORTENED = WITHOUT_ROWS | {"backup list", "sources health of one", "sources show", "replay list"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    full_installation(path).store.engine.dispose()
    return path


@pytest.fixture
def vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", LISTS)
def test_a_table_fits_the_terminal_and_ends_what_does_not_fit_with_an_ellipsis(
    name: str, width: int, folder: Path
):
    answer = call_in(folder, *LISTS[name], COLUMNS=str(width))
    assert (answer.code, answer.err) == (0, "")
    lines = [line for line in answer.out.splitlines() if not line.strip().startswith(WHOLE)]
    assert max(len(line) for line in lines) <= width, answer.out
    if width == 80 and name not in UNSHORTENED:
        assert "…" in answer.out


def test_tables_show_local_times_with_their_zone_and_json_shows_utc(folder: Path, vienna: None):
    listed = call_in(folder, "docs", "list", TZ="Europe/Vienna").out
    assert "published (CE" in listed
    record = call_in(folder, "docs", "list", "--json", TZ="Europe/Vienna").record
    assert record["published_at"].endswith("Z")
    assert " CE" in call_in(folder, "docs", "show", record["id"], TZ="Europe/Vienna").out


def test_a_document_whose_page_cannot_be_read_is_listed_with_the_state_of_its_page(folder: Path):
    assert "[page: paywall] " in call_in(folder, "docs", "list", COLUMNS="200").out


def rows(folder: Path, *words: str) -> int:
    if words[0] == "export":
        return int(call_in(folder, *words, "--out", "articles.jsonl", "--json").record["articles"])
    answer: CommandResult = call_in(folder, *words, "--json")
    assert answer.code == 0, answer.err
    return len(answer.records)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("docs list", ("--since", "--until", "--source", "--language", "--recipe")),
        ("export articles", ("--since", "--until", "--source", "--language", "--recipe")),
        ("quarantine list", ("--since", "--until", "--recipe")),
        ("alarms list --all", ("--since", "--until", "--recipe")),
        ("sources list", ("--source", "--recipe")),
        ("links list", ("--recipe",)),
        ("replay list", ("--recipe",)),
        ("sources health", ("--recipe",)),
    ],
)
def test_the_same_option_filters_every_list(command: str, options: tuple[str, ...], folder: Path):
    """Each option has a value that keeps the row, and one that does not. A source that does not exist is a mistake."""
    keeping = {
        "--since": "1d",
        "--until": "2100-01-01",
        "--source": LONG_NAME,
        "--language": "en",
        "--recipe": RECIPE,
    }
    losing = {
        "--since": "30m",
        "--until": "yesterday",
        "--language": "xx",
        "--recipe": "markets",
    }
    words = command.split()
    assert rows(folder, *words) == 1
    for option in options:
        assert rows(folder, *words, option, keeping[option]) == 1, option
        if option in losing:
            assert rows(folder, *words, option, losing[option]) == 0, option
    if "--source" in options:
        refused = call_in(folder, *words, "--source", "Other")
        assert (refused.code, "there is no source 'Other'" in refused.err) == (1, True)


def test_a_limit_and_a_wrong_period(folder: Path):
    assert rows(folder, "docs", "list", "--state", "dropped", "--state", "kept", "--limit", "1") == 1
    for words in (("--since", "someday"), ("--since", "2100-01-01"), ("--since", "1h", "--until", "2h")):
        answer = call_in(folder, "docs", "list", *words)
        assert answer.code == 2
        assert "Invalid value: --since" in answer.err
