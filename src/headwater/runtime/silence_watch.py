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
        """The processes that have been silent for too long. None is to blame if nobody could be heard: `live_pids` is None, or
        has none of them, because the database can be read but not written; nor after a gap between two checks, when this
        process itself was asleep."""
        slept = self.checked_at is not None and now - self.checked_at > 2 * CHECK_EVERY
        self.checked_at = now
        live = set(pids.values()).intersection(live_pids or ())
        known_pids = [pid for pid in pids.values() if pid in self.heard or pid in live]
        is_excused = slept or not live
        self.heard = {pid: now if is_excused or pid in live else self.heard[pid] for pid in known_pids}
        return [name for name, pid in pids.items() if now - self.heard.get(pid, now) > SILENT_SECONDS]
