"""REST: documents, captures, explanations, stories, sources and operations, page by page, in every form."""

import asyncio
import csv
import io
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any

import feedparser
import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree
from starlette.testclient import TestClient
from tests.support.api_installation import KEY, WITH_KEY, api_client, fill, installation, page_of
from tests.support.deadline import DEADLINE
from tests.support.scene import RECIPE
from tests.support.web_client import client_of, refuse_runs

from headwater.archive.row_files import write_csv, write_parquet
from headwater.web.head_requests import HeadRequests
from headwater.web.rest.forms import same_columns
from headwater.web.security.layers import Receive, Scope, Send
from headwater.web.serving import make_context

STORY = "5" * 40


@dataclass
class Api:
    client: TestClient
    ids: list[str]

    def __call__(self, path: str, status: int = 200, **options):
        answer = self.client.get(f"/api/v1{path}", **options)
        assert answer.status_code == status, (path, answer.text)
        return answer.json() if status == 200 else answer


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with installation(tmp_path_factory.mktemp("api")) as app:
        ids = fill(app)
        with api_client(app) as client:
            yield Api(client, ids)


def test_a_list_is_read_page_by_page_with_opaque_cursors(api: Api):
    first = api("/documents?limit=2")
    assert [row["id"] for row in first["items"]] == [api.ids[2], api.ids[1]]
    second = api(f"/documents?limit=2&cursor={first['next']}")
    assert [row["id"] for row in second["items"]] == [api.ids[0]]
    assert second["next"] is None
    published = api("/documents?sort=published&limit=1")
    assert published["items"][0]["id"] == api.ids[0]
    assert api("/documents?sort=published&since=2026-11-13T08:30Z")["items"][0]["id"] == api.ids[0]
    assert "text" not in first["items"][0]


def test_a_search_returns_passages_page_by_page(api: Api):
    first = api("/search?q=harbour&limit=1&facet=language")
    second = api(f"/search?q=harbour&limit=1&cursor={first['next']}")
    assert (first["total"], first["word_total"], first["facets"]["language"]) == (2, 2, {"en": 2})
    assert api("/search?q=harbour&language=es")["items"] == []
    assert api("/search?q=x&facet=colour", 400).json()["type"].endswith("bad_facet")
    assert {page["items"][0]["id"] for page in (first, second)} == set(api.ids[:2])
    assert second["next"] is None
    assert "snippet" in first["items"][0]


def test_a_search_without_a_query_lists_the_newest_documents(api: Api):
    newest = [row["id"] for row in api("/search?q=*")["items"]]
    assert len(newest) == len(api.ids)
    for query in ("", "?q=", "?q=%20"):
        assert [row["id"] for row in api(f"/search{query}")["items"]] == newest


def test_filters_choose_documents(api: Api):
    source = api("/documents?limit=1")["items"][0]["source_id"]
    assert len(api(f"/documents?source={source}&recipe={RECIPE}&language=en")["items"]) == 3
    assert len(api(f"/documents?story={STORY}")["items"]) == 2
    assert api("/documents?state=dropped&state=aside")["items"] == []
    assert api("/documents?language=xx")["items"] == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/documents?colour=red", "unknown_parameter"),
        ("/documents?limit=0", "bad_request"),
        ("/documents?cursor=nonsense", "bad_cursor"),
        ("/documents?cursor=WyJzdG9yaWVzLyIsIjIwMjYtMTEtMTNUMDk6MDA6MDBaIiwieCJd", "bad_cursor"),
        ("/documents?fields=colour", "unknown_field"),
        ("/documents?since=soon", "bad_moment"),
        ("/documents?state=lost", "bad_request"),
    ],
)
def test_what_is_wrong_is_said_as_problem_details(api: Api, path: str, reason: str):
    answer = api(path, 400)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:headwater:problem:{reason}"
    assert (problem["status"], bool(problem["detail"])) == (400, True)


def test_what_is_not_there_is_404(api: Api):
    for path in (
        "/documents/unknown",
        "/nothing",
        "/stories/x",
        "/captures/x/body",
        "/documents.xls",
        "/alarms/x",
    ):
        assert api(path, 404).json()["status"] == 404
    assert api("/documents?recipe=unknown", 404).json()["type"].endswith("unknown_recipe")


def test_fields_are_chosen_and_unchanged_answers_are_not_sent_again(api: Api):
    assert set(api("/documents?fields=id,text")["items"][0]) == {"id", "text"}
    path = f"/api/v1/documents/{api.ids[0]}?fields=title"
    first = api.client.get(path)
    again = api.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_every_list_has_every_form(api: Api):
    rows = list(csv.DictReader(io.StringIO(api.client.get("/api/v1/documents.csv?fields=id,title").text)))
    assert [row["id"] for row in rows] == api.ids[::-1]
    table = pyarrow.parquet.read_table(io.BytesIO(api.client.get("/api/v1/documents.parquet").content))
    assert table.column("id").to_pylist() == api.ids[::-1]
    by_header = api.client.get(
        "/api/v1/documents", headers={"Accept": "text/csv;q=0.5, application/atom+xml"}
    )
    assert by_header.headers["content-type"].startswith("application/atom+xml")
    described = api("/openapi.json")["paths"]
    names = {path.removeprefix("/api/v1/") for path, parts in described.items() if _is_list(parts)}
    assert len(names) > 20
    values = {"document": api.ids[0], "story": STORY, "recipe": RECIPE, "source": source_of(api)}
    for name in sorted(names - {"replays/{replay}/items", "queues/{queue}/items"}):
        path = name.format(**values) + ".{extension}" + ("?q=harbour" if name == "search" else "")
        for extension in ("json", "csv", "parquet", "atom", "rss", "jsonfeed"):
            answer = api.client.get(f"/api/v1/{path.format(extension=extension)}")
            assert answer.status_code == 200, (path, extension, answer.text)
            if extension in ("atom", "rss"):
                assert not feedparser.parse(answer.content).bozo, path


def _is_list(operations) -> bool:
    """A GET that answers with `items`."""
    content = operations.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    is_form = any(part["name"] == "format" for part in operations.get("get", {}).get("parameters", ()))
    return "items" in schema.get("properties", ()) and not is_form


def source_of(api: Api) -> str:
    return api("/sources")["items"][0]["id"]


def test_rows_with_other_fields_than_the_first_stay_in_their_columns():
    file = io.BytesIO()
    rows = [{"a": 1, "b": [{"c": 2}]}, {"a": 0.5, "d": "x"}]
    write_csv(same_columns(rows), file)
    assert list(csv.reader(io.StringIO(file.getvalue().decode()))) == [
        ["a", "b", "d"],
        ["1", '[{"c":2}]', ""],
        ["0.5", "", "x"],
    ]
    write_parquet(same_columns(rows), file := io.BytesIO())
    assert pyarrow.parquet.read_table(file).to_pylist() == [
        {"a": 1.0, "b": '[{"c":2}]', "d": None},
        {"a": 0.5, "b": None, "d": "x"},
    ]


def test_head_answers_like_get_without_the_body(api: Api):
    for path in ("/api/v1/documents?limit=1", "/api/v1/stories.atom", "/healthz", "/api/v1/documents/x"):
        whole, head = api.client.get(path), api.client.head(path)
        assert (head.status_code, head.content) == (whole.status_code, b""), path
        for name in ("content-type", "content-length", "etag"):
            assert head.headers.get(name) == whole.headers.get(name), (path, name)
    # A stream has no end: its head is all.
    assert api.client.head("/api/v1/events").headers["content-type"].startswith("text/event-stream")
    assert api.client.head("/mcp").status_code in (200, 405, 406)


def test_the_head_of_a_stream_that_has_no_bytes_yet_is_answered_at_once():
    sent: list[str] = []

    async def silent_stream(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await receive())["type"] != "http.disconnect":
            pass

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message["type"])

    async def receive() -> MutableMapping[str, Any]:
        raise AssertionError("the client has nothing to say")

    scope = {"type": "http", "method": "HEAD"}
    asyncio.run(asyncio.wait_for(HeadRequests(silent_stream)(scope, receive, send), DEADLINE))
    assert sent == ["http.response.start", "http.response.body"]


def test_any_etag_means_what_is_there(api: Api):
    path = f"/api/v1/documents/{api.ids[0]}"
    assert api.client.get(path, headers={"If-None-Match": "*"}).status_code == 304
    assert api.client.get("/api/v1/documents/x", headers={"If-None-Match": "*"}).status_code == 404


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=20), st.floats(allow_nan=False),
    st.sampled_from(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", 10**30, "2026-11-13T09:00:00Z", "a\x00b"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["documents/created", "revisions/", "stories/"]), values=st.lists(VALUES, max_size=4)
)
@example(name="documents/created", values=["0001-01-01T00:00:00+14:00", "x"])
@example(name="revisions/", values=[10**30])
@example(name="documents/created", values=["2026-11-13T09:00:00Z", "a\x00b"])
def test_a_cursor_that_somebody_made_is_refused_or_read_and_never_a_mistake_of_ours(api: Api, name, values):
    cursor = urlsafe_b64encode(json.dumps([name, *values]).encode()).decode()
    path = f"documents/{api.ids[0]}/revisions" if name == "revisions/" else name.partition("/")[0]
    assert api.client.get(f"/api/v1/{path}?cursor={cursor}").status_code in (200, 400)


@pytest.mark.parametrize("cursor", ["x", "é", "c2VhcmNo", "c2VhcmNoIGFiYw", "!!!!"])
def test_a_wrong_cursor_of_a_search_is_refused(api: Api, cursor: str):
    assert api(f"/search?q=harbour&cursor={cursor}", 400).json()["type"].endswith("bad_cursor")


@pytest.mark.parametrize("extension", ["atom", "rss"])
def test_feeds_are_well_formed_and_carry_text_as_text(api: Api, extension: str):
    answer = api.client.get(f"/api/v1/documents.{extension}?limit=2&story={STORY}")
    etree.fromstring(answer.content)
    feed = feedparser.parse(answer.content)
    assert not feed.bozo
    assert [entry.id for entry in feed.entries] == [f"urn:headwater:document:{key}" for key in api.ids[1::-1]]
    assert "<script" not in answer.text
    assert feed.feed.title


def test_a_json_feed_has_its_version_and_the_next_page(api: Api):
    record = api("/documents.jsonfeed?limit=1")
    assert record["version"] == "https://jsonfeed.org/version/1.1"
    assert record["next_url"].startswith("http://127.0.0.1/api/v1/documents.jsonfeed?limit=1&cursor=")
    assert record["items"][0]["id"] == f"urn:headwater:document:{api.ids[2]}"


def test_links_use_the_public_address_whether_a_proxy_removes_its_path_or_not(tmp_path):
    with installation(tmp_path) as app:
        fill(app)
        context = make_context(app, refuse_runs, settings_key=KEY, public_url="https://news.example/news/")

        async def ask() -> list[str]:
            async with client_of(context, base_url="http://news.example", prefix="/news") as client:
                paths = ("/api/v1/documents.jsonfeed?limit=1", "/news/api/v1/documents.jsonfeed?limit=1")
                answers = [await client.get(path, headers=WITH_KEY) for path in paths]
                assert (await client.get(paths[0])).status_code == 401
                # A proxy on this machine that adds no header looks like a local caller.
                assert (await client.get(paths[0], headers={"Host": "127.0.0.1"})).status_code == 401
                return [answer.json()["next_url"] for answer in answers]

        links = asyncio.run(ask())
        assert links[0] == links[1]
        assert links[0].startswith("https://news.example/news/api/v1/documents.jsonfeed?limit=1&cursor=")


def test_a_field_is_explained_by_the_place_in_the_captured_bytes(api: Api):
    evidence = api(f"/documents/{api.ids[1]}/fields/text")
    assert evidence["origin"] == "html body"
    body = api.client.get(f"/api/v1/captures/{evidence['capture']['id']}/body")
    assert body.content == page_of("harbour-talks")
    assert body.headers["content-security-policy"].startswith("sandbox")
    assert body.headers["content-disposition"] == "attachment"
    passage = evidence["passage"]
    assert body.content[passage["start"] : passage["end"]] == b"The text <b>of</b>\n harbour-talks."
    assert api(f"/documents/{api.ids[1]}/fields/colour", 404)
    assert api(f"/documents/{api.ids[1]}/explanation")["source"]["name"] == "Wire"
    assert len(api(f"/documents/{api.ids[1]}/captures")["items"]) == 1
    assert api(f"/captures/{evidence['capture']['id']}")["status"] == 200


def test_stories_have_documents_and_a_timeline(api: Api):
    story = api(f"/stories/{STORY}")
    assert [row["id"] for row in story["documents"]] == [api.ids[1], api.ids[0]]
    assert len(api(f"/stories/{STORY}/timeline?limit=1")["items"]) == 1
    assert api("/stories")["items"][0]["title"] == "Harbour strike"
    assert api("/stories/top?hours=48")["items"][0]["told_by"] == 1
    history = api(f"/stories/{STORY}/history")["items"]
    assert [(row["kind"], row["document"], row["reports"]) for row in history] == [
        ("report", api.ids[0], 1),
        ("report", api.ids[1], 2),
    ]
    assert [row["new_publisher"] for row in history] == [True, False]
    assert len(api(f"/stories/{STORY}/history?until={history[1]['at'].replace('+', '%2B')}")["items"]) == 1
    assert api("/stories/x/history", 404)


def test_what_changed_in_a_story_is_answered_since_a_time(api: Api):
    changed = api(f"/stories/{STORY}/changes?since=2h")
    assert [report["id"] for report in changed["new_reports"]] == [api.ids[1], api.ids[0]]
    assert changed["reports_before"] == 0
    assert api(f"/stories/{STORY}/changes?since=90m&languages=de,en")["reports_before"] == 1
    assert api(f"/stories/{STORY}/changes?since=whenever", 400)
    assert api("/stories/x/changes", 404)


def test_sources_are_listed_with_health_polls_and_as_opml(api: Api):
    (source,) = api("/sources")["items"]
    assert api(f"/sources/{source['id']}")["name"] == "Wire"
    assert len(api(f"/sources/{source['id']}/polls")["items"]) == 3
    assert api("/sources/health")["items"][0]["polls"] == 3
    opml = api.client.get("/api/v1/sources.opml")
    assert b'xmlUrl="https://wire.example/feed"' in opml.content


def test_operations_are_listed(api: Api):
    assert api("/quarantine")["items"][0]["reason"] == "too_deep"
    assert api(f"/quarantine/{api.ids[2]}")["evidence"] == {"depth": 1000}
    assert api("/alarms")["items"][0]["title"] == "Wire is silent"
    assert api("/runs")["items"] == api("/replays")["items"] == api("/queues")["items"] == []
    assert api("/recipes") == {"items": [{"name": RECIPE}], "next": None}
    assert api(f"/recipes/{RECIPE}/status")["documents"] == {"kept": 3}
    assert api(f"/recipes/{RECIPE}/subjects")["items"] == []


def test_reading_needs_a_key_unless_the_caller_is_on_this_machine(api: Api, tmp_path):
    with installation(tmp_path) as app:
        assert app.store
        with api_client(app, host="0.0.0.0", client="10.0.0.7") as client:
            assert client.get("/api/v1/documents").status_code == 401
            assert client.get("/api/v1/documents", headers=WITH_KEY).status_code == 200
            assert client.get("/healthz").status_code == 200
        with api_client(app) as client:
            assert client.get("/api/v1/openapi.json").json()["openapi"] == "3.1.0"
            assert client.post("/api/v1/quarantine/retry", json={"recipe": "x"}).status_code == 401


def test_answers_are_compressed_on_request(api: Api):
    answer = api.client.get("/api/v1/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert json.loads(answer.content)["info"]["title"] == "Headwater"
    assert (
        "access-control-allow-origin"
        not in api.client.get("/api/v1/documents", headers={"Origin": "https://evil.example"}).headers
    )
