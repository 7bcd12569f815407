"""One thread for the matrix products of a job.

The library below NumPy starts one thread per CPU, and after each product those threads spin while they wait for the next. The products
of a job are small and many: spinning took up to a third of the CPU time of gathering, away from the other workers. Sums in one
thread also do not depend on the number of CPUs.
"""

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

NUMPY_CORE = "numpy._core._multiarray_umath"
NAME_FORMS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


class ThreadCount(NamedTuple):
    """The functions of OpenBLAS that read and set its number of threads."""

    read: Callable[[], int]
    write: Callable[[int], None]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Leaves the process as it was. Until then the limit holds for all its threads: the library has one number for the process. Does
    nothing while NumPy is not loaded, or on another library."""
    core = sys.modules.get(NUMPY_CORE)
    threads = None if core is None else _thread_count(str(core.__file__))
    count = 1 if threads is None else threads.read()
    if threads is None or count == 1:
        yield
        return
    threads.write(1)
    try:
        yield
    finally:
        threads.write(count)


@cache
def _thread_count(library: str) -> ThreadCount | None:
    """`library` is linked with OpenBLAS, whose functions the loader finds through it."""
    try:
        functions = ctypes.CDLL(library)
    except OSError:
        return None
    for form in NAME_FORMS:
        if hasattr(functions, form.format("set_num_threads")):
            return ThreadCount(
                getattr(functions, form.format("get_num_threads")),
                getattr(functions, form.format("set_num_threads")),
            )
    return None
