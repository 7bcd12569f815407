"""The flashpoints as a configuration: two with feeds, one with a list of entries."""

from typing import Any

from headwater_demo.clock import START
from headwater_demo.flashpoints.reports import REPORTS

TITLES = {
    "kelmar-strait": "Kelmar Strait",
    "valdora-vote": "Vote in Valdora",
    "orsa-delta": "Orsa delta",
}


def flashpoints() -> dict[str, Any]:
    return {"flashpoints": [_describe(name, title) for name, title in TITLES.items()]}


def _describe(name: str, title: str) -> dict[str, Any]:
    flashpoint = {"id": name, "title": title, "description": f"What happens around {title}."}
    reports = [report for report in REPORTS if report.flashpoint == name]
    if name == "orsa-delta":
        day = f"{START:%Y-%m-%d}"
        entries = [{"url": r.url, "title": r.title, "seendate": day} for r in reports if r.hours <= 0]
        return flashpoint | {"entries": entries}
    hosts = dict.fromkeys(report.host for report in reports)
    return flashpoint | {"feeds": [f"http://{host}/{name}.rss" for host in hosts]}
