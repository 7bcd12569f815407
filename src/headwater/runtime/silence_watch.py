"""Which of the processes of a pool hang: they run, but were not heard for a while."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

CHECK_EVERY = 15.0
SILENT_SECONDS = 120.0


@dataclass
class SilenceWatch:
    """Remembers when each process was last heard. One that was never heard under its own pid is not judged: it may start, or
    let others work for it."""

    checked_at: float | None = None
    heard: dict[int, float] = field(default_factory=dict)

    def is_due(self, now: float) -> bool:
        return self.checked_at is None or now - self.checked_at >= CHECK_EVERY

    def silent_names(
        self, pids: Mapping[str, int], live_pids: Collection[int] | None, now: float
    ) -> list[str]:
        """The processes that have been silent for too long. `live_pids` is None if nobody could be heard; after a gap between
        two checks this process itself was asleep. Then none is to blame."""
        slept = self.checked_at is not None and now - self.checked_at > 2 * CHECK_EVERY
        self.checked_at = now
        known_pids = [pid for pid in pids.values() if pid in self.heard or pid in (live_pids or ())]
        is_excused = slept or live_pids is None
        self.heard = {
            pid: now if is_excused or pid in (live_pids or ()) else self.heard[pid] for pid in known_pids
        }
        return [name for name, pid in pids.items() if now - self.heard.get(pid, now) > SILENT_SECONDS]
