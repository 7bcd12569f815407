"""What a command imports. The rule between the packages is checked by import-linter, in `make check`."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.deadline import DEADLINE

SLOW = {"aiohttp", "alembic", "ahocorasick_rs", "celery", "jsonschema", "lxml", "numpy", "obstore", "onnxruntime", "pyarrow",
        "redis", "selectolax", "structlog", "fastapi", "mcp", "starlette", "uvicorn"}  # fmt: skip


def test_help_loads_no_command_and_no_database():
    output, modules = modules_loaded_by("--help")
    assert "status" in output
    assert "procedures" in output
    assert not {*SLOW, "sqlalchemy", "rich", "headwater.app"} & modules


def test_a_command_that_reads_rows_loads_nothing_that_fetches_extracts_or_delivers(tmp_path: Path):
    from headwater.app import App
    from headwater.settings.settings import Settings

    app = App(Settings(data=str(tmp_path)))
    app.store.engine.dispose()
    output, modules = modules_loaded_by("status", HEADWATER_DATA=str(tmp_path))
    assert "No recipe has sources here yet" in output
    packages = {
        "headwater.fetch.client",
        "headwater.extract",
        "headwater.sinks",
        "headwater.archive",
        "headwater.stories.llm.plan",
        "headwater.store.sql_store",
        "headwater.model.recipe",
        "pydantic",  # typer loads it to convert options; none was given
    }
    assert not {*SLOW, *packages} & modules


def modules_loaded_by(*words: str, **variables: str) -> tuple[str, set[str]]:
    """What a command printed, and the modules that it had imported at its end."""
    program = (
        "import sys, contextlib, io, json\n"
        "from headwater.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.suppress(SystemExit): main()\n"
        "print(json.dumps([output.getvalue(), sorted(sys.modules)]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
        env=os.environ | variables,
    )
    output, modules = json.loads(result.stdout)
    return output, set(modules)


def test_r22_deciding_when_a_source_is_due_loads_nothing_that_could_fetch():
    program = (
        "import sys, headwater.model.schedule, headwater.model.source\n"
        "print(sorted({'aiohttp', 'socket', 'ssl', 'headwater.fetch', 'headwater.engine'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert result.stdout.strip() == "[]"
