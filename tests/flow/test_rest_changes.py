"""REST: what operators and admins change, once however often they ask; and nothing without the right key."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api_installation import KEY, NOW, WITH_KEY, api_client, fill, installation
from tests.support.scene import START, Scene
from tests.support.web_client import web_client

from headwater.app import App
from headwater.model.api_key import ID_BYTES, SECRET_BYTES, ApiKey, KeyScope, make_api_key
from headwater.model.errors import Permanent
from headwater.model.ports import QueueItem
from headwater.model.source import Lead, Source
from headwater.ops import saved_searches, source_preview
from headwater.ops.source_registration import register_source
from headwater.ops.trial_poll import TrialPoll
from headwater.settings.sources import SourceLine, make_source
from headwater.store.reads import stored_records
from headwater.store.search.entries import index_kept_documents


@pytest.fixture
def app(tmp_path) -> Iterator[App]:
    with installation(tmp_path) as opened:
        yield opened


@pytest.fixture
def client(app: App) -> Iterator[TestClient]:
    with api_client(app) as session:
        yield session


def admin(app: App) -> dict[str, str]:
    text, key_id, secret_hash = make_api_key(b"a" * (ID_BYTES + SECRET_BYTES))
    app.api_keys.create(ApiKey(key_id, "admin", KeyScope.ADMIN, NOW), secret_hash)
    return {"Authorization": f"Bearer {text}"}


def post(client: TestClient, path: str, status: int, headers: dict[str, str], **fields: Any) -> Any:
    answer = client.post(f"/api/v1{path}", json=fields, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_quarantined_records_are_retried_or_dropped(app: App, client: TestClient):
    ids = fill(app)
    assert post(client, "/quarantine/retry", 400, WITH_KEY)["detail"] == "give either `records` or `recipe`"
    assert post(client, "/quarantine/retry", 401, {}, records=[ids[2]])
    assert post(client, "/quarantine/drop", 200, WITH_KEY, records=[ids[2]]) == {"count": 1}
    assert client.get("/api/v1/quarantine").json()["items"] == []


def test_a_field_that_does_not_exist_is_refused_and_nothing_happens(app: App, client: TestClient):
    fill(app)
    problem = post(client, "/quarantine/drop", 400, WITH_KEY, recrods=["x"], recipe="crypto")
    assert "'recrods'; there are: recipe, records" in problem["detail"]
    assert len(client.get("/api/v1/quarantine").json()["items"]) == 1


def test_an_alarm_is_acknowledged_and_stays_open(app: App, client: TestClient):
    fill(app)
    assert post(client, f"/alarms/{'a' * 40}/acknowledge", 401, {})
    assert post(client, f"/alarms/{'b' * 40}/acknowledge", 404, WITH_KEY)
    assert post(client, f"/alarms/{'a' * 40}/acknowledge", 200, WITH_KEY)["acknowledged_at"]
    (alarm,) = client.get("/api/v1/alarms").json()["items"]
    assert alarm["acknowledged_at"]
    assert alarm["cleared_at"] is None


def test_a_source_is_muted_for_a_while(app: App, client: TestClient):
    fill(app)
    (source,) = client.get("/api/v1/sources").json()["items"]
    path = f"/sources/{source['id']}"
    assert post(client, f"{path}/mute", 200, WITH_KEY, **{"for": "12h"})["muted_until"]
    assert client.get("/api/v1/sources/health").json()["items"][0]["muted_until"]
    assert post(client, f"{path}/mute", 400, WITH_KEY, **{"for": "a while"})
    assert post(client, f"{path}/unmute", 200, WITH_KEY)["muted_until"] is None


SECRET_PLACES = [
    {"url": "https://evil.example/x?token=file:/etc/passwd"},
    {"url": "https://evil.example/x?a=1&token=%65nv%3AHOME"},
    {"options": {"headers": {"Authorization": "file:/etc/passwd"}}},
    {"options": {"headers": {"X-Any": "env:HOME"}}},
    {"options": {"fallback": ["https://evil.example/x?token=env:HOME"]}},
    {"options": {"database": "env:HOME"}},
    {"kind": "json", "options": {"fields": {"url": "u"}, "key": {"header": "X-Stolen", "variable": "HOME"}}},
]


@pytest.mark.parametrize("fields", SECRET_PLACES)
def test_no_key_reads_a_file_or_a_variable_of_the_server(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any]
):
    monkeypatch.setattr(App, "fetcher", lambda _: pytest.fail("nothing may be fetched"))
    line = {"recipe": "news", "name": "Evil", "url": "https://evil.example/x"}
    calls = [("/sources", line | fields)]
    if "kind" in fields:
        calls += [("/sources/preview", {"recipe": "news", "url": line["url"]} | fields)]
    if "url" in fields:
        calls += [("/sources/preview", fields), ("/sources/validate", fields)]
    headers = admin(app)
    for path, body in calls:
        problem = post(client, path, 400, headers, **body)
        assert (problem["type"].rpartition(":")[2], "over HTTP" in problem["detail"]) == (
            "reference_refused",
            True,
        )
    assert client.get("/api/v1/sources").json()["items"] == []


@pytest.mark.parametrize(("kind", "option"), [("seeds", "file"), ("mail", "folder")])
def test_no_key_names_a_file_or_a_folder_of_the_server(
    app: App, client: TestClient, kind: str, option: str, tmp_path: Path
):
    line = {"recipe": "news", "name": "Evil", "kind": kind, "options": {option: str(tmp_path)}}
    problem = post(client, "/sources", 400, admin(app), **line)
    assert problem["type"].endswith(":place_refused")


UNSAFE_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"options": {"fallback": "http://10.0.0.1/"}}, "unusable_source"),
    ({"options": {"fallback": "http:///x"}}, "bad_config"),
    ({"url": "https://wire.example/a\tb"}, "bad_config"),
    ({"kind": "seeds", "options": {"urls": [{"url": "http://169.254.169.254/latest"}]}}, "unusable_source"),
    ({"kind": "seeds", "options": {"urls": ["https://wire.example/a\r\nb"]}}, "bad_config"),
    ({"kind": "crawl", "options": {"starts": ["http://localhost/"]}}, "unusable_source"),
    ({"options": {"headers": {"Host": "inside.example"}}}, "bad_config"),
    ({"name": "Wire\x1b[2J"}, "bad_config"),
    ({"recipe": "markets", "kind": "news_api", "options": {"endpoint": "https://evil.example"}}, "options_refused"),
    ({"recipe": "geopolitics", "kind": "entries", "options": {"file": "/etc/passwd"}}, "options_refused"),
]  # fmt: skip


def test_what_options_name_is_checked_like_the_address(app: App, client: TestClient):
    headers = admin(app)
    for fields, reason in UNSAFE_OPTIONS:
        line = {"recipe": "news", "name": "Wire", "url": "https://wire.example/", "check": False} | fields
        problem = post(client, "/sources", 400, headers, **line)
        assert problem["type"].rpartition(":")[2] == reason, fields


@pytest.mark.parametrize("place", ["10.0.0.1", "localhost"])
def test_a_source_at_a_private_address_is_refused_with_the_setting_that_allows_it(
    app: App, client: TestClient, place: str
):
    line = {"recipe": "news", "name": "Inside", "url": f"http://{place}/"}
    problem = post(client, "/sources", 400, admin(app), **line)
    assert problem["type"].endswith(":unusable_source")
    assert f'it is a private address; to allow it, set `allow: ["{place}:80"]`' in problem["detail"]


def test_a_source_is_added_changed_paused_reset_and_removed(app: App, client: TestClient):
    headers = admin(app)
    line = {"recipe": "crypto", "name": "Coin", "url": "https://coin.example/feed"}
    assert post(client, "/sources", 403, WITH_KEY, **line)
    line |= {"check": False}
    source = post(client, "/sources", 201, headers, **line)
    assert post(client, "/sources", 409, headers, **line)
    assert post(client, "/sources", 200, headers, **line, every="15m", replace=True) == source
    path = f"/sources/{source['id']}"
    assert client.get(f"/api/v1{path}").json()["trigger_seconds"] == 900
    for action, active in (("pause", False), ("resume", True), ("reset", True)):
        post(client, f"{path}/{action}", 200, WITH_KEY)
        assert client.get(f"/api/v1{path}").json()["active"] is active
    assert post(client, f"{path}/poll", 200, WITH_KEY)["due"] is False
    assert post(client, "/sources", 400, headers, recipe="crypto", name="x", url="gopher://x", kind="feed")
    assert client.delete(f"/api/v1{path}", headers=headers).status_code == 200
    assert client.get(f"/api/v1{path}").status_code == 404


def test_a_source_is_polled_on_trial_before_it_is_added(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch
):
    headers = admin(app)
    line = {"recipe": "news", "name": "Wire", "url": "https://wire.example/map.xml", "kind": "sitemap"}
    lead = Lead(identity="1", url="https://wire.example/1", title="Harbour talks")

    def poll(app: App, source: Source, *_: Any) -> TrialPoll:
        if source.url != line["url"]:
            raise Permanent("not_a_sitemap", "it is no sitemap")
        return TrialPoll((lead,))

    monkeypatch.setattr(source_preview, "poll_on_trial", poll)
    monkeypatch.setattr(source_preview, "with_page_permission", lambda _, candidate, __: candidate)
    problem = post(client, "/sources", 400, headers, **line | {"url": "https://wire.example/"})
    assert (problem["type"].rpartition(":")[2], "it is no sitemap" in problem["detail"]) == (
        "unusable_source",
        True,
    )
    fields = {name: line[name] for name in ("recipe", "url", "kind")}
    (preview,) = post(client, "/sources/preview", 200, headers, **fields)["items"]
    assert [item["title"] for item in preview["items"]] == ["Harbour talks"]
    assert client.get("/api/v1/sources").json()["items"] == []
    assert post(client, "/sources", 201, headers, **line)["preview"] == preview


def test_the_trial_of_a_source_that_exists_has_its_stored_options(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch
):
    name, url = "Closed", "https://closed.example/feed"
    secret = {"headers": {"Authorization": "env:T"}}
    stored = make_source(SourceLine(name=name, url=url, options=secret), "news", where="source")
    register_source(app, stored, replace_existing=False)
    polls = list[Source]()

    def poll(app: App, source: Source, *_: Any) -> TrialPoll:
        polls.append(source)
        return TrialPoll(())

    monkeypatch.setattr(source_preview, "poll_on_trial", poll)
    headers, fields = admin(app), {"recipe": "news", "name": name, "url": url, "every": "15m"}
    assert post(client, "/sources", 409, headers, **fields)
    assert polls == []
    assert post(client, "/sources", 200, headers, **fields, replace=True)["id"] == stored.id
    assert [source.options for source in polls] == [secret]


def test_seeds_that_are_no_list_are_refused_by_the_name_of_their_option(app: App, client: TestClient):
    line = {"recipe": "news", "name": "Seeds", "kind": "seeds", "options": {"urls": 5}}
    problem = post(client, "/sources", 400, admin(app), **line)
    assert problem["detail"] == "options.urls: expected a list of URLs"


def test_pages_of_a_search_neither_repeat_nor_hide_what_arrives_or_changes_in_between(
    app: App, client: TestClient
):
    scene = Scene(app.store, now=START)
    for number in range(6):
        scene.keep(f"h{number}", title=f"Harbour {'news ' * number}", text="Ships.", language="en")
    shown_ids: list[str] = []
    cursor = ""
    for page in range(10):
        answer = client.get(f"/api/v1/search?q=harbour&method=words&limit=2&cursor={cursor}").json()
        shown_ids += [row["id"] for row in answer["items"]]
        cursor = answer["next"]
        if cursor is None:
            break
        if page == 0:
            # One that is better than all others; one that was on the first page gets a new number and a worse place.
            scene.keep("new", title="Harbour", text="Harbour.", language="en")
            with app.store.engine.begin() as connection:
                document = app.store.documents([shown_ids[0]])[shown_ids[0]].with_changes(text="Ships. " * 50)
                index_kept_documents(connection, [document], START)
    assert len(shown_ids) == len(set(shown_ids)) == 7


def test_replace_changes_a_source_whose_address_differs_by_a_slash(app: App, client: TestClient):
    line = {"recipe": "crypto", "name": "Wire", "url": "https://wire.example/feed", "check": False}
    headers = admin(app)
    added = post(client, "/sources", 201, headers, **line)
    slashed = line | {"url": f"{line['url']}/", "every": "5m"}
    assert post(client, "/sources", 409, headers, **slashed)
    assert post(client, "/sources", 200, headers, **slashed, replace=True) == added
    (source,) = client.get("/api/v1/sources").json()["items"]
    assert (source["url"], source["trigger_seconds"]) == (line["url"], 300)


def test_a_source_that_a_list_names_is_not_removed(app: App, client: TestClient):
    fill(app)
    source = client.get("/api/v1/sources").json()["items"][0]["id"]
    answer = client.delete(f"/api/v1/sources/{source}", headers=admin(app))
    assert (answer.status_code, "pause it" in answer.json()["detail"]) == (409, True)


def test_queues_are_used_like_those_of_other_programs(app: App, client: TestClient):
    app.queues.push(
        [QueueItem(id="i1", queue="app:extraction", recipe="markets", document="d", payload={"a": 1})]
    )
    assert client.get("/api/v1/queues/extraction/items").json()["items"][0]["id"] == "i1"
    (item,) = post(client, "/queues/extraction/pop", 200, WITH_KEY, limit=5)["items"]
    assert post(client, f"/queues/items/{item['id']}/fail", 200, WITH_KEY, reason="no")["state"] == "failed"
    assert post(client, f"/queues/items/{item['id']}/ack", 200, WITH_KEY, result={"b": 2})["state"] == "done"
    assert "is done" in post(client, f"/queues/items/{item['id']}/fail", 409, WITH_KEY, reason="no")["detail"]
    assert post(client, "/queues/nothing/retry", 404, WITH_KEY)


def test_a_replay_is_started_paused_and_discarded(app: App, client: TestClient):
    fields = {"recipe": "crypto", "since": "30d"}
    replay = post(client, "/replays", 201, WITH_KEY, **fields)["id"]
    assert post(client, "/replays", 409, WITH_KEY, **fields)
    assert post(client, f"/replays/{replay}/pause", 200, WITH_KEY)["state"] == "paused"
    assert post(client, f"/replays/{replay}/apply", 409, WITH_KEY, verdicts=["better"])
    assert post(client, f"/replays/{replay}/discard", 200, WITH_KEY)["state"] == "discarded"
    assert client.get(f"/api/v1/replays/{replay}/items").json()["items"] == []


def test_a_search_is_tried_saved_applied_followed_as_a_feed_and_removed(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch
):
    ids = fill(app)
    tried = post(client, "/searches/test", 200, WITH_KEY, query="harbour", limit=1)
    assert tried["total"] > len(tried["items"]) == 1
    assert tried["total_is_exact"] is True
    with monkeypatch.context() as patch:
        patch.setattr(stored_records, "AT_ONCE", 1)
        patch.setattr(saved_searches, "COUNTED_BATCHES", 1)
        counted = post(client, "/searches/test", 200, WITH_KEY, query="harbour", limit=1)
    assert counted == tried | {"total": 1, "total_is_exact": False}
    matches = post(client, "/searches/test", 200, WITH_KEY, query="harbour")["items"]
    assert {ids[0], ids[1]} <= {match["id"] for match in matches}
    assert post(client, "/searches", 201, WITH_KEY, name="harbour", query="harbour")["state"] == "active"
    assert post(client, "/searches", 400, WITH_KEY, name="all", query="")
    for filters in (
        {"quality": "abc"}, {"quality": 2}, {"quality": True}, {"colour": ["red"]}, {"language": "en"},
        {"language": [5]}, {"source": [""]}, {"topic": {"name": "x"}}, ["language"],
    ):  # fmt: skip
        assert post(client, "/searches", 400, WITH_KEY, name="wrong", query="harbour", filters=filters)
        assert post(client, "/searches/test", 400, WITH_KEY, query="harbour", filters=filters)
    english = {"language": ["en"], "quality": 0}
    assert len(post(client, "/searches/test", 200, WITH_KEY, query="harbour", filters=english)["items"]) == 2
    assert post(client, "/searches/harbour/apply", 200, WITH_KEY)["matching"] >= 2
    feed = client.get("/api/v1/searches/harbour/feed.atom")
    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert feed.content.count(b"<entry") >= 2
    assert post(client, "/searches/harbour/pause", 200, WITH_KEY)["state"] == "paused"
    assert client.get("/api/v1/searches").json()["items"][0]["name"] == "harbour"
    assert client.delete("/api/v1/searches/harbour", headers=WITH_KEY).status_code == 200
    assert client.get("/api/v1/searches/harbour").status_code == 404


def test_a_request_with_an_idempotency_key_is_carried_out_once(app: App, client: TestClient):
    fill(app)
    headers = WITH_KEY | {"Idempotency-Key": "once"}
    first = post(client, "/replays", 201, headers, recipe="crypto", since="30d")
    assert post(client, "/replays", 201, headers, recipe="crypto", since="30d") == first
    assert post(client, "/replays", 422, headers, recipe="crypto", since="1d")
    assert post(
        client, "/replays", 409, WITH_KEY | {"Idempotency-Key": "again"}, recipe="crypto", since="30d"
    )
    # What failed may be tried again with the same key.
    assert post(
        client, "/replays", 409, WITH_KEY | {"Idempotency-Key": "again"}, recipe="crypto", since="30d"
    )
    other_caller = post(
        client, "/replays", 409, admin(app) | {"Idempotency-Key": "once"}, recipe="crypto", since="30d"
    )
    assert other_caller["status"] == 409


def test_a_run_is_started_followed_and_stopped(app: App):
    async def scene() -> None:
        never = asyncio.Event()

        async def wait(recipe: str, run: str, options: object) -> int:
            await never.wait()
            return 0

        async with web_client(app, start=wait, settings_key=KEY) as client:
            answer = await client.post("/api/v1/runs", json={"recipe": "crypto"}, headers=WITH_KEY)
            run = answer.json()["id"]
            again = await client.post("/api/v1/runs", json={"recipe": "crypto"}, headers=WITH_KEY)
            assert (answer.status_code, again.status_code) == (202, 409)
            assert (await client.get(f"/api/v1/runs/{run}")).json()["status"] == "running"
            await asyncio.sleep(0)
            stopped = await client.post(f"/api/v1/runs/{run}/stop", headers=WITH_KEY)
            assert stopped.status_code == 202
        assert app.pipeline_runs.get(run)["error"] == "the run was stopped"
        async with web_client(app, settings_key=KEY) as client:
            assert (await client.post(f"/api/v1/runs/{run}/stop", headers=WITH_KEY)).status_code == 409

    asyncio.run(scene())
