"""`headwater keys`."""

from typing import Annotated, Literal

import typer

from headwater.cli.environment import open_app
from headwater.cli.options import Json, command_group
from headwater.cli.render.console import (
    cell,
    console,
    error_console,
    format_time,
    print_json,
    print_json_lines,
    table,
)
from headwater.model.api_key import KeyScope
from headwater.ops.api_keys import create_api_key

app = command_group("Create, list and revoke keys for the HTTP API.")


@app.command("create")
def create_key(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who or what uses it.")],
    scope: Annotated[
        Literal["read", "operate", "admin"],
        typer.Option(
            help="read; operate: also runs, queues, quarantine, replays; admin: also sources and their addresses."
        ),
    ] = "read",
    as_json: Json = False,
) -> None:
    """Create a key and print it. It is shown only now: the installation stores a hash of it."""
    key, text = create_api_key(open_app(context), name, KeyScope[scope.upper()])
    if as_json:
        print_json({"id": key.id, "name": key.name, "scope": scope, "key": text})
        return
    error_console().print("Keep it safe; it is not shown again.", style="dim")
    typer.echo(text)


@app.command("list")
def list_keys(context: typer.Context, as_json: Json = False) -> None:
    """List the keys with their scopes, without their secrets."""
    keys = open_app(context).api_keys.list_keys()
    if as_json:
        print_json_lines(
            {
                "id": key.id,
                "name": key.name,
                "scope": key.scope.label,
                "created_at": key.created_at,
                "revoked_at": key.revoked_at,
            }
            for key in keys
        )
        return
    listing = table("id", "name", "scope", "created", "revoked", flexible="name")
    for key in keys:
        listing.add_row(
            cell(key.id, "cyan"),
            cell(key.name),
            cell(key.scope.label),
            format_time(key.created_at),
            format_time(key.revoked_at) if key.revoked_at else "",
        )
    console().print(listing if keys else "No keys yet. Create one with `headwater keys create NAME`.")


@app.command("revoke")
def revoke_key(
    context: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The id or the name of a key.")],
    as_json: Json = False,
) -> None:
    """Revoke a key: from now on it opens nothing."""
    app = open_app(context)
    revoked = app.api_keys.revoke(key, app.clock())
    if as_json:
        print_json({"id": revoked.id, "name": revoked.name, "revoked_at": revoked.revoked_at})
    else:
        console().print(cell(f"Revoked {revoked.name} ({revoked.id})."))
