"""Calls `headwater` as an operator does: in its own process, or in this one where only the result matters."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.deadline import DEADLINE

from headwater.cli.program import main

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
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    completed = subprocess.run(
        [sys.executable, *program, *words],
        cwd=at,
        env=inherited | {"PYTHONPATH": str(SOURCE), "COLUMNS": "80"} | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return CommandResult(completed.returncode, completed.stdout, completed.stderr)


def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> CommandResult:
    """Calls it in this process."""
    monkeypatch.setattr(sys, "argv", ["headwater", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_info:
        main()
    output = capsys.readouterr()
    return CommandResult(int(exit_info.value.code or 0), output.out, output.err)
