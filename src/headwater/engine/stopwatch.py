"""How long the steps of a job took, for each of its documents."""

from time import perf_counter

from headwater.model.document import Document

EXTRACT = "extract"


class Stopwatch:
    """Steps work on batches, so a document has its share of the time of each step that it went through."""

    def __init__(self) -> None:
        self._last = perf_counter()
        self._seconds: dict[str, float] = {}

    def lap(self, step: str, count: int) -> None:
        """The time since the last lap was that of this step, with so many documents."""
        now = perf_counter()
        self._seconds[step], self._last = (now - self._last) / count, now

    def milliseconds(self, document: Document | None) -> dict[str, int]:
        """Those of the steps in the trail of the document; less than one is left out. What could not be extracted has only the
        time that this took."""
        steps = [EXTRACT] if document is None else [entry.step for entry in document.trail]
        rounded = {step: round(1000 * self._seconds.get(step, 0.0)) for step in steps}
        return {step: value for step, value in rounded.items() if value}
