"""`headwater agent`."""

import asyncio
import os
import socket
from typing import Annotated, Any

import aiohttp
import structlog
import typer

from headwater.app import App
from headwater.cli.opening import open_app
from headwater.cli.options import Json, verb
from headwater.cli.output import console, print_json_lines, side_console
from headwater.fetch.chat import AGAIN, Chat
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.settings.agent import address_of, checked, key_of
from headwater.worker.agent import ExtractionAgent, Tally
from headwater.worker.occupancy import look_out

IDLE_SECONDS = 5.0
_log = structlog.get_logger()


def read_for_others(
    context: typer.Context,
    *,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is due any more.")] = False,
    as_json: Json = False,
) -> None:
    """Let a language model read what waits in the queues for extraction and macro classification.

    It asks the OpenAI-compatible endpoint of the setting `agent` and stores what fits the schema; an item that it
    cannot deal with comes again after ten minutes, five times in all, and then waits for `headwater queue retry`.
    """
    opened = open_app(context)
    agent = agent_of(opened)
    configure_logs(opened.settings.log, opened.settings.log_level)
    if not once:
        side_console().print("Reading what waits in the queues until Ctrl-C.", style="dim")
    asyncio.run(keep_reading(opened, agent, once=once, as_json=as_json))


def agent_of(opened: App) -> ExtractionAgent:
    """As the settings want it, or Refused."""
    told = checked(opened.settings.agent)
    chat = Chat(
        address=address_of(told),
        model=told.model,
        clock=opened.clock,
        key=key_of(told),
        seconds=told.seconds,
        options=told.options,
    )
    return ExtractionAgent(
        queues=opened.queues,
        chat=chat,
        owner=f"{socket.gethostname()}:{os.getpid()}",
        asks=told.asks,
        at_once=told.at_once,
    )


async def keep_reading(opened: App, agent: ExtractionAgent, *, once: bool, as_json: bool) -> None:
    """Until cancelled, or until the installation has moved."""
    async with agent.chat.session() as session:
        while True:
            await asyncio.to_thread(look_out, opened)
            tally = await _drained(agent, session, once=once)
            if once or tally:
                _tell(tally, as_json=as_json)
            if once:
                return
            await asyncio.sleep(max(tally.wait.total_seconds(), IDLE_SECONDS))


async def _drained(agent: ExtractionAgent, session: aiohttp.ClientSession, *, once: bool) -> Tally:
    """Queues that cannot be asked are asked again after a while, except by who wants to be done."""
    try:
        return await agent.drain(session)
    except Temporary as trouble:
        if once:
            raise
        _log.warning("queues cannot be asked", reason=trouble.reason, detail=trouble.detail)
        return Tally(wait=trouble.delay or AGAIN)


def _tell(tally: Tally, *, as_json: bool) -> None:
    record: dict[str, Any] = {
        "done": tally.done,
        "failed": tally.failed,
        "postponed": tally.postponed,
        "wait_seconds": tally.wait.total_seconds(),
    }
    if as_json:
        print_json_lines([record])
    else:
        console().print("{done} done, {failed} failed, {postponed} postponed.".format(**record))


app = verb(read_for_others)
