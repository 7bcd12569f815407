"""`headwater summaries`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import DryRun, Json, command_group
from headwater.cli.pipeline.run import SUMMARY_TIME_LIMIT
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    print_json,
    short_id,
    table,
    time_column,
)
from headwater.engine.summarize import BUDGET_PERIOD
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.model.summaries import SummaryBatch
from headwater.runtime.maintenance import SUMMARIES, Maintenance, summaries_task
from headwater.runtime.summaries import (
    SETTING,
    estimate_round,
    has_unfinished_summaries,
    summarized_recipes,
    summary_hints,
)
from headwater.settings.llm import check_endpoint, read_api_key

app = command_group("Summarise stories with a language model; show requests and costs.")


@app.command("run")
def run(
    context: typer.Context,
    *,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Do one round: follow open batches, send waiting requests, store answers in their stories.

    With --dry-run it reports what would be requested and what it would cost. It calls the endpoint of the setting `summaries` for the stories of recipes that permit it. It can be killed at any time and
    run again: no batch is sent twice.
    """
    app = _open_app(context)
    if not summarized_recipes(app):
        _print_progress("No recipe permits summaries: open batches are followed, nothing new is requested.")
    if dry_run:
        report: dict[str, Any] = asdict(estimate_round(app, _print_progress))
    else:
        report = Maintenance(
            app, tasks={SUMMARIES: summaries_task(_print_progress, max_time=SUMMARY_TIME_LIMIT)}
        ).run_now(SUMMARIES)
    if as_json:
        print_json(report)
    else:
        console().print(_sentence(report), soft_wrap=True)


@app.command("status")
def status(context: typer.Context, as_json: Json = False) -> None:
    """Show how many requests wait, were answered or failed, the costs, and the state of batches."""
    app = open_app(context)
    store = app.summaries
    batches = store.recent_batches()
    spent = store.spent_since(app.clock() - BUDGET_PERIOD)
    counts = store.request_counts()
    if as_json:
        daily_budget = app.settings.summaries.daily_budget
        print_json(
            {
                "requests": counts,
                "spent_24_hours": spent,
                "daily_budget": daily_budget,
                "batches": [asdict(batch) for batch in batches],
            }
        )
        return
    out = console()
    for recipe, states in sorted(counts.items()):
        report = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        out.print(cell(f"{recipe}: {report}"))
    out.print(f"About ${spent:.4f} in the last 24 hours.")
    if batches:
        out.print(_batch_table(batches))


@app.command("cancel")
def cancel(context: typer.Context, as_json: Json = False) -> None:
    """Cancel waiting requests and open batches; answers received by then are kept.

    An open batch is cancelled at the endpoint now, or by the next round if the endpoint cannot be reached.
    """
    app = _open_app(context)
    store = app.summaries
    waiting = store.cancel_waiting(app.clock())
    batches = store.cancel_batches(app.clock())
    report = {"cancelled": waiting, "batches": batches}
    if batches:
        Maintenance(app, tasks={SUMMARIES: summaries_task(ask=False)}).run_now(SUMMARIES)
    if as_json:
        print_json(report)
    else:
        console().print(f"{waiting} requests and {batches} batches are cancelled.", soft_wrap=True)


@app.command("retry")
def retry(context: typer.Context, as_json: Json = False) -> None:
    """Retry requests that failed or were cancelled; the next round sends them."""
    app = open_app(context)
    count = app.summaries.retry_requests(app.clock())
    if as_json:
        print_json({"count": count})
    else:
        console().print(f"{count} requests wait again.")


def _open_app(context: typer.Context) -> App:
    app = open_app(context)
    read_api_key(check_endpoint(app.settings.summaries, SETTING), SETTING)
    if not summarized_recipes(app) and not has_unfinished_summaries(app):
        raise Refused(
            "nothing_to_do",
            "; ".join(["no recipe permits summaries by a language model", *summary_hints(app)]),
        )
    configure_logs(app.settings.log, app.settings.log_level)
    return app


def _print_progress(sentence: str) -> None:
    error_console().print(cell(sentence), style="dim")


def _sentence(report: dict[str, Any]) -> str:
    return (
        "{planned} planned, {asked} asked, {answered} answered, {failed} failed, {postponed} postponed; "
        "{batches_sent} batches sent, {batches_ended} ended; {stories_updated} stories updated."
    ).format(**report)


def _batch_table(batches: Sequence[SummaryBatch]) -> Any:
    """`state` is the last state that the endpoint reported."""
    head, times = time_column("made", [batch.created_at for batch in batches])
    listing = table(
        "batch", head, "model", "state", "requests", "cost", "reason",
        numbers=("requests", "cost"), flexible="reason", widths={"model": 14, "state": 10},
    )  # fmt: skip
    for batch, created in zip(batches, times, strict=True):
        cost = "" if batch.cost is None else f"{batch.cost:.4f}"
        listing.add_row(
            short_id(batch.id),
            created,
            cell(batch.model),
            cell(batch.status or batch.state),
            cell(batch.request_count),
            cost,
            cell(batch.reason),
        )
    return listing
