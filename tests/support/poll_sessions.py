"""Polls of sources without an engine: a table or a function answers their requests."""

from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from tests.support.deadline import LONGEST_RUN
from tests.support.environments import EnvironmentUnderTest

from headwater.app import App
from headwater.engine.context import JobContext
from headwater.model.errors import HeadwaterError, Permanent
from headwater.model.http import Request, Response
from headwater.model.keys import source_key
from headwater.model.recipe import Discover, Discovery, LeadBatch, Parse, PollSession, Recipe
from headwater.model.source import Lead, Source, Trigger
from headwater.runtime.inline import run_inline
from headwater.settings.settings import Settings

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
Answers = Callable[[Request], Response | HeadwaterError]


@dataclass
class SessionResult:
    """The result of a poll session, with the requests that it sent."""

    discovery: Discovery
    batches: list[tuple[Lead, ...]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    @property
    def leads(self) -> list[Lead]:
        return [lead for batch in self.batches for lead in batch] + list(self.discovery.leads)

    @property
    def urls(self) -> list[str]:
        return [lead.url for lead in self.leads]

    @property
    def codes(self) -> set[str]:
        return {warning.partition(" ")[0].rstrip(":") for warning in self.discovery.warnings}


def make_source(kind: str, url: str = "http://site.example/", **fields: Any) -> Source:
    return Source(
        id=source_key("trial", kind, url, "Trial"), recipe="trial", kind=kind, name="Trial", url=url, **fields
    )


def answer(
    request: Request,
    body: str | bytes = "",
    *,
    status: int = 200,
    media_type: str = "text/html",
    **headers: str,
) -> Response:
    raw = body.encode() if isinstance(body, str) else body
    response_headers = {"content-type": media_type} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return Response(
        url=request.url,
        status=status,
        headers=response_headers,
        body=raw,
        media_type=media_type.partition(";")[0],
    )


def table(
    pages: Mapping[str, str | bytes | Response | HeadwaterError], media_type: str = "text/html"
) -> Answers:
    """Answers by address; an address that is not in the table is not found."""

    def look_up(request: Request) -> Response | HeadwaterError:
        page = pages.get(request.url, Permanent("http_404", "status 404"))
        return answer(request, page, media_type=media_type) if isinstance(page, str | bytes) else page

    return look_up


def parse_here(parse: Parse) -> Any:
    """What the sandbox would answer, without a child process."""
    try:
        return parse.parser(parse.data, parse.hints)
    except HeadwaterError as error:
        return error
    except Exception as error:  # noqa: BLE001 - as at the edge of the child process
        return Permanent(f"error:{type(error).__name__}", str(error))


def run_session(session: PollSession, answers: Answers) -> SessionResult:
    result = SessionResult(Discovery())
    reply: Any = None
    try:
        while True:
            event = session.throw(reply) if isinstance(reply, HeadwaterError) else session.send(reply)
            reply = None
            if isinstance(event, LeadBatch):
                result.batches.append(event.leads)
            elif isinstance(event, Parse):
                reply = parse_here(event)
            else:
                result.requests.append(event)
                reply = answers(event)
    except StopIteration as end:
        result.discovery = end.value
    return result


@contextmanager
def context_for(
    tmp_path: Any,
    base_url: str,
    recipe: Recipe,
    clock: Callable[[], datetime] | None = None,
    environment: EnvironmentUnderTest | None = None,
):
    """A job context whose network is the demo internet."""
    environment = environment or EnvironmentUnderTest()
    settings = Settings(
        data=str(tmp_path / "data"),
        database=environment.database,
        archive=environment.archive,
        hosts={"*.example": base_url},
        requests_per_second=0,
    )
    app = App(settings) if clock is None else App(settings, clock)
    app.register(recipe)
    context = JobContext(
        owner="me",
        recipes={recipe.name: recipe},
        store=app.store,
        archive=app.archive,
        clock=app.clock,
        log=structlog.get_logger(),
        fetcher=app.fetcher(),
        sinks={},
    )
    try:
        yield app, context
    finally:
        context.fetcher.close()
        app.store.engine.dispose()


def make_recipe(discover: Discover, source: Source, **fields: Any) -> Recipe:
    from headwater.extract.html.reader import read_html

    return Recipe(
        name="trial",
        version="1",
        sources=(source,),
        discover={source.kind: discover},
        extract={"text/html": read_html},
        steps=(),
        trigger=Trigger(every=timedelta(hours=1)),
        **fields,
    )


def run(context: JobContext) -> None:
    assert run_inline(context, list(context.recipes), horizon=timedelta(seconds=5), longest=LONGEST_RUN)
