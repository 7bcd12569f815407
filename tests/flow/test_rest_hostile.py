"""Hostile input on both databases: whatever a caller sends, the answer is a problem with a sentence, never a mistake of ours."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine
from starlette.testclient import TestClient
from tests.support.api_installation import KEY, WITH_KEY, api_client, fill, installation

TEXTS = (
    "%00",
    "a%00b",
    "%ff%fe",
    "%ed%a0%80",
    "%27%20OR%201%3D1",
    "../../etc/passwd",
    "%25%5F",
    "x" * 3_000,
    "%F0%9F%98%80",
)
PATHS = (
    "/documents/{}", "/documents/{}/explanation", "/documents/{}/fields/title", "/documents?source={}", "/documents?language={}",
    "/documents?recipe={}", "/documents?cursor={}", "/documents?since={}", "/captures/{}/body", "/stories/{}", "/sources/{}",
    "/search?q={}", "/search?q=x&language={}", "/searches/{}", "/quarantine/{}", "/replays/{}", "/queues/{}/items", "/runs/{}",
    "/alarms/{}", "/recipes/{}/status", "/recipes/procedures/find?question={}", "/events?last-event-id={}&recipe=%00",
)  # fmt: skip
BODIES = (
    b"", b"[]", b"{", b"null", b"\xff", b'{"recipe": "\\u0000", "since": "1d"}', b'{"recipe": "\\ud800", "since": "1d"}',
    b'{"records": ["\\u0000\\u0000\\u0000\\u0000\\u0000"]}', b'{"name": "\\u0000", "query": "x"}', b"[" * 50_000,
    b'{"name": "' + b"x" * 60_000 + b'"}', b'{"limit": 1e999}', b'{"limit": ' + b"9" * 5_000 + b"}",
)  # fmt: skip
POSTS = (
    "/replays", "/quarantine/retry", "/searches", "/searches/test", "/sources", "/queues/x/pop", "/queues/items/x/ack", "/runs",
    "/recipes/procedures/reviews/accept", "/replays/x/apply",
)  # fmt: skip


@pytest.fixture
def client(engine: Engine, tmp_path) -> Iterator[TestClient]:
    with installation(tmp_path, engine.url.render_as_string(hide_password=False)) as app:
        fill(app)
        with api_client(app) as session:
            yield session


def test_no_text_in_an_address_or_a_body_breaks_the_server(client: TestClient):
    for path in PATHS:
        for text in TEXTS:
            answer = client.get(f"/api/v1{path.format(text)}")
            assert answer.status_code < 500, (path, text, answer.text)
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json", (path, text)
                assert KEY not in answer.text
    for path in ("/queues/%00", "/pipeline/runs/%00", "/pipeline/runs?recipe=%00"):
        assert client.get(path, headers=WITH_KEY).status_code == 400
    assert client.post("/queues/items/%00/ack", headers=WITH_KEY).status_code == 400
    for path in POSTS:
        for body in BODIES:
            headers = WITH_KEY | {"Content-Type": "application/json"}
            answer = client.post(f"/api/v1{path}", content=body, headers=headers)
            assert answer.status_code < 500, (path, body[:50], answer.text)
            assert answer.status_code >= 400 or path.endswith(("/pop", "/ack")), (
                path,
                body[:50],
                answer.text,
            )
