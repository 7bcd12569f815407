"""What can be chosen for a single run of this recipe: its tier and its day."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from headwater.model.errors import Refused
from headwater.model.run_options import RunOptions
from headwater.text.dates import parse_day


class FlashpointRun(msgspec.Struct, frozen=True):
    """`target_date`: the day table to read instead of the newest."""

    tier: Literal["A", "B", "C"] | None = None
    target_date: str | None = None


def run_overrides(request: FlashpointRun) -> dict[str, str]:
    overrides: dict[str, str] = {} if request.tier is None else {"tier": request.tier}
    if request.target_date:
        day = parse_day(request.target_date)
        if day is None:
            raise Refused("bad_option", "give target_date as YYYY-MM-DD, or leave it out")
        overrides["target_date"] = day.isoformat()
    return overrides


def describe_run(options: Mapping[str, Any], now: datetime) -> dict[str, str]:
    """Without a day in the options, a run is one of today."""
    day = parse_day(str(options.get("target_date") or "")) or now.date()
    return {"tier": str(options.get("tier", "A")), "target_date": day.isoformat()}


RUN_OPTIONS = RunOptions(
    request=FlashpointRun,
    overrides=run_overrides,
    describe=describe_run,
    filters={"date": "target_date"},
    labels={"tier": "pipeline_tier"},
)
