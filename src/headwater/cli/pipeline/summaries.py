"""`headwater summaries`: stories summarised by a language model."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, command_group
from headwater.cli.pipeline.run import SUMMARY_TIME_LIMIT
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    format_time,
    print_json,
    short_id,
    table,
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
    summary_store,
)
from headwater.settings.llm import check_endpoint

app = command_group("Let a language model summarise stories; see what was asked and what it cost.")


@app.command("run")
def run(
    context: typer.Context,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be asked and what it would cost.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Do one round: follow open batches, ask about what waits, put answers into their stories.

    It asks the endpoint of the setting `summaries` about the stories of recipes in tier C. It may be killed at any
    moment and run again: no batch is sent twice.
    """
    app = _opened(context)
    if not summarized_recipes(app):
        _tell("No recipe is in tier C: what was sent before is followed, nothing new is asked.")
    if dry_run:
        told: dict[str, Any] = asdict(estimate_round(app, _tell))
    else:
        told = Maintenance(
            app, tasks={SUMMARIES: summaries_task(_tell, max_time=SUMMARY_TIME_LIMIT)}
        ).run_now(SUMMARIES)
    if as_json:
        print_json(told)
    else:
        console().print(_sentence(told), soft_wrap=True)


@app.command("status")
def status(context: typer.Context, as_json: Json = False) -> None:
    """Tell how many stories wait, were answered or failed, what was spent, and how batches stand."""
    app = open_app(context)
    store = summary_store(app)
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
        told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        out.print(cell(f"{recipe}: {told}"))
    out.print(f"About ${spent:.4f} in the last 24 hours.")
    if batches:
        out.print(_listed(batches))


@app.command("cancel")
def cancel(context: typer.Context, as_json: Json = False) -> None:
    """Cancel what waits and every open batch; what was answered by then is kept.

    An open batch is cancelled at the other end in the same call, or, if it cannot be reached, by the next round.
    """
    app = _opened(context)
    store = summary_store(app)
    waiting = store.cancel_waiting(app.clock())
    batches = store.cancel_batches(app.clock())
    told = {"cancelled": waiting, "batches": batches}
    if batches:
        Maintenance(app, tasks={SUMMARIES: summaries_task(ask=False)}).run_now(SUMMARIES)
    if as_json:
        print_json(told)
    else:
        console().print(f"{waiting} requests and {batches} batches are cancelled.", soft_wrap=True)


@app.command("retry")
def retry(context: typer.Context, as_json: Json = False) -> None:
    """Ask again about what failed or was cancelled; the next round does it."""
    app = open_app(context)
    count = summary_store(app).retry_requests(app.clock())
    if as_json:
        print_json({"count": count})
    else:
        console().print(f"{count} requests wait again.")


def _opened(context: typer.Context) -> App:
    app = open_app(context)
    check_endpoint(app.settings.summaries, SETTING)
    if not summarized_recipes(app) and not has_unfinished_summaries(app):
        raise Refused(
            "nothing_to_do",
            "no recipe is in tier C; set recipes.geopolitics.options.tier to C to have stories summarised",
        )
    configure_logs(app.settings.log, app.settings.log_level)
    return app


def _tell(sentence: str) -> None:
    error_console().print(cell(sentence), style="dim")


def _sentence(told: dict[str, Any]) -> str:
    return (
        "{planned} planned, {asked} asked, {answered} answered, {failed} failed, {postponed} postponed; "
        "{batches_sent} batches sent, {batches_ended} ended; {stories_updated} stories updated."
    ).format(**told)


def _listed(batches: Sequence[SummaryBatch]) -> Any:
    """`state` is what the other end says, as far as it was asked."""
    made = table(
        "batch", "made", "model", "state", "requests", "cost", "reason",
        numbers=("requests", "cost"), flexible="reason",
    )  # fmt: skip
    for batch in batches:
        cost = "" if batch.cost is None else f"{batch.cost:.4f}"
        made.add_row(
            short_id(batch.id),
            format_time(batch.created_at),
            cell(batch.model),
            cell(batch.status or batch.state),
            cell(batch.requests),
            cost,
            cell(batch.reason),
        )
    return made
