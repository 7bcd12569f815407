"""`headwater links`: whether what documents and sources point to is still there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from headwater.app import App
from headwater.cli.environment import open_app, select_recipes
from headwater.cli.options import Json, OptionalRecipe, command_group
from headwater.cli.render.console import (
    cell,
    console,
    format_due,
    format_relative,
    print_json,
    print_json_lines,
    table,
)
from headwater.documents.link_health import ALERTED_STATES, LinkPriority, LinkState, hosts_to_review
from headwater.logs import configure_logs
from headwater.model.errors import Refused
from headwater.ops.link_checker import LinkChecker, LinkResult
from headwater.store.admin.link_health import LinkHealthStore
from headwater.text.redaction import redact_url

app = command_group("Check whether links are still there; list how they stand.")
OfPriority = Annotated[
    LinkPriority | None, typer.Option(help="Only these: P0 is looked at daily, P1 weekly, P2 every 30 days.")
]


@app.command("check")
def check(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    priority: OfPriority = None,
    every: Annotated[bool, typer.Option("--now", help="Also those whose turn has not come.")] = False,
    as_json: Json = False,
) -> None:
    """Look at the links of kept documents and active sources whose turn it is.

    Three failures in a row are told; seven days of them, or a 410, make a link inactive.
    """
    app = open_app(context)
    links = LinkHealthStore(app.store.engine)
    checked: list[LinkResult] = []
    fetcher = app.fetcher()
    try:
        for name in select_recipes(app, recipe):
            links.enrol(name, app.clock())
            if every:
                links.wake(name, app.clock(), priority)
            checked += LinkChecker(links, fetcher, app.clock).check(name, priority)
    finally:
        fetcher.close()
    _log(app, checked)
    report = _report(checked, links.links(recipe))
    if as_json:
        print_json(report)
    else:
        _show(report, console())


def _log(app: App, checked: Iterable[LinkResult]) -> None:
    log = configure_logs(app.settings.log, app.settings.log_level).bind(job="links")
    for one in checked:
        for alert in one.alerts:
            log.warning(
                "link alert", alert=alert.value, url=redact_url(one.link.url), reason=one.health.reason
            )


def _report(checked: Sequence[LinkResult], known: Sequence[dict[str, Any]]) -> dict[str, Any]:
    alerts = [
        {
            "alert": alert,
            "url": one.link.url,
            "priority": one.health.priority,
            "reason": one.health.reason,
            "failures": one.health.failures,
            "since": one.health.first_failed_at,
            "final_url": one.health.final_url,
        }
        for one in checked
        for alert in one.alerts
    ]
    return {
        "checked": len(checked),
        "standings": dict(sorted(Counter(str(row["standing"]) for row in known).items())),
        "unknown": dict(Counter(one.health.reason for one in checked if _undecided(one))),
        "alerts": alerts,
        "review": list(hosts_to_review([(row["url"], LinkState(row["standing"])) for row in known])),
    }


def _undecided(one: LinkResult) -> bool:
    return bool(one.health.reason) and one.health.failures == one.link.health.failures


def _show(report: dict[str, Any], out: Console) -> None:
    standings = ", ".join(f"{count} {name}" for name, count in report["standings"].items())
    out.print(f"{report['checked']} links checked. Of all: {standings or 'none'}.")
    for reason, count in report["unknown"].items():
        out.print(cell(f"  {count} could not be judged: {reason}", "yellow"))
    for alert in report["alerts"]:
        style = "green" if alert["alert"] == "recovered" else "red"
        out.print(cell(f"  {alert['alert']}: {alert['url']} {alert['reason']}", style), soft_wrap=True)
    for host in report["review"]:
        out.print(cell(f"  most links of {host} are down: look at the whole site", "yellow"))


@app.command("list")
def list_links(
    context: typer.Context,
    recipe: OptionalRecipe = None,
    *,
    priority: OfPriority = None,
    standing: Annotated[list[LinkState] | None, typer.Option(help="Only these; may be repeated.")] = None,
    down: Annotated[bool, typer.Option("--down", help="Only those that people should know of.")] = False,
    as_json: Json = False,
) -> None:
    """List links with how they stand, worst first."""
    app = open_app(context)
    if recipe:
        select_recipes(app, recipe)
    wanted = [*(standing or ()), *(sorted(ALERTED_STATES) if down else ())]
    found = LinkHealthStore(app.store.engine).links(recipe, priority=priority, standings=wanted)
    if as_json:
        print_json_lines(found)
        return
    now = app.clock()
    made = table("priority", "standing", "reason", "last good", "next look", "address", flexible="address")
    made.expand = True
    for row in found:
        made.add_row(
            cell(row["priority"]),
            cell(row["standing"], "red" if row["standing"] in ALERTED_STATES else ""),
            cell(row["reason"]),
            format_relative(row["last_ok_at"], now) or "never",
            format_due(row["due_at"], now) or "never",
            cell(row["url"], "dim"),
        )
    console().print(made if found else "No links yet. Look at them with `headwater links check`.")


@app.command("reset")
def reset_link(
    context: typer.Context,
    link: Annotated[str, typer.Argument(metavar="URL|ID", help="The link's address or id.")],
) -> None:
    """Forget what is held against a link and look at it again: the way back for inactive ones."""
    app = open_app(context)
    urls = LinkHealthStore(app.store.engine).reset(link, app.clock())
    if not urls:
        raise Refused("unknown_link", f"there is no link '{link}'; see `headwater links list`")
    console().print(cell(f"Reset {urls[0]}: it is due now."), soft_wrap=True)
