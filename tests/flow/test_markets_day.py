"""Most of an hour of fifty companies: budgets and cadences are kept, and nothing is requested twice."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.support.simulated_day import (
    Day,
    check_budgets,
    check_cadences,
    check_nothing_is_lost_or_requested_twice,
    simulated_day,
)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    with simulated_day(tmp_path_factory.mktemp("day"), timedelta(minutes=45)) as hour:
        yield hour


def test_r31_r32_5_3_no_minute_ever_holds_more_requests_than_its_budgets(day: Day):
    check_budgets(day)


def test_r30_r35_5_6_every_source_keeps_its_cadence_and_none_starves(day: Day):
    assert len(day.polls) == 203
    check_cadences(day)


def test_r5_r34_new_articles_are_found_in_time_and_nothing_is_requested_twice(day: Day):
    check_nothing_is_lost_or_requested_twice(day)
