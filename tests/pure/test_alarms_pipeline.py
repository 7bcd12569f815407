"""The thresholds of the runbook."""

from datetime import timedelta

import pytest
from tests.conversing import NOW

from headwater.pure.alarms.pipeline import Figures, pipeline_concerns, silent_subject
from headwater.pure.pipeline import run_name, target_day


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        (Figures(lasted=timedelta(hours=2.1)), "slow_run"),
        (Figures(lasted=timedelta(hours=4.1)), "slow_run_critical"),
        (Figures(entries=100, failed=11), "failing"),
        (Figures(entries=100, failed=26), "failing_critical"),
        (Figures(read=100, unreadable=16), "unreadable"),
        (Figures(read=100, unreadable=31), "unreadable_critical"),
        (Figures(breakers=6), "breakers"),
        (Figures(breakers=16), "breakers_critical"),
        (Figures(stories=100, single=81), "scattered"),
        (Figures(stories=100, single=96), "scattered_critical"),
    ],
)
def test_g25_each_threshold_warns_and_then_is_critical(figures: Figures, kind: str):
    assert [concern.kind for concern in pipeline_concerns(figures)] == [kind]


def test_g25_on_the_mark_and_with_few_things_nobody_is_told():
    marks = Figures(
        lasted=timedelta(hours=2),
        entries=100,
        failed=10,
        read=100,
        unreadable=15,
        breakers=5,
        stories=100,
        single=80,
    )
    assert pipeline_concerns(marks) == []
    assert pipeline_concerns(Figures(entries=4, failed=4, stories=3, single=3)) == []
    assert pipeline_concerns(None) == []


def test_g17_a_silent_subject_is_told_with_its_last_entry():
    concern = silent_subject("f", "Strait", NOW)
    assert (concern.kind, concern.subject) == ("silent_subject", "f")
    assert "2026-11-13 09:00" in concern.detail


def test_g1_runs_are_named_by_their_moment_and_days_are_read():
    assert run_name(NOW, b"x") == run_name(NOW, b"x") != run_name(NOW, b"y")
    assert run_name(NOW, b"x").startswith("run_20261113_090000_")
    assert [target_day(told, NOW) for told in ("2026-11-12", "20261112")] == [
        target_day("2026-11-12", NOW)
    ] * 2
    assert target_day(None, NOW) == NOW.date()
    assert target_day("tomorrow", NOW) is None
