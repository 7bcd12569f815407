"""The summary of a run: what came in, what was kept and what was not, failing sources, and where the data is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from sqlalchemy import make_url

from headwater.app import App
from headwater.cli.render.console import card, cell, format_count, format_due, table
from headwater.fetch.failure_sentences import UNREACHED, failure_words
from headwater.model.alarm import MIN_COUNT
from headwater.model.http import BREAKER_OPEN, OFFLINE, RATE_LIMITED
from headwater.model.jobs import ARCHIVED, State
from headwater.store.reads.end_reasons import end_reasons
from headwater.store.reads.run_counts import count_revised, waiting_reasons

Status = Mapping[str, Any]
NOT_READ = UNREACHED | {BREAKER_OPEN}
LEFT_TO_DO = ("waiting", "to_deliver")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeCounts:
    """`came_in` counts everything that sources listed. The counts from `kept` to `waiting`, and `archived`, divide it by what became of
    it. `waiting` and `to_deliver` are what is left to do now."""

    came_in: int = 0
    kept: int = 0
    duplicate: int = 0
    dropped: int = 0
    quarantined: int = 0
    waiting: int = 0
    stories: int = 0
    to_deliver: int = 0
    delivered: int = 0
    archived: int = 0

    def since(self, before: "RecipeCounts") -> "RecipeCounts":
        """What a run added. What is left to do is a state, not something that a run adds to."""
        added = {f.name: getattr(self, f.name) - getattr(before, f.name) for f in fields(RecipeCounts)}
        return RecipeCounts(**added | {name: getattr(self, name) for name in LEFT_TO_DO})

    @property
    def nothing_new(self) -> bool:
        return not (self.came_in or self.kept or self.delivered)


def recipe_counts(status: Status) -> RecipeCounts:
    leads, documents, refetched = status["leads"], status["documents"], status["refetched"]

    def count_in(state: State) -> int:
        """An item whose page failed when it was fetched again counts as the document that it has."""
        return int(documents.get(state, 0)) + int(leads.get(state, 0)) - int(refetched.get(state, 0))

    came_in = sum(leads.values())
    ended = {
        "kept": documents.get(State.KEPT, 0),
        "duplicate": count_in(State.DUPLICATE),
        "dropped": count_in(State.DROPPED),
        # Both are in `headwater quarantine list`: what a step set aside, and what could not be processed.
        "quarantined": count_in(State.ASIDE) + count_in(State.QUARANTINED),
        "archived": documents.get(ARCHIVED, 0),
    }
    deliveries = status["unfinished"]["deliver"]
    return RecipeCounts(
        came_in=came_in,
        waiting=max(0, came_in - sum(ended.values())),
        stories=status["stories"],
        to_deliver=deliveries["due"] + deliveries["later"],
        delivered=status["deliveries"].get(State.DONE, 0),
        **ended,
    )


ROWS = (
    ("came in", "came_in"),
    ("kept", "kept"),
    ("duplicate", "duplicate"),
    ("dropped", "dropped"),
    ("quarantined", "quarantined"),
    ("waiting", "waiting"),
    ("stories", "stories"),
    ("to deliver", "to_deliver"),
    ("delivered", "delivered"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """`to_poll` counts the sources that are due or that a rate limit postponed; `unread_sources` all that were polled, if none
    could be read; `unread_entries` those that wait after failures, if none of the run could be read; `revised` the documents that
    the run found changed."""

    recipe: str
    this_run: RecipeCounts
    in_all: RecipeCounts
    sources: dict[str, int]
    not_kept: list[dict[str, Any]]
    held_back: list[dict[str, Any]]
    trouble: list[dict[str, Any]]
    keyless: dict[str, int]
    offline: int
    unread_sources: int
    unread_entries: int
    to_poll: int
    places: dict[str, str]
    revised: int = 0


def read_counts(app: App, recipe: str) -> RecipeCounts:
    return recipe_counts(app.catalogue.status(recipe, app.clock()))


def summarise_run(app: App, recipe: str, before: RecipeCounts, began: datetime | None = None) -> RunSummary:
    """What the run added to the counts before it; `began` is when it began."""
    status = app.catalogue.status(recipe, app.clock())
    in_all = recipe_counts(status)
    this_run, reasons = in_all.since(before), waiting_reasons(app.engine, recipe)
    return RunSummary(
        recipe=recipe,
        this_run=this_run,
        in_all=in_all,
        sources=dict(status["sources"]),
        not_kept=end_reasons(app.engine, recipe),
        held_back=reasons,
        trouble=failing_sources(app, recipe),
        keyless=sources_without_key(app, recipe),
        offline=sum(row["reason"] == OFFLINE for row in app.catalogue.sources(recipe)),
        unread_sources=unread_sources(app.catalogue.sources(recipe)),
        unread_entries=unread_entries(this_run, in_all, reasons),
        to_poll=sources_to_poll(app.catalogue.sources(recipe), app.clock()),
        places=data_locations(app),
        revised=0 if began is None else count_revised(app.engine, recipe, began),
    )


def failing_sources(app: App, recipe: str) -> list[dict[str, Any]]:
    """Sources whose last poll failed, or was not made because their host fails, with the error."""
    failing = [
        source
        for source in app.catalogue.sources(recipe)
        if source["failures"]
        or source["stop_reason"]
        or source["reason"] == BREAKER_OPEN
        or (source["reason"] and not source["active"])
    ]
    return [_failure_of(app, source) for source in failing]


def unread_sources(sources: Sequence[Mapping[str, Any]]) -> int:
    """The number of sources that were polled, if every one of them failed; 0 if any could be read."""
    polled = [source for source in sources if source["active"] and source["last_polled_at"]]
    failed = [source for source in polled if source["failures"] or source["reason"] in NOT_READ]
    return len(polled) if len(failed) == len(polled) else 0


def unread_entries(this_run: RecipeCounts, in_all: RecipeCounts, reasons: Sequence[Mapping[str, Any]]) -> int:
    """The number of entries that are tried again after a failure, if none could be read in this run; otherwise 0. A few new
    entries that fail say nothing where others were read before."""
    judged = this_run if this_run.came_in >= MIN_COUNT else in_all
    is_any_read = judged.kept or judged.duplicate or judged.dropped or judged.quarantined or judged.archived
    return 0 if is_any_read else sum(row["count"] for row in reasons if row["reason"] != RATE_LIMITED)


def sources_without_key(app: App, recipe: str) -> dict[str, int]:
    """The number of sources that need an API key, by what to do about it."""
    waiting = [row for row in app.catalogue.sources(recipe) if row["reason"] == "key_missing"]
    by_kind = {row["kind"]: row for row in waiting}
    remedies = {kind: _failure_of(app, row)["detail"] for kind, row in by_kind.items()}
    return dict(Counter(remedies[row["kind"]] for row in waiting))


def sources_to_poll(sources: Sequence[Mapping[str, Any]], now: datetime) -> int:
    return sum(
        source["due_at"] <= now or source["reason"] == RATE_LIMITED
        for source in sources
        if source["active"] and not source["stop_reason"] and source["due_at"] is not None
    )


def _failure_of(app: App, source: dict[str, Any]) -> dict[str, Any]:
    details = app.catalogue.source(source["id"]) or {"polls": []}
    failed = next((poll for poll in details["polls"] if poll["error"]), None)
    copied = ("id", "name", "url", "active", "stop_reason", "failures", "due_at")
    reason = source["reason"] or (failed or {}).get("error") or "?"
    detail = (failed or {}).get("detail") or failure_words(reason)
    return {name: source[name] for name in copied} | {"reason": reason, "detail": detail}


def data_locations(app: App) -> dict[str, str]:
    """Where the data is; passwords in URLs are hidden."""
    folder = app.settings.folder
    database = make_url(app.settings.database_url)
    is_file = database.get_backend_name() == "sqlite" and database.database
    return {
        "database": str(database.database) if is_file else database.render_as_string(hide_password=True),
        "archive": app.settings.archive_settings.place or str(folder / "archive"),
        "output": str(folder / "out"),
    }


def print_run_summary(summary: RunSummary, console: Console, now: datetime) -> None:
    console.print()
    console.print(_headline(summary), style="bold")
    console.print()
    console.print(_counts(summary))
    if summary.not_kept:
        console.print()
        console.print(not_kept_table(summary.not_kept))
    if summary.held_back:
        console.print()
        console.print(held_back_table(summary.held_back, now))
    if summary.trouble:
        console.print()
        console.print(failing_sources_table(summary.trouble, now))
    if summary.to_poll:
        console.print()
        message = f"{format_count(summary.to_poll, 'source')} still to poll: `headwater run {summary.recipe}` continues."
        console.print(cell(message, "yellow"), soft_wrap=True)
    for remedy, count in summary.keyless.items():
        console.print()
        console.print(
            cell(f"{format_count(count, 'source')} without a key: {remedy}.", "yellow"), soft_wrap=True
        )
    if message := _nothing_read(summary):
        console.print()
        console.print(cell(message, "yellow"), soft_wrap=True)
    if summary.offline:
        console.print()
        waiting = f"{format_count(summary.offline, 'source')} not polled: no host can be reached; your network seems to be down. "
        again = f"Run `headwater run {summary.recipe} --once` again when it is back: no source is blamed."
        console.print(cell(waiting + again, "yellow"), soft_wrap=True)
    console.print()
    console.print(_locations_table(summary))


def _nothing_read(summary: RunSummary) -> str:
    if summary.unread_sources:
        is_any_reached = any(source["reason"] not in UNREACHED for source in summary.trouble)
        hint = (
            "the table says why" if is_any_reached else "check the network of this machine, and the addresses"
        )
        return f"No source could be read ({summary.unread_sources} tried): {hint}."
    if summary.unread_entries:
        return f"No entry could be read: {summary.unread_entries} wait after failures and are tried again."
    return ""


def _headline(summary: RunSummary) -> str:
    polled = format_count(summary.sources.get("polled", 0), "source")
    revised = f"{summary.revised} revised, " if summary.revised else ""
    if summary.this_run.nothing_new:
        return f"{summary.recipe}: {revised}nothing new from {polled}"
    return f"{summary.recipe}: {revised}{summary.this_run.came_in} came in from {polled}"


def _counts(summary: RunSummary) -> Table:
    listing = table("", "this run", "in all", numbers=("this run", "in all"))
    for label, name in ROWS:
        run, total = getattr(summary.this_run, name), getattr(summary.in_all, name)
        if total or run or name in {"came_in", "kept", "waiting"}:
            added = "" if name in LEFT_TO_DO else f"{run:+d}" if run else "0"
            listing.add_row(label, added, str(total))
    return listing


def not_kept_table(reasons: Sequence[dict[str, Any]]) -> Table:
    listing = table(
        "not kept because",
        "count",
        "for example",
        numbers=("count",),
        flexible="for example",
        widths={"not kept because": 36},
    )
    for row in reasons:
        listing.add_row(cell(row["reason"]), str(row["count"]), cell(row["title"] or row["url"], "dim"))
    return listing


def held_back_table(reasons: Sequence[dict[str, Any]], now: datetime) -> Table:
    listing = table(
        "waiting because", "count", "explanation", "next try", numbers=("count",), flexible="explanation"
    )
    for row in reasons:
        words = failure_words(row["reason"])
        listing.add_row(
            cell(row["reason"], "yellow"),
            str(row["count"]),
            cell(words, "dim"),
            cell(format_due(row["next"], now)),
        )
    return listing


def failing_sources_table(failures: Sequence[dict[str, Any]], now: datetime) -> Table:
    listing = table(
        "failing source",
        "reason",
        "error",
        "next poll",
        flexible="error",
        widths={"failing source": 24, "reason": 20},
    )
    for source in failures:
        listing.add_row(
            cell(source["name"]),
            cell(source["reason"], "yellow"),
            cell(source["detail"], "dim"),
            cell(_next_poll(source, now)),
        )
    return listing


def _next_poll(source: dict[str, Any], now: datetime) -> str:
    if source["stop_reason"]:
        return "stopped"
    return format_due(source["due_at"], now) if source["active"] else "closed"


def _locations_table(summary: RunSummary) -> Table:
    return card(summary.places)
