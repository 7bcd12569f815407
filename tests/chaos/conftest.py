"""Counts kills, and what they lost or duplicated, over all tests of a command; the last lines of its output say how many."""

from collections import Counter
from collections.abc import Callable

import pytest
from _pytest.terminal import TerminalReporter

CountKills = Callable[..., None]


@pytest.fixture
def count_kills(record_property: Callable[[str, object], None]) -> CountKills:
    """Call it after every comparison, before anything is asserted."""

    def count(kills: int, *, lost: int = 0, duplicated: int = 0) -> None:
        record_property("chaos", {"kills": kills, "lost": lost, "duplicated": duplicated})

    return count


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    total: Counter[str] = Counter(kills=0, lost=0, duplicated=0)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, counts in getattr(report, "user_properties", ()):
                if name == "chaos" and report.when == "call":
                    total.update(counts)
    if total["kills"]:
        terminalreporter.write_line(", ".join(f"{name} {count}" for name, count in total.items()))
