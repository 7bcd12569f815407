"""`headwater links`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from headwater.app import App
from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalLimit, Quiet, RecipeFilter, command_group
from headwater.cli.render.console import (
    cell,
    console,
    format_count,
    format_due,
    format_relative,
    print_json,
    print_json_lines,
    table,
)
from headwater.cli.render.progress import ticking
from headwater.documents.link_health import ALERTED_STATES, LinkPriority, LinkState, hosts_to_review
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.ops.link_checker import LinkChecker, LinkResult
from headwater.text.redaction import redact_url

app = command_group("Check whether links still work; list their status.")
REASON_WIDTH = 20
OfPriority = Annotated[
    LinkPriority | None,
    typer.Option(help="Only this priority: P0 is checked daily, P1 weekly, P2 every 30 days."),
]


@app.command("check")
def check(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    priority: OfPriority = None,
    all_links: Annotated[bool, typer.Option("--now", help="Also links that are not due.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check the links of kept documents and active sources that are due.

    Three failures in a row raise an alert; seven days of failures, or a 410, make a link inactive.
    """
    app = open_app(context)
    links = app.link_health
    results: list[LinkResult] = []
    fetcher = app.fetcher()
    try:
        with ticking(lambda: f"{format_count(len(results), 'link')} checked", quiet=quiet):
            for name in select_recipes(app, recipe):
                links.enrol(name, app.clock())
                if all_links:
                    links.wake(name, app.clock(), priority)
                results += LinkChecker(links, fetcher, app.clock).check(name, priority)
    finally:
        fetcher.close()
    _log(app, results)
    report = _report(results, links.links(recipe))
    if as_json:
        print_json(report)
    else:
        _show(report, console())


def _log(app: App, results: Iterable[LinkResult]) -> None:
    log = configure_logs(app.settings.log, app.settings.log_level).bind(job="links")
    for result in results:
        for alert in result.alerts:
            log.warning(
                "link alert", alert=alert.value, url=redact_url(result.link.url), reason=result.health.reason
            )


def _report(results: Sequence[LinkResult], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    alerts = [
        {
            "alert": alert,
            "url": result.link.url,
            "priority": result.health.priority,
            "reason": result.health.reason,
            "failures": result.health.failures,
            "since": result.health.first_failed_at,
            "final_url": result.health.final_url,
        }
        for result in results
        for alert in result.alerts
    ]
    return {
        "checked": len(results),
        "states": dict(sorted(Counter(str(row["state"]) for row in rows).items())),
        "unknown": dict(Counter(result.health.reason for result in results if _undecided(result))),
        "alerts": alerts,
        "review": list(hosts_to_review([(row["url"], LinkState(row["state"])) for row in rows])),
    }


def _undecided(result: LinkResult) -> bool:
    return bool(result.health.reason) and result.health.failures == result.link.health.failures


def _show(report: dict[str, Any], out: Console) -> None:
    states = ", ".join(f"{count} {name}" for name, count in report["states"].items())
    out.print(f"{report['checked']} links checked. Of all: {states or 'none'}.")
    for reason, count in report["unknown"].items():
        out.print(cell(f"  {count} undecided: {reason}", "yellow"))
    for alert in report["alerts"]:
        style = "green" if alert["alert"] == "recovered" else "red"
        out.print(cell(f"  {alert['alert']}: {alert['url']} {alert['reason']}", style), soft_wrap=True)
    for host in report["review"]:
        out.print(cell(f"  most links of {host} are down: check the whole site", "yellow"))


@app.command("list")
def list_links(
    context: typer.Context,
    *,
    recipe: RecipeFilter = None,
    priority: OfPriority = None,
    state: Annotated[list[LinkState] | None, typer.Option(help="Only this status; can be repeated.")] = None,
    only_down: Annotated[bool, typer.Option("--down", help="Only links that raised an alert.")] = False,
    limit: OptionalLimit = None,
    as_json: Json = False,
) -> None:
    """List links with their status, worst first."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    states = [*(state or ()), *(sorted(ALERTED_STATES) if only_down else ())]
    rows = app.link_health.links(recipe, priority=priority, states=states)[:limit]
    if as_json:
        print_json_lines(rows)
        return
    now = app.clock()
    listing = table(
        "priority",
        "state",
        "reason",
        "last good",
        "next check",
        "url",
        flexible="url",
        widths={"reason": REASON_WIDTH},
    )
    for row in rows:
        listing.add_row(
            cell(row["priority"]),
            cell(row["state"], "red" if row["state"] in ALERTED_STATES else ""),
            cell(row["reason"]),
            format_relative(row["last_ok_at"], now) or "never",
            format_due(row["due_at"], now) or "never",
            cell(row["url"], "dim"),
        )
    console().print(listing if rows else "No links yet. Check them with `headwater links check`.")


@app.command("reset")
def reset_link(
    context: typer.Context,
    link: Annotated[str, typer.Argument(metavar="URL|ID", help="The URL or id of the link.")],
) -> None:
    """Clear the failures of a link, also of an inactive one, and check it again."""
    app = open_app(context)
    urls = app.link_health.reset(link, app.clock())
    if not urls:
        raise Refused("unknown_link", f"there is no link '{link}'; list them with `headwater links list`")
    console().print(cell(f"Reset {urls[0]}: it is due now."), soft_wrap=True)
