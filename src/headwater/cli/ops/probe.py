"""`headwater probe`."""

from typing import Annotated

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import single_command
from headwater.cli.render.console import cell, console
from headwater.liveness import machine_id
from headwater.model.errors import Temporary
from headwater.ops.system_rules import format_age


def probe(
    context: typer.Context,
    role: Annotated[
        str | None, typer.Option(metavar="ROLE", help="Only this role, e.g. beat, network or cluster-local.")
    ] = None,
) -> None:
    """Check that a beat or worker of this machine is alive: a liveness probe for containers and services.

    The exit code is 1 if no process of this machine (or container) has had a heartbeat for 30 seconds. It is 0 while the
    database is unavailable: a restart would not help.
    """
    app = open_app(context)
    try:
        heartbeats = app.workers.heartbeats(app.clock())
    except Temporary as error:
        console().print(cell(f"Cannot tell: {error.reason}. A restart would not help."))
        return
    own = [
        beat
        for beat in heartbeats
        if beat.process.id.startswith(f"{machine_id()}:") and role in {None, beat.process.role}
    ]
    live = [beat for beat in own if beat.is_live]
    for beat in live:
        console().print(cell(f"{beat.process.role} {beat.process.pid}: heard {format_age(beat.age)} ago"))
    if not live:
        console().print(cell(f"No {role or 'beat or worker'} of this machine is alive."))
        raise typer.Exit(1)


app = single_command(probe)
