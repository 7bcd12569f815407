"""Pages for people who operate an installation."""

from collections.abc import Sequence

from headwater.web.pages.forms import Action
from headwater.web.pages.operator import (
    alarms,
    api_keys,
    budgets,
    crash_trial,
    fetches,
    missing,
    overview,
    quarantine,
    replays,
    runs,
    saved_search,
    searches,
    sources,
)
from headwater.web.pages.page import Page

MODULES = (
    overview,
    sources,
    alarms,
    quarantine,
    missing,
    runs,
    replays,
    fetches,
    budgets,
    searches,
    saved_search,
    api_keys,
    crash_trial,
)
PAGES: Sequence[Page] = [page for module in MODULES for page in module.PAGES]
ACTIONS: Sequence[Action] = [action for module in MODULES for action in module.ACTIONS]
