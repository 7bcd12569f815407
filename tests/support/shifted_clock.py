"""Programs whose time of day a test can shift while they run. Their monotonic clock goes on, as on a real machine."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# Python runs it at its start. (libfaketime, which shifts the clock of any program, breaks Python's `time.sleep`.)
SITE = """
import datetime, os, time
from types import SimpleNamespace

real_time = time.time

def shift():
    try:
        with open(os.environ["TRIAL_CLOCK"]) as file:
            return float(file.read() or 0)
    except OSError:
        return 0.0

def now(zone=None):
    return datetime.datetime.now(zone) + datetime.timedelta(seconds=shift())

time.time = lambda: real_time() + shift()
import headwater.app, headwater.fetch.client.http_fetcher
for module in (headwater.app, headwater.fetch.client.http_fetcher):
    module.datetime = SimpleNamespace(now=now)
"""
DAY = 86_400


@dataclass(frozen=True)
class ShiftedClock:
    """The clock of one program and of all that it starts; `file` says by how many seconds it is off."""

    file: Path

    def shift(self, days: int) -> None:
        self.file.write_text(str(days * DAY), encoding="ascii")

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        site = self.file.parent / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(SITE, encoding="utf-8")
        path = os.pathsep.join([str(site), variables["PYTHONPATH"]])
        return {**variables, "TRIAL_CLOCK": str(self.file), "PYTHONPATH": path}
