"""The flashpoints as a configuration: two with feeds, one with a list of entries (the full demo has feeds for it, too)."""

from datetime import datetime
from typing import Any

from headwater_demo.clock import START
from headwater_demo.flashpoints.coverage import coverage
from headwater_demo.flashpoints.reports import REPORTS, Report

TITLES = {
    "kelmar-strait": "Kelmar Strait",
    "valdora-vote": "Vote in Valdora",
    "orsa-delta": "Orsa delta",
}
# The places are invented; on the map they lie here.
COUNTRIES = {"kelmar-strait": ["DK", "SE"], "valdora-vote": ["PT"], "orsa-delta": ["RO"]}


def reports_of(size: str) -> tuple[Report, ...]:
    """All reports of a demo of this size."""
    return REPORTS if size == "small" else REPORTS + coverage()


def flashpoints(size: str = "small", start: datetime = START) -> dict[str, Any]:
    """For a demo of this size that begins at `start`."""
    return {"flashpoints": [_describe(name, title, size, start) for name, title in TITLES.items()]}


def _describe(name: str, title: str, size: str, start: datetime) -> dict[str, Any]:
    flashpoint: dict[str, Any] = {
        "id": name,
        "title": title,
        "description": f"What happens around {title}.",
        "countries": COUNTRIES[name],
    }
    with_feed = [report for report in reports_of(size) if report.flashpoint == name]
    if name == "orsa-delta":
        by_hand = [report for report in REPORTS if report.flashpoint == name]
        with_feed = [report for report in with_feed if report not in by_hand]
        day = f"{start:%Y-%m-%d}"
        flashpoint["entries"] = [
            {"url": report.url, "title": report.title, "seendate": day}
            for report in by_hand
            if report.hours <= 0
        ]
    hosts = dict.fromkeys(report.host for report in with_feed)
    feeds = [f"http://{host}/{name}.rss" for host in hosts]
    return flashpoint | ({"feeds": feeds} if feeds else {})
