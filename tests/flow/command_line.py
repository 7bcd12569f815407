"""Calls `headwater` as an operator does: in its own process, or in this one where only the result matters.

A process needs a second to import Headwater, and one that runs a recipe starts three more. `call_in` needs neither.
"""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.support.deadline import DEADLINE

from headwater.cli.pipeline.run import run_with_progress
from headwater.cli.program import main
from headwater.runtime.inline import run_in_process

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class CommandResult:
    code: int
    out: str
    err: str

    @property
    def record(self) -> Any:
        return json.loads(self.out)

    @property
    def records(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def shell(
    *words: str, at: Path, program: tuple[str, ...] = ("-m", "headwater.cli"), **environment: str
) -> CommandResult:
    """Calls it in its own process, in the folder `at`, 80 columns wide."""
    completed = subprocess.run(
        [sys.executable, *program, *words],
        cwd=at,
        env=_environment(environment) | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return CommandResult(completed.returncode, completed.stdout, completed.stderr)


def call_in(at: Path, *words: str, stdin: str = "", **environment: str) -> CommandResult:
    """Calls it in this process, with the same result: in the folder `at`, 80 columns wide. A recipe runs in this process,
    too; the real clock decides when it is idle."""
    with (
        chdir(at),
        patch.dict(os.environ, _environment(environment), clear=True),
        patch.object(sys, "argv", ["headwater", *words]),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        patch("headwater.cli.pipeline.run.run_workers", run_in_process),
        patch("headwater.cli.pipeline.run.fork_early", lambda: None),
        patch.dict(run_with_progress.__kwdefaults__, work=run_in_process),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()) as err,
        pytest.raises(SystemExit) as exit_info,
    ):
        main()
    return CommandResult(int(exit_info.value.code or 0), out.getvalue(), err.getvalue())


def _environment(more: dict[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    return inherited | {"COLUMNS": "80"} | more


def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> CommandResult:
    """Calls it in this process."""
    monkeypatch.setattr(sys, "argv", ["headwater", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_info:
        main()
    output = capsys.readouterr()
    return CommandResult(int(exit_info.value.code or 0), output.out, output.err)
