"""The words of a pipeline's runs: their names, and the dates they are for."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from hashlib import blake2b
from typing import Any

from headwater.app import App
from headwater.engine.isolation import error_reason
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.store.admin.pipeline_runs import PipelineRuns

DAY_FORMATS = ("%Y-%m-%d", "%Y%m%d")


def new_run_name(now: datetime, chance: bytes) -> str:
    """`run_YYYYmmdd_HHMMSS_` and eight hexadecimal digits."""
    return f"run_{now:%Y%m%d_%H%M%S}_{blake2b(chance, digest_size=4).hexdigest()}"


def parse_target_day(told: str | None, now: datetime) -> date | None:
    """The day that was meant; today where none is given, None for what is no day."""
    if not told:
        return now.date()
    for form in DAY_FORMATS:
        try:
            return datetime.strptime(told, form).replace(tzinfo=now.tzinfo).date()
        except ValueError:
            continue
    return None


def close_runs(app: App) -> dict[str, Any]:
    """Bring the summaries of recipes that have sources here up to date; gives their names. One that cannot be (it writes
    to a database of others that is away) holds up none of the others, and is raised at the end."""
    due = [name for name in app.catalogue.recipes() if name in app.recipes and app.recipes[name].after_run]
    closed, trouble = [], None
    for name in due:
        try:
            app.close_run(name)
            closed.append(name)
        except (Temporary, Permanent, Refused) as error:
            trouble = error
    if trouble is not None:
        raise trouble
    return {"closed": closed}


@contextmanager
def record_run(app: App, recipe: str, run: str | None = None) -> Iterator[str | None]:
    """The work inside is a run; one that somebody has begun already is named. Beside another run it is part of that
    one, and has no row of its own. What is raised inside is noted and goes on."""
    rows, now = PipelineRuns(app.store.engine), app.clock()
    own = app.settings.recipes.get(recipe)
    options = own.options if own else {}
    day = parse_target_day(str(options.get("date") or ""), now) or now.date()
    name = run or new_run_name(now, secrets.token_bytes(8))
    if run is None and not rows.begin(name, recipe, str(options.get("tier", "A")), day.isoformat(), now):
        yield None
        return
    try:
        yield name
    except BaseException as error:
        reason, detail = error_reason(error) if isinstance(error, Exception) else ("stopped", "")
        rows.finish(name, app.clock(), error=f"{reason}: {detail}".rstrip(": "))
        raise
    rows.finish(name, app.clock())
