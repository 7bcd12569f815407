"""A failing batch is bisected until the record that fails is alone."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.errors import Permanent, Temporary

batches = st.lists(st.integers(0, 30), unique=True, max_size=40)


def _failure(item: int, error: Exception) -> tuple[str, int]:
    return type(error).__name__, item


def _work_without(poison: set[int], error: Exception):
    def work(items: Sequence[int]) -> list[tuple[str, int]]:
        if poison & set(items):
            raise error
        return [("done", item) for item in items]

    return work


@given(batches, st.sets(st.integers(0, 30)))
def test_failing_records_are_isolated_and_results_stay_in_order(batch: list[int], poison: set[int]):
    results = bisect_batch(_work_without(poison, ValueError("bad")), batch, _failure)
    assert results == [("ValueError" if item in poison else "done", item) for item in batch]


@given(batches, st.sets(st.integers(0, 30)))
def test_a_permanent_failure_is_bisected_like_any_other(batch: list[int], poison: set[int]):
    results = bisect_batch(_work_without(poison, Permanent("no")), batch, _failure)
    assert results == [("Permanent" if item in poison else "done", item) for item in batch]


@given(st.lists(st.integers(), min_size=1, max_size=20))
def test_a_temporary_failure_is_not_bisected_and_all_records_wait(batch: list[int]):
    calls = []

    def work(items: Sequence[int]) -> list[tuple[str, int]]:
        calls.append(len(items))
        raise Temporary("busy")

    assert bisect_batch(work, batch, _failure) == [("Temporary", item) for item in batch]
    assert calls == [len(batch)]


def test_one_poisoned_record_of_a_hundred_costs_few_attempts():
    calls = []
    work = _work_without({37}, ValueError())

    def counting_work(items: Sequence[int]) -> list[tuple[str, int]]:
        calls.append(len(items))
        return work(items)

    bisect_batch(counting_work, range(100), _failure)
    assert len(calls) <= 2 * 7 + 1


def test_a_batch_that_loses_records_fails_whole():
    results = bisect_batch(lambda items: list(items)[:-1], [1, 2, 3], _failure)
    assert results == [("ValueError", 1), ("ValueError", 2), ("ValueError", 3)]


def test_an_empty_batch_is_not_worked_on():
    def work(items: Sequence[int]) -> list[int]:
        raise AssertionError(items)

    assert bisect_batch(work, [], _failure) == []


@given(batches, st.sets(st.integers(0, 30)))
def test_a_result_that_cannot_be_stored_is_replaced_alone(batch: list[int], unstorable: set[int]):
    stored: list[int] = []

    def commit(batch: Sequence[int]) -> int:
        if unstorable & set(batch):
            raise ValueError
        stored.extend(batch)
        return len(batch)

    counts = bisect_commit(commit, batch, lambda item, error: -item - 1)
    assert stored == [-item - 1 if item in unstorable else item for item in batch]
    assert sum(counts) == len(batch)


def test_an_error_of_the_store_itself_is_not_bisected():
    calls = []

    def commit(batch: Sequence[int]) -> int:
        calls.append(batch)
        raise Temporary("database_unavailable")

    with pytest.raises(Temporary):
        bisect_commit(commit, [1, 2, 3], lambda item, error: item)
    assert calls == [[1, 2, 3]]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_an_exception_that_ends_the_process_is_not_caught(error: BaseException):
    def work(items: Sequence[int]) -> list[int]:
        raise error

    with pytest.raises(type(error)):
        bisect_batch(work, [1, 2], _failure)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Permanent("bad_step", "returned 1 for 2"), ("bad_step", "returned 1 for 2")),
        (ValueError("first line\nsecond line"), ("error:ValueError", "first line")),
        (KeyError(), ("error:KeyError", "")),
        (RuntimeError("x" * 1000), ("error:RuntimeError", "x" * 500)),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad byte"), ("error:UnicodeDecodeError", None)),
    ],
)
def test_an_error_becomes_a_reason_and_one_line(error: Exception, expected: tuple[str, str | None]):
    reason, detail = error_reason(error)
    assert reason == expected[0]
    assert detail == expected[1] or (expected[1] is None and "bad byte" in detail)
