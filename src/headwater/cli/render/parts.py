"""The parts of the system as a table: a problem is visible at a glance."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

LABELS = {"due_work": "oldest waiting", "last_poll": "last poll", "leader": "beat"}


def parts_table(parts: Mapping[str, Mapping[str, Any]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name, part in parts.items():
        state = Text("ok", style="green") if part["ok"] else Text("PROBLEM", style="bold red")
        grid.add_row(Text(f"  {LABELS.get(name, name)}", style="dim"), state, Text(part["detail"]))
    return grid
