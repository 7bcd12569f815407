"""A job computes its matrix products in one thread."""

import _json
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from headwater.engine.blas_threads import NUMPY_CORE, ThreadCount, _thread_count, one_blas_thread


@pytest.fixture
def two_threads() -> Iterator[ThreadCount]:
    assert np.ones(2) @ np.ones(2) == 2
    threads = _thread_count(str(sys.modules[NUMPY_CORE].__file__))
    assert threads is not None, "the NumPy of the tests is linked with OpenBLAS"
    before = threads.read()
    threads.write(2)
    yield threads
    threads.write(before)


def test_within_a_job_there_is_one_thread_and_afterwards_as_many_as_before(two_threads: ThreadCount) -> None:
    with one_blas_thread():
        assert two_threads.read() == 1
    assert two_threads.read() == 2


def test_the_number_of_threads_returns_after_a_job_that_fails(two_threads: ThreadCount) -> None:
    with pytest.raises(RuntimeError), one_blas_thread():
        raise RuntimeError
    assert two_threads.read() == 2


def test_another_library_has_no_number_of_threads() -> None:
    assert _thread_count(str(_json.__file__)) is None
    assert _thread_count("no such library") is None
