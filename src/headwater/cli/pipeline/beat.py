"""`headwater beat`."""

from contextlib import closing, suppress
from typing import Annotated

import typer

from headwater.cli.environment import make_app
from headwater.cli.options import Quiet, RecipesFilter, single_command
from headwater.cli.pipeline.work import wait_for_recipes
from headwater.cli.render.console import error_console
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.ops.installation_lock import worker_lock
from headwater.ops.system_rules import BEAT_ROLE
from headwater.runtime.heartbeat import heartbeat
from headwater.runtime.worker_loop import StopSignal, retry_until_available


def beat(
    context: typer.Context,
    *,
    recipe: RecipesFilter = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="End when nothing is due within 15 seconds.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Check every second what is due, and notify the workers of a cluster.

    Registers the sources of the recipes that are named, here or in the settings, also when a list changes; without names
    it also serves all others that have sources here.
    Several beats can run: one leads, and another takes over when it ends. Needs the extra `cluster` and the setting `redis`.
    """
    from headwater.runtime.celery.beat import Beat, run_beat  # noqa: PLC0415 - needs the extra `cluster`
    from headwater.runtime.celery.broker import broker_address  # noqa: PLC0415 - as above
    from headwater.runtime.celery.hints import HintSender  # noqa: PLC0415 - as above

    app = make_app(context)
    hints = HintSender(broker_address(app.settings))
    log = configure_logs(app.settings.log, app.settings.log_level)
    with worker_lock(app), closing(hints):
        names = retry_until_available(lambda: wait_for_recipes(app, recipe), log)
        if not quiet:
            error_console().print(f"Scheduling {', '.join(names)} until Ctrl-C.", style="dim")
        stop, leader = StopSignal(child=False), Beat(app, names, hints)
        with heartbeat(app, BEAT_ROLE):
            run_beat(leader, stop.is_set, until_idle=until_idle)
        with suppress(Temporary):  # otherwise its lease expires
            leader.resign()


app = single_command(beat)
