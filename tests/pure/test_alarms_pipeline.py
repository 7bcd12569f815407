"""The thresholds of the runbook."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.poll_sessions import NOW
from tests.support.scene import HOUR, make_source

from headwater.model.alarm import PipelineFigures
from headwater.model.errors import Refused
from headwater.model.source import Trigger
from headwater.ops.alarms.pipeline_rules import pipeline_problems, silent_subject_problem
from headwater.ops.alarms.source_rules import source_problems
from headwater.recipes.loader import load_recipes
from headwater.runtime.runs import new_run_name
from headwater.settings.settings import Settings
from headwater.store.reads.source_history import SourceHistory
from headwater_recipes.geopolitics.run_options import FlashpointRun, describe_run, run_overrides

HOSTS = tuple(f"host-{number}.example" for number in range(16))


@pytest.mark.parametrize(
    ("figures", "kind"),
    [
        (PipelineFigures(duration=timedelta(hours=2.1)), "slow_run"),
        (PipelineFigures(duration=timedelta(hours=4.1)), "slow_run_critical"),
        (PipelineFigures(entries=100, failed=11), "failing"),
        (PipelineFigures(entries=100, failed=26), "failing_critical"),
        (PipelineFigures(read=100, unreadable=16), "unreadable"),
        (PipelineFigures(read=100, unreadable=31), "unreadable_critical"),
        (PipelineFigures(open_breakers=HOSTS[:6]), "breakers"),
        (PipelineFigures(open_breakers=HOSTS[:16]), "breakers_critical"),
        (PipelineFigures(stories=100, single=81), "scattered"),
        (PipelineFigures(stories=100, single=96), "scattered_critical"),
    ],
)
def test_g25_each_threshold_warns_and_then_is_critical(figures: PipelineFigures, kind: str):
    assert [problem.kind for problem in pipeline_problems(figures, warns_if_scattered=True)] == [kind]


def test_stories_with_a_single_article_are_no_problem_unless_the_recipe_says_so():
    """Feeds about many subjects rarely report the same event."""
    assert pipeline_problems(PipelineFigures(stories=100, single=100)) == []
    scattered = {
        name for name, recipe in load_recipes(Settings()).recipes.items() if recipe.warns_if_scattered
    }
    assert scattered == {"geopolitics"}


def test_g25_at_the_limit_and_with_few_items_there_is_no_alarm():
    figures = PipelineFigures(
        duration=timedelta(hours=2),
        entries=100,
        failed=10,
        read=100,
        unreadable=15,
        open_breakers=HOSTS[:5],
        stories=100,
        single=80,
    )
    assert pipeline_problems(figures, warns_if_scattered=True) == []
    assert pipeline_problems(PipelineFigures(entries=4, failed=4, stories=3, single=3)) == []
    assert pipeline_problems(PipelineFigures()) == []


def test_that_no_source_can_be_read_is_known_before_each_has_failed_ten_times():
    def problems(*failures: int, muted: int = 0) -> list[str]:
        histories = [
            SourceHistory(
                source=replace(make_source(f"Feed {n}"), failures=count),
                last_success_at=None,
                last_seen_at=None,
                arrivals=(),
                scores=(),
                error=None,
                muted_until=NOW + HOUR if n < muted else None,
            )
            for n, count in enumerate(failures)
        ]
        return [f"{p.kind}: {p.title}" for p in source_problems(histories, Trigger(every=HOUR), NOW)]

    assert problems(1, 2, 1) == ["all_failing: none of the 3 sources could be read"]
    assert problems(1, 2, 0) == problems(1, 1) == problems() == []
    assert problems(1, 2, 1, muted=1) == []
    assert problems(0, 1, 2, 1, muted=1) == ["all_failing: none of the 3 sources could be read"]


def test_g17_a_silent_subject_is_reported_with_its_last_entry():
    problem = silent_subject_problem("f", "Strait", NOW)
    assert (problem.kind, problem.subject) == ("silent_subject", "f")
    assert "2026-11-13 09:00" in problem.detail


def test_g1_runs_are_named_by_their_moment_and_days_are_read():
    assert new_run_name(NOW, b"x") == new_run_name(NOW, b"x") != new_run_name(NOW, b"y")
    assert new_run_name(NOW, b"x").startswith("run_20261113_090000_")
    days = [run_overrides(FlashpointRun(target_date=text)) for text in ("2026-11-12", "20261112")]
    assert days == [{"target_date": "2026-11-12"}] * 2
    assert describe_run({}, NOW) == {"tier": "A", "target_date": NOW.date().isoformat()}
    with pytest.raises(Refused):
        run_overrides(FlashpointRun(target_date="tomorrow"))
