"""`headwater agent`."""

import asyncio
import os
import socket
from typing import Annotated, Any

import aiohttp
import structlog
import typer

from headwater.app import App
from headwater.cli.environment import open_app
from headwater.cli.options import Json, single_command
from headwater.cli.render.console import console, error_console, format_count, print_json_lines
from headwater.logs import configure_logs
from headwater.model.errors import Temporary
from headwater.ops.installation_lock import check_not_moved
from headwater.runtime.extraction_agent import AgentTally, ExtractionAgent
from headwater.settings.llm import chat_url, check_endpoint, read_api_key
from headwater.stories.llm.answers import RETRY_DELAY
from headwater.stories.llm.chat import ChatClient

IDLE_SECONDS = 5.0
_log = structlog.get_logger()


def agent_command(
    context: typer.Context,
    *,
    once: Annotated[
        bool, typer.Option("--once", help="End when nothing is due; wait when the endpoint asks for it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Process the queues about which a recipe has a question with a language model.

    The agent calls the OpenAI-compatible endpoint of the setting `agent` and stores answers that fit the schema. An item
    that fails is retried after ten minutes, five times in total, and then waits for `headwater queue retry`.
    """
    app = open_app(context)
    agent = make_agent(app)
    configure_logs(app.settings.log, app.settings.log_level)
    if not once:
        error_console().print("Processing the queues until Ctrl-C.", style="dim")
    asyncio.run(run_agent(app, agent, once=once, as_json=as_json))


def make_agent(app: App) -> ExtractionAgent:
    """The agent of the settings; Refused without an endpoint."""
    endpoint = check_endpoint(app.settings.agent)
    chat = ChatClient(
        address=chat_url(endpoint),
        model=endpoint.model,
        clock=app.clock,
        key=read_api_key(endpoint),
        seconds=endpoint.seconds,
        options=endpoint.options,
    )
    return ExtractionAgent(
        queues=app.queues,
        questions=app.questions,
        chat=chat,
        owner=f"{socket.gethostname()}:{os.getpid()}",
        max_calls=endpoint.max_calls,
        concurrency=endpoint.concurrency,
    )


async def run_agent(app: App, agent: ExtractionAgent, *, once: bool, as_json: bool) -> None:
    """Until cancelled, or until the environment was moved."""
    async with agent.chat.session() as session:
        while True:
            await asyncio.to_thread(check_not_moved, app)
            if once:
                _report_once(await agent.drain_patiently(session), agent.count_waiting(), as_json=as_json)
                return
            tally = await _drain(agent, session)
            if tally:
                _print_tally(tally, as_json=as_json)
            await asyncio.sleep(max(tally.wait.total_seconds(), IDLE_SECONDS))


async def _drain(agent: ExtractionAgent, session: aiohttp.ClientSession) -> AgentTally:
    """Queues that are unavailable are tried again later."""
    try:
        return await agent.drain(session)
    except Temporary as error:
        _log.warning("queues unavailable", reason=error.reason, detail=error.detail)
        return AgentTally(wait=error.delay or RETRY_DELAY)


def _report_once(tally: AgentTally, left: int, *, as_json: bool) -> None:
    """The exit code is 1 if items are left because the endpoint wants to be left alone."""
    _print_tally(tally, as_json=as_json, left=left)
    if tally.wait and left:
        message = f"the endpoint wants to be left alone for {tally.wait.total_seconds():.0f} s"
        error_console().print(f"headwater: {format_count(left, 'item')} left: {message}.", soft_wrap=True)
        raise typer.Exit(1)


def _print_tally(tally: AgentTally, *, as_json: bool, left: int | None = None) -> None:
    record: dict[str, Any] = {
        "done": tally.done,
        "failed": tally.failed,
        "postponed": tally.postponed,
        "wait_seconds": tally.wait.total_seconds(),
    }
    if left is not None:
        record["left"] = left
    if as_json:
        print_json_lines([record])
    else:
        remaining = "" if left is None else f", {left} left"
        console().print(
            "{done} done, {failed} failed, {postponed} postponed".format(**record) + f"{remaining}."
        )


app = single_command(agent_command)
