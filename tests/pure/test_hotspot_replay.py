"""A month of the demo, day by day: the day of an alert and the day a story developed."""

from functools import cache

import pytest
from benchmarks.hotspots import SITUATIONS, Replay, demo_documents, figures_of, is_justified, replay

DOCUMENTS = demo_documents()


@cache
def replayed(situation: str) -> Replay:
    return replay(DOCUMENTS, SITUATIONS[situation])


def test_g16_g17_a_large_development_alerts_at_the_first_run_that_sees_most_of_its_reports():
    lags = figures_of(replayed("ordinary"), "ordinary").lag_days
    # Of the attack, the first run sees six reports.
    assert lags.pop("valdora-vote/rally.attack") == 1
    assert lags == dict.fromkeys(lags, 0)
    assert len(lags) == 9


@pytest.mark.parametrize("situation", SITUATIONS)
def test_g17_no_alert_without_a_development_and_no_storm(situation: str):
    of_situation = replayed(situation)
    assert [alert for alert in of_situation.alerts if not is_justified(alert)] == []
    assert all(alert.reasons for alert in of_situation.alerts)
    assert len(of_situation.alerts) <= len(replayed("ordinary").alerts)
    assert figures_of(of_situation, situation).most_on_one_day <= 3


def test_g17_the_story_that_grows_slowly_alerts_before_its_climax_and_one_that_flares_up_alerts_again():
    ordinary = replayed("ordinary")
    assert ordinary.days("orsa-delta/flood") == [5, 10, 13, 19]
    assert ordinary.days("valdora-vote/recount") == [13, 20]
    assert ordinary.days("orsa-delta/dam") == [9, 26]
    small = ("valdora-vote/ballots", "valdora-vote/strike", "kelmar-strait/fishing")
    assert [ordinary.days(story) for story in small] == [[], [], []]


def test_g16_the_false_alarm_rises_at_once_and_is_gone_three_days_later():
    scores = replayed("ordinary").scores["kelmar-strait/alarm"]
    assert scores[0] == max(scores) > 0.8
    assert scores == sorted(scores, reverse=True)
    assert scores[3] < 0.2
