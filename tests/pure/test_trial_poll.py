"""A trial poll sends few requests, waits for its turn, and fails with a sentence."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.poll_sessions import make_source

from headwater.model.errors import Permanent
from headwater.model.http import Failure, Request, Response
from headwater.model.recipe import Discovery, LeadBatch, PollSession
from headwater.model.source import Lead, Source
from headwater.ops import trial_poll
from headwater.ops.trial_poll import MOST_REQUESTS, TrialPoll, poll_on_trial

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
Answer = Callable[[Request], Response | Failure]


class TableFetcher:
    """Answers at once."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.sent, self.outbox = answer, list[str](), list[tuple[str, Any]]()

    def submit(self, key: str, request: Request) -> None:
        self.sent.append(request.url)
        self.outbox.append((key, self.answer(request)))

    def collect(self, limit: int, wait: timedelta) -> list[tuple[str, Any]]:
        del limit, wait
        return [self.outbox.pop()]

    def close(self) -> None:
        return


def listing(leads_per_page: int) -> Callable[[Source, datetime], PollSession]:
    def discover(source: Source, now: datetime) -> PollSession:
        del now
        for page in range(100):
            yield Request(url=f"{source.url}{page}")
            yield LeadBatch(tuple(Lead(identity=f"{page}-{n}", url="") for n in range(leads_per_page)))
        return Discovery()

    return discover


def poll(
    discover: Any, answer: Answer, make_fetcher: Callable[[Answer], TableFetcher] = TableFetcher
) -> tuple[TrialPoll, TableFetcher]:
    fetcher = make_fetcher(answer)
    app: Any = SimpleNamespace(clock=lambda: NOW, fetcher=lambda: fetcher)
    return poll_on_trial(app, make_source("pages"), discover, timedelta(seconds=2)), fetcher


def page(request: Request) -> Response:
    return Response(url=request.url, status=200, headers={}, body=b"x")


@pytest.mark.parametrize(("per_page", "requests"), [(3, 2), (9, 1), (0, MOST_REQUESTS)])
def test_a_long_listing_is_only_begun(per_page: int, requests: int):
    trial, fetcher = poll(listing(per_page), page)
    assert (len(fetcher.sent), len(trial.leads), trial.is_complete) == (requests, requests * per_page, False)


def test_a_request_waits_for_the_rate_limit_of_its_host(monkeypatch: pytest.MonkeyPatch):
    pauses, answers = list[float](), [Failure("rate_limited", delay=timedelta(seconds=0.7))]
    monkeypatch.setattr(trial_poll.time, "sleep", pauses.append)
    trial, _ = poll(listing(9), lambda request: answers.pop() if answers else page(request))
    assert (pauses, len(trial.leads)) == ([0.7], 9)


def test_a_source_that_cannot_be_reached_fails_with_a_sentence():
    with pytest.raises(Permanent, match="its host is not found"):
        poll(listing(1), lambda _: Failure("dns", "no such name"))
    with pytest.raises(Permanent, match="it answers with status 404"):
        poll(listing(1), lambda request: Response(url=request.url, status=404, headers={}, body=b"x"))


def test_the_late_answer_to_a_request_that_was_given_up_is_not_taken_for_that_to_the_next():
    class SlowFetcher(TableFetcher):
        """The first answer comes only with the second."""

        def collect(self, limit: int, wait: timedelta) -> list[tuple[str, Any]]:
            del limit, wait
            return [self.outbox.pop(0)] if len(self.sent) > 1 else []

    def discover(source: Source, now: datetime) -> PollSession:
        del now
        with pytest.raises(Permanent, match="timeout"):
            yield Request(url=f"{source.url}slow")
        answer = yield Request(url=f"{source.url}fast")
        assert isinstance(answer, Response)
        return Discovery(leads=(Lead(identity=answer.url, url=answer.url),))

    trial, _ = poll(discover, page, SlowFetcher)
    assert [lead.url.endswith("fast") for lead in trial.leads] == [True]
