"""Budgets: what language models cost by day, and how many requests went to each kind of source."""

from datetime import timedelta
from typing import Any

from starlette.requests import Request

from headwater.store.reads.request_counts import requests_by_kind
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page

DAYS = 30
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def load_budgets(request: Request, context: WebContext) -> dict[str, Any]:
    del request
    app, now = context.app, context.app.clock()
    summaries = app.settings.summaries
    budgets = app.settings.budgets
    kinds = requests_by_kind(app.engine, now - HOUR)
    names = sorted({*budgets, *(row["kind"] for row in kinds)})
    by_kind = {row["kind"]: row for row in kinds}
    return {
        "has_model": bool(summaries.endpoint),
        "model": summaries.model,
        "daily_budget": summaries.daily_budget,
        "spent": app.summaries.spent_since(now - DAY),
        "days": app.summaries.cost_by_day(now - timedelta(days=DAYS)),
        "requests": [
            {
                "kind": name,
                "last_hour": by_kind[name]["count"] if name in by_kind else 0,
                "busiest_minute": by_kind[name]["busiest_minute"] if name in by_kind else 0,
                "per_minute": budgets.get(name) or None,
            }
            for name in names
        ],
    }


PAGES = (Page(path="/operate/budgets", template="operator/budgets.html", load=load_budgets),)
ACTIONS: tuple[Action, ...] = ()
