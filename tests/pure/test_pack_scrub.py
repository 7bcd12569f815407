"""Which packs are read again in one run."""

import pytest

from headwater.ops.pack_scrub import LEAST_PACKS, RUNS_PER_ROUND, next_packs


@pytest.mark.parametrize("count", [1, LEAST_PACKS, LEAST_PACKS + 1, LEAST_PACKS * RUNS_PER_ROUND + 1])
def test_every_pack_is_read_within_a_round(count: int):
    names = [f"{number:06}" for number in range(count)]
    read: list[str] = []
    for _ in range(RUNS_PER_ROUND):
        read.extend(next_packs(names, read[-1] if read else ""))
        if len(read) >= count:
            break
    assert read[:count] == names
    assert len(next_packs(names, names[-1])) <= max(LEAST_PACKS, count // RUNS_PER_ROUND + 1)


def test_an_empty_archive_has_nothing_to_read():
    assert list(next_packs([], "zz")) == []
