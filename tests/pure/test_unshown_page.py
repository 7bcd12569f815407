"""A page that a browser could not show either keeps the reason for which it was sent there."""

from datetime import UTC, datetime
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from headwater.engine.fetch import RecipeFetches
from headwater.model.http import Failure, Response
from headwater.model.jobs import Job, Task
from headwater.model.page import PageMode
from headwater.model.source import Lead, StoredLead

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
URL, BODY = "https://wire.example/a", b"<p>Accept cookies?</p>"


@pytest.mark.parametrize(
    "answer",
    [
        Failure("js_required", "no browser", temporary=False),
        Response(url=URL, status=200, headers={}, body=BODY),
    ],
    ids=["no browser", "the same bytes"],
)
def test_g7_a_consent_wall_stays_one_without_a_browser(answer: Response | Failure):
    recipe = SimpleNamespace(page_mode=lambda _kind, _setting: PageMode.TRY)
    context: Any = SimpleNamespace(
        fetcher=object(), clock=lambda: NOW, log=structlog.get_logger(), recipe=lambda _job: recipe
    )
    fetches = RecipeFetches(context, Job("trial", Task.FETCH))
    fetches.leads["l"] = StoredLead(
        id="l",
        recipe="trial",
        source="s",
        document="d",
        lead=Lead(identity="a", url=URL, version="v1", title="A title"),
        attempts=1,
        sha256=sha256(BODY).hexdigest(),
        render=True,
        render_reason="consent",
    )
    fetches.handle_answer("l", answer)
    (result,) = fetches.results
    assert result.no_page == "consent"
