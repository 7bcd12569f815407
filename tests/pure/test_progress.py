"""Progress of long operations: a line every ten seconds where there is no terminal."""

import io
from itertools import count

import pytest
from rich.console import Console

from headwater.cli.render.progress import LINE_EVERY, Progress, ReadCounts, read_progress, ticking


def calls_over(seconds: int, *, quiet: bool = False, terminal: bool = False) -> str:
    """What is printed when an operation calls its progress once a second for so long."""
    clock, numbers, out = iter(range(10_000)), count(1), io.StringIO()
    now = [0.0]
    progress = Progress(
        lambda: f"{next(numbers)} of 9",
        quiet=quiet,
        clock=lambda: now[0],
        console=Console(file=out, force_terminal=terminal, color_system=None),
    )
    with progress:
        for _ in range(seconds):
            now[0] = float(next(clock) + 1)
            progress()
    return out.getvalue()


def test_without_a_terminal_a_line_is_printed_every_ten_seconds():
    assert LINE_EVERY == 10
    assert calls_over(9) == ""
    assert calls_over(35) == "1 of 9\n2 of 9\n3 of 9\n"
    assert calls_over(35, quiet=True) == ""


def test_on_a_terminal_the_line_is_updated_in_place_and_removed_at_the_end():
    shown = calls_over(3, terminal=True)
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[K")


def test_reading_ends_with_a_summary_of_several_inputs(capsys: pytest.CaptureFixture[str]):
    counts = ReadCounts()
    with read_progress(counts, quiet=False) as progress:
        for ok in (True, False):
            counts.add(ok=ok, size=10)
            progress()
    assert capsys.readouterr().err.startswith("2 done, 1 read, 1 failed")


def test_a_thread_reports_for_an_operation_that_cannot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("headwater.cli.render.progress.LINE_EVERY", 0.0)
    monkeypatch.setattr("headwater.cli.render.progress.TICK_SECONDS", 0.0)
    reported = []

    def line() -> str:
        reported.append(True)
        return "copying"

    with ticking(line):
        while not reported:
            pass
    assert "copying, " in capsys.readouterr().err
    with ticking(line, quiet=True):
        reported.clear()
    assert not reported
