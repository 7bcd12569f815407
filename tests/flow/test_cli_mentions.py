"""Subjects from a file, and reruns after their names changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import CommandResult, call
from tests.support.scene import ME, Scene, make_source

from headwater.documents.mentions.matcher import build_subject_matcher
from headwater.model.errors import Refused
from headwater.model.jobs import Task
from headwater.settings.subjects import load_subjects
from headwater.store.connect import connect
from headwater.store.migrate import migrate
from headwater.store.sql_store import SqlStore

RunCli = Callable[..., CommandResult]
LIST = """
subjects:
  - {id: brindle, name: Brindle, identifiers: [BRF], legal_names: [Brindle Foods plc], brands: [Oatling]}
  - {id: calder, name: Calder, active: false}
"""


class CryptoScene(Scene):
    """A store with documents of an installed recipe."""

    def claim(self, task: Task, owner: str = ME, **options: Any) -> list[Any]:
        return super().claim(task, owner, **({"recipe": "crypto"} | options))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "subjects.yaml").write_text(LIST)
    (tmp_path / "headwater.yaml").write_text(
        f'data: "{tmp_path / "data"}"\nrecipes: {{crypto: {{subjects: "{tmp_path / "subjects.yaml"}"}}}}\n'
    )
    (tmp_path / "data").mkdir()
    engine = connect(f"sqlite:///{tmp_path / 'data' / 'headwater.db'}")
    migrate(engine)
    scene = CryptoScene(SqlStore(engine), source=make_source(recipe="crypto"))
    scene.keep("a", "b", "c", text="Brindle Foods plc makes Oatling; Calder does not.")
    engine.dispose()
    return tmp_path


@pytest.fixture
def run_cli(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunCli:
    return lambda *words: call(capsys, monkeypatch, "--config", str(folder / "headwater.yaml"), *words)


def test_rerun_reports_changes_and_a_second_rerun_none(run_cli: RunCli):
    first = run_cli("mentions", "rerun", "crypto", "--json", "-q").record
    assert (first["seen"], first["changed"], first["current"]) == (3, 3, 0)
    again = run_cli("mentions", "rerun", "crypto", "--json", "-q").record
    assert (again["changed"], again["same"], again["current"]) == (0, 0, 3)
    all_documents = run_cli("mentions", "rerun", "crypto", "--all", "-q")
    assert "3 documents: 0 changed, 3 searched without a change" in all_documents.out
    listed = {row["id"]: row for row in run_cli("mentions", "list", "--recipe", "crypto", "--json").records}
    assert (listed["brindle"]["names"], listed["brindle"]["documents"]) == (4, 3)
    assert (listed["calder"]["active"], listed["calder"]["documents"]) == (False, 0)


def test_a_changed_name_changes_the_documents(run_cli: RunCli, folder: Path):
    run_cli("mentions", "rerun", "crypto", "-q")
    (folder / "subjects.yaml").write_text("subjects: [{id: calder, name: Calder}]\n")
    assert run_cli("mentions", "rerun", "crypto", "--json", "-q").record["changed"] == 3
    listed = {row["id"]: row for row in run_cli("mentions", "list", "--recipe", "crypto", "--json").records}
    assert (listed["calder"]["documents"], listed["brindle"]["documents"]) == (3, 0)
    assert listed["brindle"]["active"] is False


def test_without_subjects_the_error_names_the_setting(folder: Path, run_cli: RunCli):
    (folder / "headwater.yaml").write_text(f'data: "{folder / "data"}"\n')
    answer = run_cli("mentions", "rerun", "crypto")
    assert answer.code != 0
    assert "recipes.crypto.subjects" in answer.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subjects: [{id: a, name: A}, {id: a, name: B}]", "two subjects have the id"),
        ("subjects: [{id: '', name: A}]", "1 to 64 characters"),
        ("subjects: [{id: a, nam: A}]", "nam"),
        ("matching: fuzzy\nsubjects: []", "matching"),
    ],
)
def test_an_invalid_list_is_refused_with_its_reason(tmp_path: Path, text: str, message: str):
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(Refused, match=message):
        load_subjects(tmp_path / "s.yaml")


def test_r81_a_name_of_several_kinds_counts_as_the_most_certain_one(tmp_path: Path):
    (tmp_path / "s.yaml").write_text(
        "subjects: [{id: a, name: Arden, identifiers: [Arden], brands: [Arden]}]"
    )
    subjects, matching = load_subjects(tmp_path / "s.yaml")
    (mention,) = build_subject_matcher(subjects, matching).find("Arden rose.")
    assert (mention.kind, mention.confidence) == ("identifier", 0.9)
