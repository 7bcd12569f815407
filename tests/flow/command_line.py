"""Headwater as an operator calls it: in a process of its own, or, where only the answer matters, in this one."""

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
class Answer:
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
) -> Answer:
    """Call it in a process of its own, in the folder `at`, 80 columns wide."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    done = subprocess.run(
        [sys.executable, *program, *words],
        cwd=at,
        env=clean | {"PYTHONPATH": str(SOURCE), "COLUMNS": "80"} | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> Answer:
    """Call it in this process."""
    monkeypatch.setattr(sys, "argv", ["headwater", *words])
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    return Answer(int(ended.value.code or 0), told.out, told.err)
