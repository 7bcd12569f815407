"""Reads the packs of captures again, some every hour, and compares each with its checksum: a disk that loses a bit does not
say so, and a damaged pack should be noticed while a backup still has a good copy.

A round over the whole archive takes a month. The row of the maintenance task remembers how far it has come.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import msgspec

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.ops.move_files import list_packs

VERIFY_PACKS = "verify_packs"
RUNS_PER_ROUND = 30 * 24
LEAST_PACKS = 20
MOST_REMEMBERED = 1_000


class ScrubState(msgspec.Struct, frozen=True):
    """`last` is the pack that was read last, in the order of names; `checked` counts those of this round. `damaged` are packs
    whose bytes did not match their name; each is read again in every run, until it is whole or nobody needs it."""

    last: str = ""
    checked: int = 0
    damaged: tuple[str, ...] = ()


def next_packs(names: Sequence[str], last: str) -> Sequence[str]:
    """The packs after `last` that are due in one run; a new round begins when none is left. `names` are sorted."""
    count = max(LEAST_PACKS, -(-len(names) // RUNS_PER_ROUND))
    start = bisect_right(names, last)
    return names[start : start + count] or names[:count]


def scrub_state(app: App) -> ScrubState:
    result = app.maintenance_tasks.last_result(VERIFY_PACKS)
    try:
        return msgspec.convert(result or {}, ScrubState)
    except msgspec.ValidationError:
        return ScrubState()


def verify_packs(app: App) -> dict[str, Any]:
    """Read the packs that are due; returns the state of the scrub. A bucket is left alone: its server checks what it stores,
    and reading may cost money. An archive that is unavailable is not damaged: the next run goes on."""
    state = scrub_state(app)
    if app.archive_folder is None:
        return {"skipped": "bucket"}
    names = list_packs(app.engine)
    due = next_packs(names, state.last)
    suspects = set(state.damaged) & set(names)
    try:
        damaged = [name for name in sorted({*due, *suspects}) if app.archive.whole(name) is None]
    except Temporary as error:
        return msgspec.structs.asdict(state) | {"postponed": error.reason}
    is_new_round = not due or due[0] <= state.last
    return msgspec.structs.asdict(
        ScrubState(
            last=due[-1] if due else "",
            checked=len(due) + (0 if is_new_round else state.checked),
            damaged=tuple(damaged[:MOST_REMEMBERED]),
        )
    )
