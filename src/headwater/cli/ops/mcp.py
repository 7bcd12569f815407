"""`headwater mcp`."""

import asyncio

import typer

from headwater.cli.environment import open_app
from headwater.cli.ops.serve import missing_extra
from headwater.cli.options import single_command
from headwater.logs import configure_logs


def mcp_command(context: typer.Context) -> None:
    """Offer the documents of this installation to a language model over MCP, on standard input and output.

    For programs that start their tools themselves, such as assistants on this machine. Others use /mcp of `headwater serve`.
    Nothing can be changed. Needs headwater[web].
    """
    try:
        from headwater.web.mcp.server import make_mcp_server  # noqa: PLC0415 - needs the extra `web`
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    app = open_app(context)
    configure_logs(app.settings.log, app.settings.log_level)  # to standard error: standard output is for MCP
    asyncio.run(make_mcp_server(app).run_stdio_async())


app = single_command(mcp_command)
