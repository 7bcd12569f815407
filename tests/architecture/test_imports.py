"""The import rule between the packages, checked by import-linter."""

import subprocess
import sys
from pathlib import Path

from tests.support.deadline import DEADLINE

ROOT = Path(__file__).resolve().parents[2]


def test_the_import_rule_holds(tmp_path: Path):
    lint = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ("--cache-dir", str(tmp_path), "--config", str(ROOT / "pyproject.toml"))
    checked = subprocess.run(
        [sys.executable, "-c", lint, *options],
        cwd=ROOT / "src",
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "0 broken" in checked.stdout


def test_help_loads_no_command_and_no_database():
    program = (
        "import sys, contextlib, io; sys.argv = ['headwater', '--help']\n"
        "from headwater.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.suppress(SystemExit): main()\n"
        "assert 'status' in output.getvalue() and 'procedures' in output.getvalue()\n"
        "print(sorted({'sqlalchemy', 'aiohttp', 'lxml', 'rich', 'headwater.app'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert result.stdout.strip() == "[]"


def test_r22_deciding_when_a_source_is_due_loads_nothing_that_could_fetch():
    program = (
        "import sys, headwater.model.schedule, headwater.model.source\n"
        "print(sorted({'aiohttp', 'socket', 'ssl', 'headwater.fetch', 'headwater.engine'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert result.stdout.strip() == "[]"
