"""A whole day of fifty companies, by a clock that jumps."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.simulated_day import (
    check_budgets,
    check_cadences,
    check_nothing_is_lost_or_requested_twice,
    simulated_day,
)


@pytest.mark.long
def test_r30_r31_r32_in_a_whole_day_budgets_and_cadences_hold_and_nothing_is_lost(tmp_path: Path):
    with simulated_day(tmp_path, timedelta(days=1)) as day:
        check_budgets(day)
        check_cadences(day)
        check_nothing_is_lost_or_requested_twice(day)
