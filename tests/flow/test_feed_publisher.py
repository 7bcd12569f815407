"""WebSub publishing: a hub is told which feeds changed, and those feeds name it."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import parse_qsl

import feedparser
import msgspec
import pytest
from tests.support.api_installation import KEY, NOW, WITH_KEY, fill, installation
from tests.support.scene import Scene
from tests.support.web_client import LOCAL, client_of, refuse_runs

from headwater.app import App
from headwater.model.http import Failure, Request, Response
from headwater.store.schema.flow import documents
from headwater.web.feed_publisher import FeedPublisher, is_published
from headwater.web.serving import make_context

HUB = "https://hub.example/"
BASE = "https://news.example"


class HubDouble:
    """A fetcher that only reaches the hub; it fails as often as it is told."""

    def __init__(self) -> None:
        self.failing = 0
        self.topics: list[list[str]] = []
        self.answers: list[tuple[str, Response | Failure]] = []

    def submit(self, key: str, request: Request) -> None:
        assert (request.url, request.method) == (HUB, "POST")
        fields = parse_qsl(request.body.decode())
        assert fields[0] == ("hub.mode", "publish")
        if self.failing:
            self.failing -= 1
            self.answers.append((key, Failure("connection_refused")))
            return
        self.topics.append([value for name, value in fields if name == "hub.url"])
        self.answers.append((key, Response(url=request.url, status=204, headers={}, body=b"")))

    def collect(self, limit: int, wait: timedelta) -> list[tuple[str, Response | Failure]]:
        del limit, wait
        answers, self.answers = self.answers, []
        return answers


@pytest.fixture
def app(tmp_path) -> Iterator[App]:
    with installation(tmp_path) as opened:
        fill(opened)
        vars(opened)["settings"] = msgspec.structs.replace(opened.settings, hub=HUB)
        yield opened


def test_the_hub_is_told_what_changed_and_again_after_a_failure(app: App):
    hub, publisher = HubDouble(), FeedPublisher(app, HUB, BASE)
    assert publisher.publish(hub) == 6
    assert f"{BASE}/api/v1/stories.atom" in hub.topics[-1]
    assert publisher.publish(hub) == 0
    scene = Scene(app.store, now=NOW)
    (draft,) = scene.keep("harbour-new", title="Harbour news", language="en")
    hub.failing = 1
    assert publisher.publish(hub) == 0
    assert publisher.publish(hub) == 6
    source = scene.row(documents, id=draft.id)["source_id"]
    assert hub.topics[-1] == [
        *(f"{BASE}/api/v1/documents.{form}" for form in ("atom", "rss", "jsonfeed")),
        *(f"{BASE}/api/v1/documents.{form}?source={source}" for form in ("atom", "rss", "jsonfeed")),
    ]


def test_feeds_that_are_published_name_the_hub_and_others_do_not(app: App):
    async def read(path: str, **options: str) -> bytes:
        context = make_context(app, refuse_runs, settings_key=KEY, **options)
        async with client_of(context, base_url=BASE if options else LOCAL) as client:
            return (await client.get(f"/api/v1/{path}", headers=WITH_KEY)).content

    for path, has_hub in (
        ("documents.atom", True),
        ("documents.rss", True),
        ("documents.atom?language=en", False),
    ):
        feed = feedparser.parse(asyncio.run(read(path, public_url=BASE)))
        hubs = [link.href for link in feed.feed.links if link.rel == "hub"]
        assert hubs == ([HUB] if has_hub else []), path
        assert f"{BASE}/api/v1/{path}" in [link.href for link in feed.feed.links if link.rel == "self"]
    assert HUB.encode() not in asyncio.run(read("documents.atom"))


def test_what_is_published_is_known_by_the_address():
    assert is_published("/news/api/v1/documents.atom", "source=abc")
    assert is_published("/api/v1/searches/ports/feed.rss", "")
    assert not is_published("/api/v1/searches.atom", "")
    assert not is_published("/api/v1/documents.atom", "source=a&limit=5")
    assert not is_published("/api/v1/documents/x/captures.atom", "")
