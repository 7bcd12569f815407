"""/api/v1/events: new documents, stories and alarms as server-sent events, read from rows.

A client that comes back with Last-Event-ID goes on where it was, also at another server. It gets an id at once, before the first
event, so that one that got nothing misses nothing either. A row may be committed a little later than its time says, so the last
seconds are read again: after a reconnection an event may come twice, never not at all.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import msgspec
from fastapi import Query
from starlette.requests import Request
from starlette.responses import StreamingResponse

from headwater.model.errors import Temporary
from headwater.store.reads.events import EVENT_KINDS, ChangeEvent, read_events
from headwater.text.dates import parse_iso_date
from headwater.web.context import WebContext, context_of
from headwater.web.problems import HttpProblem
from headwater.web.rest.listing import RecipeParameter, chosen_recipes
from headwater.web.rest.routing import api_router, described

router = api_router("/events", "events")
LOOK_BACK = timedelta(seconds=30)
MOST_AT_ONCE = 1_000
MOST_REMEMBERED = 20_000
MOST_STREAMS = 200
READ_SECONDS = 1.0
COMMENT_EVERY = 15
# A little time is added or taken away, and the zone is changed.
EARLIEST, LATEST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
EventKindName = Literal["document", "story", "alarm"]


@dataclass
class EventStream:
    """What one client still has to get after its `position`. `since` moves with the events; `sent` remembers those of the last
    seconds."""

    context: WebContext
    kinds: Sequence[str]
    recipes: Sequence[str]
    position: datetime
    sent: "OrderedDict[tuple[datetime, str, str], None]" = field(default_factory=OrderedDict)
    since: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.since = self.position - LOOK_BACK

    def skip_stored(self) -> None:
        """For a client that was never here: what was stored before it came is not new to it."""
        while self.read():
            pass

    def read(self) -> list[ChangeEvent]:
        """Events that this client has not got."""
        engine = self.context.app.engine
        events = read_events(engine, self.kinds, self.recipes, self.since, MOST_AT_ONCE)
        fresh = [event for event in events if (event.at, event.kind, event.id) not in self.sent]
        for event in fresh:
            self.sent[event.at, event.kind, event.id] = None
        while len(self.sent) > MOST_REMEMBERED:
            self.sent.popitem(last=False)
        if events:
            # A full page is followed by the next one; otherwise the last seconds are read again.
            is_full = len(events) == MOST_AT_ONCE
            self.since = max(self.since, events[-1].at if is_full else events[-1].at - LOOK_BACK)
        return fresh

    async def lines(self) -> AsyncIterator[bytes]:
        """Until the client goes away or the server stops. An id without data is no event, but clients remember it."""
        yield f"retry: 2000\nid: {self.position.isoformat()}/start\n\n".encode()
        quiet_rounds = 0
        while True:
            try:
                events = await asyncio.to_thread(self.read)
            except Temporary:
                events = []  # the database is away: the client waits
            for event in events:
                yield event_lines(event)
            if self.context.stopping.is_set():
                return
            quiet_rounds = 0 if events else quiet_rounds + 1
            if quiet_rounds % COMMENT_EVERY == COMMENT_EVERY - 1:
                yield b": still here\n\n"
            if not events:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.context.stopping.wait(), READ_SECONDS)


def event_lines(event: ChangeEvent) -> bytes:
    name = f"{event.at.isoformat()}/{event.kind}/{event.id}"
    data = msgspec.json.encode(event.record).decode()
    return f"id: {name}\nevent: {event.kind}\ndata: {data}\n\n".encode()


def read_event_id(text: str) -> datetime | None:
    """The time in the id of an event; None without an id."""
    if not text:
        return None
    moment = parse_iso_date(text.partition("/")[0])
    if moment is None or not EARLIEST < moment < LATEST:
        raise HttpProblem(400, "bad_event_id", "Last-Event-ID: give the id of an event of this stream")
    return moment.astimezone(UTC)


@router.get(
    "",
    responses=described({}, "Events.", media={"text/event-stream": {"schema": {"type": "string"}}}),
    response_class=StreamingResponse,
)
async def follow_events(
    request: Request,
    recipe: RecipeParameter = "",
    kind: Annotated[list[EventKindName] | None, Query(description="Default: all.", max_length=3)] = None,
    last_event_id: Annotated[
        str, Query(alias="last-event-id", description="Instead of the header Last-Event-ID.", max_length=200)
    ] = "",
) -> StreamingResponse:
    """New documents, stories and alarms as they come, as server-sent events. With Last-Event-ID from that event on."""
    context = context_of(request)
    recipes = await asyncio.to_thread(chosen_recipes, context, recipe)
    position = read_event_id(request.headers.get("last-event-id", "") or last_event_id)
    if context.stream_count >= MOST_STREAMS:
        raise HttpProblem(503, "too_many_streams", "too many clients follow events", {"Retry-After": "10"})
    stream = EventStream(context, tuple(kind or EVENT_KINDS), recipes, position or context.app.clock())
    if position is None:
        await asyncio.to_thread(stream.skip_stored)

    async def counted() -> AsyncIterator[bytes]:
        context.stream_count += 1
        try:
            async for line in stream.lines():
                yield line
        finally:
            context.stream_count -= 1

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(counted(), media_type="text/event-stream", headers=headers)
