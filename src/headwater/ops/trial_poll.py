"""A trial poll of a source: what its kind would list now. Nothing is stored, and a long listing is only begun."""

import time
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from headwater.app import App
from headwater.extract.sandbox.sandboxed import parse_in_sandbox
from headwater.fetch.responses import GiveUp, Retry, judge_response
from headwater.fetch.source_secrets import hide_secret_values, resolve_request
from headwater.model.errors import HeadwaterError, Permanent
from headwater.model.http import RATE_LIMITED, Failure, Request, Response
from headwater.model.ports import Fetcher
from headwater.model.recipe import Discover, Discovery, LeadBatch, Parse
from headwater.model.source import Lead, Source
from headwater.ops.feed_check import open_fetcher
from headwater.ops.source_detection import failure_sentence

ENOUGH_LEADS = 5
MOST_REQUESTS = 5
SHORTEST_PAUSE = 0.1
WAIT_FOR_TURN = timedelta(seconds=20)
"""How long a request may wait for the rate limit of its host before it is sent."""
UNUSABLE = {
    "html_instead": "it is a web page; give the address of its feed",
    "empty": "its answer is empty",
}


@dataclass(frozen=True, slots=True)
class TrialPoll:
    """`is_complete`: the poll came to its end; otherwise the source lists more than these leads."""

    leads: tuple[Lead, ...]
    warnings: tuple[str, ...] = ()
    is_complete: bool = True


def poll_on_trial(app: App, source: Source, discover: Discover, within: timedelta) -> TrialPoll:
    """Poll the source as the engine would, but send a further request only while few leads are known. Raises what the poll
    raises; a failed request has a sentence for people as its detail."""
    session, leads, requests = discover(source, app.clock()), list[Lead](), 0
    answer: Any = None
    with open_fetcher(app) as fetcher:
        try:
            while True:
                item = session.throw(answer) if isinstance(answer, HeadwaterError) else session.send(answer)
                if isinstance(item, LeadBatch):
                    leads += item.leads
                    answer = None
                elif isinstance(item, Parse):
                    answer = _parse(item)
                elif len(leads) >= ENOUGH_LEADS or requests >= MOST_REQUESTS:
                    session.close()
                    return TrialPoll(tuple(leads), is_complete=False)
                else:
                    requests += 1
                    answer = _answer(app, fetcher, source, item, within, key=f"{requests} {item.url}")
        except StopIteration as end:
            discovery: Discovery = end.value
            return TrialPoll((*leads, *discovery.leads), discovery.warnings)


def _parse(parse: Parse) -> Any:
    try:
        return parse_in_sandbox(parse)
    except HeadwaterError as error:  # raised into the session, as the engine does
        return error


def _answer(
    app: App, fetcher: Fetcher, source: Source, request: Request, within: timedelta, *, key: str
) -> Response | HeadwaterError:
    """The answer to one request of a session. What the engine would try again later is a failure here."""
    sent = resolve_request(replace(request, timeout=within), source)
    answer = hide_secret_values(_send(fetcher, key, sent, max(WAIT_FOR_TURN, within * 2)), request, sent)
    verdict = judge_response(
        answer, attempts=0, now=app.clock(), purpose=request.purpose, accept=request.accept
    )
    if isinstance(answer, Failure):
        return Permanent(answer.reason, failure_sentence(request.url, answer))
    if isinstance(verdict, Retry | GiveUp):
        return Permanent(
            verdict.reason, UNUSABLE.get(verdict.reason) or f"it answers with status {answer.status}"
        )
    return answer


def _send(fetcher: Fetcher, key: str, request: Request, longest: timedelta) -> Response | Failure:
    """The answer, however long the rate limit of the host holds the request back, within reason."""
    deadline = time.monotonic() + longest.total_seconds()
    while True:
        fetcher.submit(key, request)
        answer = _collect(fetcher, key, longest)
        pause = _pause_of(answer)
        if pause is None or time.monotonic() + pause > deadline:
            return answer
        time.sleep(pause)


def _collect(fetcher: Fetcher, key: str, longest: timedelta) -> Response | Failure:
    """The answer to this request. An earlier one that was given up is still in flight, and its answer may come first."""
    deadline = time.monotonic() + longest.total_seconds()
    while answers := fetcher.collect(1, timedelta(seconds=max(deadline - time.monotonic(), 0))):
        for answered_key, answer in answers:
            if answered_key == key:
                return answer
    return Failure("timeout", "no answer in time")


def _pause_of(answer: Response | Failure) -> float | None:
    if isinstance(answer, Response) or answer.reason != RATE_LIMITED:
        return None
    return max(answer.delay.total_seconds(), SHORTEST_PAUSE) if answer.delay else 1.0
