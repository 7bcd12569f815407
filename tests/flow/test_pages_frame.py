"""The frame of the web pages: signing in, forms, languages, errors, and what every page refuses."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient
from tests.support.api_installation import (
    BROWSER,
    HOSTILE,
    KEY,
    NOW,
    WITH_KEY,
    api_client,
    fill,
    installation,
    page_client,
)

from headwater.app import App
from headwater.model.api_key import ApiKey, KeyScope, make_api_key
from headwater.store.schema.access import sessions
from headwater.web.context import SESSION_COOKIE

AWAY = {"client": "203.0.113.7", "base_url": "http://127.0.0.1"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder: Path = tmp_path_factory.mktemp("pages")
    with installation(folder) as app:
        fill(app)
        yield app


@pytest.fixture
def client(app: App) -> Iterator[TestClient]:
    with page_client(app) as client:
        yield client


@pytest.fixture
def far_client(app: App) -> Iterator[TestClient]:
    with page_client(app, **AWAY) as client:
        yield client


def make_key(app: App, name: str, scope: KeyScope, seed: bytes) -> str:
    text, key_id, secret_hash = make_api_key(seed * 38)
    app.api_keys.create(ApiKey(key_id, name, scope, NOW), secret_hash)
    return text


def sign_in(client: TestClient, key: str, target: str = "/"):
    return client.post("/sign-in", data={"key": key, "next": target}, follow_redirects=False)


def test_a_page_and_its_twin_show_the_same_stories(client: TestClient):
    page, twin = client.get("/"), client.get("/index.json")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert [story["title"] for story in twin.json()["sections"][0]["stories"]] == ["Harbour strike"]
    assert "Harbour strike" in page.text
    assert '<a href="/index.json">JSON</a>' in page.text
    assert client.get("/", headers={"if-none-match": page.headers["etag"]}).status_code == 304


def test_titles_from_outside_stay_text(client: TestClient):
    page = client.get("/")
    assert HOSTILE not in page.text
    assert "&lt;script&gt;alert" in page.text


def test_pages_load_no_script_and_no_style_from_elsewhere_or_inline(client: TestClient):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "style=" not in page.text
    assert re.findall(r"<script(?! src=\"/static/)", page.text) == []
    assert re.findall(r"\son[a-z]+=", page.text) == []


def test_static_files_are_named_by_their_content_and_kept_for_ever(client: TestClient):
    path = re.search(r'href="(/static/site\.[0-9a-f]+\.css)"', client.get("/").text)[1]
    answer = client.get(path)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/site.0000000000.css").status_code == 404


def test_a_reader_from_elsewhere_is_led_to_the_sign_in_and_back(app: App, far_client: TestClient):
    key = make_key(app, "reader", KeyScope.READ, b"r")
    refused = far_client.get("/", follow_redirects=False)
    assert (refused.status_code, refused.headers["location"]) == (303, "/sign-in?next=/")
    assert far_client.get("/index.json").status_code == 401
    answer = sign_in(far_client, key, "/keys")
    assert (answer.status_code, answer.headers["location"]) == (303, "/keys")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    assert "Harbour strike" in far_client.get("/").text
    assert far_client.get("/api/v1/documents").status_code == 200


def test_the_cookie_is_secure_behind_tls_and_limited_to_the_prefix(app: App):
    key = make_key(app, "behind a proxy", KeyScope.READ, b"p")
    with api_client(app, client="203.0.113.7", public_url="https://news.example") as client:
        headers = {**BROWSER, "origin": "https://news.example"}
        answer = client.post("/sign-in", data={"key": key}, headers=headers, follow_redirects=False)
    assert "Secure" in answer.headers["set-cookie"]


def test_the_link_to_sign_in_leads_back_with_the_query_and_not_to_itself(client: TestClient):
    assert 'href="/sign-in?next=%2Fsearch%3Fq%3Ddam"' in client.get("/search?q=dam").text
    page = client.get("/sign-in?next=/keys").text
    assert 'href="/sign-in' not in page
    assert "use the scope admin" in page


def test_the_sign_in_names_the_command_that_works_and_tells_no_stranger_where_the_data_is(
    app: App, client: TestClient, far_client: TestClient
):
    assert (
        f"headwater --data {app.settings.data} keys create me --scope operate" in client.get("/sign-in").text
    )
    assert app.settings.data in sign_in(client, "wrong").text
    stranger = far_client.get("/sign-in").text
    assert "<code>headwater keys create me --scope operate</code>" in stranger
    assert app.settings.data not in stranger


def test_a_wrong_key_is_refused_with_a_sentence(far_client: TestClient):
    answer = sign_in(far_client, "hw_000000000000_wrong")
    assert answer.status_code == 401
    assert "This key is wrong or was revoked." in answer.text
    assert SESSION_COOKIE not in answer.cookies


def test_signing_in_replaces_the_session_that_the_browser_had(app: App, far_client: TestClient):
    """A session that someone else put into the browser must not become that of the reader."""
    key = make_key(app, "rotating", KeyScope.READ, b"t")
    far_client.cookies.set(SESSION_COOKIE, "planted")
    sign_in(far_client, key)
    first = far_client.cookies.get(SESSION_COOKIE, domain="127.0.0.1")
    assert first != "planted"
    sign_in(far_client, key)
    second = far_client.cookies.get(SESSION_COOKIE, domain="127.0.0.1")
    assert second != first
    with api_client(app, **AWAY) as other:
        other.cookies.set(SESSION_COOKIE, first)
        assert other.get("/index.json").status_code == 401


def test_rows_have_no_token_of_a_session(app: App, far_client: TestClient):
    sign_in(far_client, KEY)
    token = far_client.cookies[SESSION_COOKIE]
    with app.engine.connect() as connection:
        rows = connection.execute(select(sessions)).all()
    assert rows
    assert token not in str(rows)


def test_signing_out_everywhere_ends_the_sessions_of_other_browsers(app: App, far_client: TestClient):
    key = make_key(app, "two browsers", KeyScope.READ, b"w")
    sign_in(far_client, key)
    with page_client(app, **AWAY) as other:
        sign_in(other, key)
        assert other.get("/index.json").status_code == 200
        far_client.post("/sign-out", data={"everywhere": "1"}, follow_redirects=False)
        assert other.get("/index.json").status_code == 401
    assert far_client.get("/index.json").status_code == 401


def test_a_session_ends_with_its_key_and_after_two_weeks(app: App, far_client: TestClient):
    key = make_key(app, "revoked soon", KeyScope.READ, b"v")
    sign_in(far_client, key)
    app.api_keys.revoke("revoked soon", NOW)
    assert far_client.get("/index.json").status_code == 401
    session = "s" * 64
    app.sessions.begin(session, "some key", NOW - timedelta(days=15))
    assert app.sessions.find_key(session, NOW) is None


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "http://127.0.0.1.evil.example"])
def test_a_form_of_another_site_is_refused(client: TestClient, origin: str):
    for path in ("/sign-in", "/sign-out", "/preferences"):
        answer = client.post(path, data={"key": KEY}, headers={"origin": origin}, follow_redirects=False)
        assert answer.status_code == 403


@pytest.mark.parametrize(
    "target", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:1", ""]
)
def test_signing_in_leads_to_no_other_site(far_client: TestClient, target: str):
    assert sign_in(far_client, KEY, target).headers["location"] == "/"


def test_language_and_theme_are_chosen_by_the_reader(client: TestClient):
    assert 'lang="es"' in client.get("/", headers={"accept-language": "de, es-MX;q=0.8, en;q=0.5"}).text
    answer = client.post("/preferences", data={"language": "es", "theme": "dark", "next": "/keys"})
    assert answer.url.path == "/keys"
    assert 'lang="es" data-theme="dark"' in answer.text
    assert "Atajos de teclado" in answer.text


def test_menu_and_problems_are_in_the_language_of_the_reader(client: TestClient):
    page = client.get("/nothing-here", headers={"accept-language": "es"}).text
    assert "No hay nada en esta dirección" in page
    assert '<a href="/recipes/procedures/reviews">Revisión</a>' in page


def test_problems_are_pages_for_people_and_records_for_programs(client: TestClient):
    page = client.get("/nothing-here")
    assert page.status_code == 404
    assert "There is nothing at this address" in page.text
    program = client.get("/nothing-here", headers={"accept": "application/json"})
    assert program.headers["content-type"] == "application/problem+json"
    typo = client.get("/?recipee=news")
    assert typo.status_code == 400
    assert "recipee" in typo.text
    assert client.get("/api/v1/documents/none").headers["content-type"] == "application/problem+json"


def test_programs_may_read_pages_with_a_key(far_client: TestClient):
    assert far_client.get("/index.json", headers=WITH_KEY).status_code == 200
