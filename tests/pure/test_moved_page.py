"""A page that moved permanently without a change: the lead still gets its new URL."""

from datetime import UTC, datetime
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from headwater.engine.fetch import RecipeFetches
from headwater.model.http import Response
from headwater.model.jobs import Job, Task
from headwater.model.page import PageMode
from headwater.model.source import Lead, StoredLead

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)
OLD, NEW = "https://old.example/a", "https://new.example/a"
BODY = b"<p>The same words as before.</p>"


@pytest.mark.parametrize(("status", "body"), [(304, b""), (200, BODY)])
def test_an_unchanged_page_that_moved_gets_its_new_url(status: int, body: bytes):
    recipe = SimpleNamespace(page_mode=lambda _kind, _setting: PageMode.REQUIRE)
    context: Any = SimpleNamespace(
        fetcher=object(), clock=lambda: NOW, log=structlog.get_logger(), recipe=lambda _job: recipe
    )
    fetches = RecipeFetches(context, Job("trial", Task.FETCH))
    lead = Lead(identity="a", url=OLD, version="v1")
    stored = StoredLead(
        id="l",
        recipe="trial",
        source="s",
        document="d",
        lead=lead,
        attempts=1,
        sha256=sha256(BODY).hexdigest(),
    )
    fetches.leads["l"] = stored
    fetches.handle_answer("l", Response(url=NEW, status=status, headers={}, body=body, hops=((301, OLD),)))
    (result,) = fetches.results
    assert (result.result, result.moved_to) == (None, NEW)
