"""Every feed of the API against the rules of its format: Atom by a RELAX NG schema of RFC 4287, JSON Feed by a JSON schema, RSS by
the demands of its specification; and by a reader of feeds that reports what is not well formed."""

import json
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import feedparser
import jsonschema
import pytest
from lxml import etree
from starlette.testclient import TestClient
from tests.support.api_installation import WITH_KEY, api_client, fill, installation

ATOM = "{http://www.w3.org/2005/Atom}"
TEXT = '<optional><attribute name="type"><choice><value>text</value><value>html</value></choice></attribute></optional><text/>'
TIME = '<data type="dateTime"><param name="pattern">.+(Z|[+-][0-9]{2}:[0-9]{2})</param></data>'
SCHEMA = f"""
<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="http://www.w3.org/2005/Atom"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<start><element name="feed"><interleave>
  <ref name="head"/><zeroOrMore><ref name="entry"/></zeroOrMore>
  <optional><element name="subtitle">{TEXT}</element></optional>
</interleave></element></start>
<define name="head"><interleave>
  <element name="id"><data type="anyURI"><param name="minLength">1</param></data></element>
  <element name="title">{TEXT}</element>
  <element name="updated">{TIME}</element>
  <zeroOrMore><element name="link">
    <attribute name="href"><data type="anyURI"><param name="minLength">1</param></data></attribute>
    <optional><attribute name="rel"><data type="string"><param name="pattern">[^:/]+|.+:.+</param></data></attribute></optional>
    <optional><attribute name="type"><data type="string"><param name="pattern">.+/.+</param></data></attribute></optional>
    <empty/>
  </element></zeroOrMore>
  <zeroOrMore><element name="author"><element name="name"><data type="string"><param name="minLength">1</param></data></element></element></zeroOrMore>
  <zeroOrMore><element name="category"><attribute name="term"><data type="string"><param name="minLength">1</param></data></attribute><empty/></element></zeroOrMore>
</interleave></define>
<define name="entry"><element name="entry"><interleave>
  <ref name="head"/>
  <optional><element name="published">{TIME}</element></optional>
  <optional><element name="summary">{TEXT}</element></optional>
  <optional><element name="content">{TEXT}</element></optional>
</interleave></element></define>
</grammar>"""
JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": {"type": "string", "minLength": 1},
        **{name: {"type": "string", "format": "uri"} for name in ("home_page_url", "feed_url", "next_url")},
        "hubs": {"type": "array", "items": {"required": ["type", "url"]}},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "anyOf": [{"required": ["content_text"]}, {"required": ["content_html"]}],
                "properties": {
                    "id": {"type": "string", "minLength": 1},
                    "url": {"type": "string", "format": "uri"},
                    "date_published": {"type": "string", "format": "date-time"},
                    "date_modified": {"type": "string", "format": "date-time"},
                    "authors": {"type": "array", "items": {"required": ["name"]}},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
STORY = "5" * 40


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with installation(tmp_path_factory.mktemp("feeds")) as app:
        fill(app)
        with api_client(app) as session:
            body = {"name": "harbour", "query": "harbour"}
            assert session.post("/api/v1/searches", json=body, headers=WITH_KEY).status_code == 201
            assert session.post("/api/v1/searches/harbour/apply", headers=WITH_KEY).status_code == 200
            yield session


PATHS = (
    "documents.{0}", "documents.{0}?limit=1", "documents.{0}?story=" + STORY, "documents.{0}?language=xx", "stories.{0}",
    "search.{0}?q=harbour", "sources.{0}", "alarms.{0}", "quarantine.{0}", "searches.{0}", "stories/top.{0}?hours=48",
)  # fmt: skip


def read(client: TestClient, path: str, form: str) -> bytes:
    answer = client.get(f"/api/v1/{path.format(form)}")
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.mark.parametrize("path", [*PATHS, "searches/harbour/feed.{0}"])
def test_atom_keeps_rfc_4287(client: TestClient, path: str):
    schema = etree.RelaxNG(etree.fromstring(SCHEMA))
    body = read(client, path, "atom")
    root = etree.fromstring(body)
    assert schema.validate(root), (path, schema.error_log)
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))
    assert root.find(f"{ATOM}link[@rel='self']") is not None
    assert root.find(f"{ATOM}author") is not None
    for entry in entries:
        # An entry without content needs an alternate link; content that is no text needs a summary.
        has_link = entry.find(f"{ATOM}link[@rel='alternate']") is not None
        assert (
            has_link or entry.find(f"{ATOM}content") is not None or entry.find(f"{ATOM}summary") is not None
        )
    assert not feedparser.parse(body).bozo


@pytest.mark.parametrize("path", [*PATHS, "searches/harbour/feed.{0}"])
def test_rss_keeps_its_specification(client: TestClient, path: str):
    body = read(client, path, "rss")
    channel = etree.fromstring(body).find("channel")
    assert all(channel.findtext(name) for name in ("title", "link", "description"))
    for item in channel.findall("item"):
        assert item.findtext("title") or item.findtext("description")
        assert item.find("guid").get("isPermaLink") == "false"
        assert parsedate_to_datetime(item.findtext("pubDate")).tzinfo is not None
    assert not feedparser.parse(body).bozo


@pytest.mark.parametrize("path", [*PATHS, "searches/harbour/feed.json"])
def test_json_feed_keeps_its_specification(client: TestClient, path: str):
    record = json.loads(read(client, path, "jsonfeed"))
    jsonschema.validate(record, JSON_FEED, format_checker=jsonschema.FormatChecker())
    assert len({item["id"] for item in record["items"]}) == len(record["items"])
