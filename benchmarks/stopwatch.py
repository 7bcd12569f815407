"""Times of requests by the clock, and of the processor in this process: on a busy machine the latter is the measure."""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stopwatch:
    seconds: list[float] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[None]:
        began, processor_began = time.perf_counter(), time.process_time()
        yield
        self.seconds.append(time.perf_counter() - began)
        self.processor_seconds.append(time.process_time() - processor_began)

    def __str__(self) -> str:
        return (
            f"p50 {1000 * statistics.median(self.seconds):6.1f} ms  p95 {p95(self.seconds):6.1f} ms  "
            f"processor p95 {p95(self.processor_seconds):5.1f} ms"
        )


def p95(seconds: list[float]) -> float:
    """In milliseconds."""
    return 1000 * statistics.quantiles(seconds, n=20)[18]
