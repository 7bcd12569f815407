"""Programs whose clock a test can shift while they run, by libfaketime (Debian's package faketime)."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ShiftedClock:
    """The clock of one program and of all that it starts; `file` says by how much it is off."""

    file: Path

    def shift(self, days: int) -> None:
        self.file.write_text(f"{days:+d}d\n", encoding="ascii")

    def environment(self) -> dict[str, str]:
        """Only the time of day is shifted: a real machine's monotonic clock never jumps."""
        self.shift(0)
        return {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


def _library() -> Path:
    libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    assert libraries, "this test needs libfaketime, e.g. apt-get install faketime"
    return libraries[0]
