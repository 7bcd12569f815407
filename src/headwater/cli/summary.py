"""How a run ended: what came in, what was kept, what was not and why, which sources failed, where everything lies."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from sqlalchemy import make_url

from headwater.app import App
from headwater.backends.sql.endings import endings
from headwater.cli.figures import Figures, figures
from headwater.cli.output import cell, count_of, table, until

ROWS = (
    ("came in", "came_in"),
    ("kept", "kept"),
    ("duplicate", "duplicate"),
    ("dropped", "dropped"),
    ("set aside", "set_aside"),
    ("quarantined", "quarantined"),
    ("waiting", "waiting"),
    ("stories", "stories"),
    ("delivered", "delivered"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    recipe: str
    this_run: Figures
    in_all: Figures
    sources: dict[str, int]
    not_kept: list[dict[str, Any]]
    trouble: list[dict[str, Any]]
    keyless: dict[str, int]
    places: dict[str, str]


def read_figures(app: App, recipe: str) -> Figures:
    return figures(app.catalogue.status(recipe, app.clock()))


def summarise(app: App, recipe: str, before: Figures) -> Summary:
    status = app.catalogue.status(recipe, app.clock())
    in_all = figures(status)
    return Summary(
        recipe=recipe,
        this_run=in_all.since(before),
        in_all=in_all,
        sources=dict(status["sources"]),
        not_kept=endings(app.store.engine, recipe),
        trouble=troubled_sources(app, recipe),
        keyless=keyless_sources(app, recipe),
        places=places(app),
    )


def troubled_sources(app: App, recipe: str) -> list[dict[str, Any]]:
    """Sources whose last look failed, with what it said."""
    bad = [
        source
        for source in app.catalogue.sources(recipe)
        if source["failures"] or source["stopped"] or (source["reason"] and not source["active"])
    ]
    return [_trouble(app, source) for source in bad]


def keyless_sources(app: App, recipe: str) -> dict[str, int]:
    """How many sources wait for a key, by what is to be done about it."""
    waiting = [row for row in app.catalogue.sources(recipe) if row["reason"] == "key_missing"]
    of_kind = {row["kind"]: row for row in waiting}
    remedies = {kind: _trouble(app, row)["detail"] for kind, row in of_kind.items()}
    return dict(Counter(remedies[row["kind"]] for row in waiting))


def _trouble(app: App, source: dict[str, Any]) -> dict[str, Any]:
    told = app.catalogue.source(source["id"]) or {"runs": []}
    failed = next((run for run in told["runs"] if run["error"]), None)
    detail = (failed or {}).get("detail") or ""
    same = ("id", "name", "url", "active", "stopped", "failures", "due_at")
    reason = source["reason"] or (failed or {}).get("error") or "?"
    return {name: source[name] for name in same} | {"reason": reason, "detail": detail}


def places(app: App) -> dict[str, str]:
    """Where everything lies; a password in an address is not shown."""
    folder = app.settings.folder
    database = make_url(app.settings.database_url)
    is_file = database.get_backend_name() == "sqlite" and database.database
    return {
        "database": str(database.database) if is_file else database.render_as_string(hide_password=True),
        "archive": app.settings.archive_place.place or str(folder / "archive"),
        "output": str(folder / "out"),
    }


def show(summary: Summary, console: Console, now: datetime) -> None:
    console.print()
    console.print(_headline(summary), style="bold")
    console.print()
    console.print(_counts(summary))
    if summary.not_kept:
        console.print()
        console.print(not_kept_table(summary.not_kept))
    if summary.trouble:
        console.print()
        console.print(trouble_table(summary.trouble, now))
    for remedy, count in summary.keyless.items():
        console.print()
        console.print(cell(f"{count_of(count, 'source')} without a key: {remedy}.", "yellow"), soft_wrap=True)
    console.print()
    console.print(_places(summary))


def _headline(summary: Summary) -> str:
    polled = count_of(summary.sources.get("polled", 0), "source")
    if summary.this_run.nothing_new:
        return f"{summary.recipe}: nothing new from {polled}"
    return f"{summary.recipe}: {summary.this_run.came_in} came in from {polled}"


def _counts(summary: Summary) -> Table:
    made = table("", "this run", "in all", numbers=("this run", "in all"))
    for label, name in ROWS:
        run, total = getattr(summary.this_run, name), getattr(summary.in_all, name)
        if total or run or name in {"came_in", "kept", "waiting"}:
            # What waits is a state, not something a run adds up.
            made.add_row(label, "" if name == "waiting" else f"{run:+d}" if run else "0", str(total))
    return made


def not_kept_table(reasons: Sequence[dict[str, Any]]) -> Table:
    made = table("not kept because", "count", "for example", numbers=("count",), flexible="for example")
    made.expand = True
    for row in reasons:
        made.add_row(cell(row["reason"]), str(row["count"]), cell(row["title"] or row["url"], "dim"))
    return made


def trouble_table(trouble: Sequence[dict[str, Any]], now: datetime) -> Table:
    made = table("source with trouble", "reason", "what it said", "next look", flexible="what it said")
    made.expand = True
    for source in trouble:
        made.add_row(
            cell(source["name"]),
            cell(source["reason"], "yellow"),
            cell(source["detail"], "dim"),
            cell(_next_look(source, now)),
        )
    return made


def _next_look(source: dict[str, Any], now: datetime) -> str:
    if source["stopped"]:
        return "stopped"
    return until(source["due_at"], now) if source["active"] else "closed"


def _places(summary: Summary) -> Table:
    made = Table.grid(padding=(0, 2))
    for label, place in summary.places.items():
        made.add_row(Text(label, style="dim"), cell(place))
    return made
