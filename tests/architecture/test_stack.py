"""The technologies that Headwater uses."""

import json
import tomllib
from pathlib import Path

import pytest
import sqlalchemy
from alembic.script import ScriptDirectory

from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.settings.settings import read_settings
from headwater.store import migrate as migrating

ROOT = Path(__file__).resolve().parents[2]


def test_g19_one_schema_by_alembic_and_sqlalchemy_2_on_a_modern_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert sqlalchemy.__version__.startswith("2.")
    scripts = ScriptDirectory(str(Path(migrating.__file__).parent / "migrations"))
    assert len(list(scripts.walk_revisions())) >= 1
    assert any(line.startswith("psycopg") for line in project["optional-dependencies"]["postgres"])


def test_g19_logs_are_lines_of_json_where_that_is_wanted(capsys: pytest.CaptureFixture[str]):
    configure_logs("json", "info").info("run ended", recipe="geopolitics", stories=3)
    output = capsys.readouterr()
    (line,) = (output.out + output.err).splitlines()
    record = json.loads(line)
    assert (record["event"], record["recipe"], record["stories"], record["level"]) == (
        "run ended", "geopolitics", 3, "info",
    )  # fmt: skip


def test_g19_settings_are_typed_and_a_mistake_is_reported_with_its_line(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_text("data: here\nworkers: many\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"headwater\.yaml:2: workers: expected a whole number"):
        read_settings(path, {})
