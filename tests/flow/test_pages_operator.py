"""The operator's pages: what they show, what they change, and who may do it."""

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from starlette.testclient import TestClient
from tests.flow.command_line import call_in
from tests.support.api_installation import HOSTILE, WITH_KEY, fill, installation, page_client
from tests.support.scene import RECIPE, START

from headwater.app import App
from headwater.fetch.failure_sentences import FAILURE_TEXTS
from headwater.model.api_key import KeyScope
from headwater.model.errors import Permanent
from headwater.model.http import Failure
from headwater.model.source import Source
from headwater.ops import source_preview
from headwater.ops.api_keys import create_api_key
from headwater.ops.saved_searches import SearchRequest, add_search, named_search
from headwater.ops.source_detection import UnusableSource, failure_sentence
from headwater.ops.trial_poll import UNUSABLE
from headwater.store.claims.leases import CONTINUES
from headwater.store.claims.outbox import open_deliveries
from headwater.store.connect import write_transaction
from headwater.store.reads.saved_searches import list_matches, match_counts
from headwater.store.schema.flow import deliveries, leads, polls, sources
from headwater.web.pages import rendering
from headwater.web.pages.operator import ACTIONS, PAGES
from headwater.web.pages.operator.sources import advice_of
from headwater.web.pages.rendering import Frame, render
from headwater.web.pages.translations import OWN_PACKAGE, catalogue, translate, translate_refusal

LISTS = (
    "",
    "/sources",
    "/alarms",
    "/quarantine",
    "/runs",
    "/replays",
    "/fetches",
    "/budgets",
    "/searches",
    "/missing",
)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with installation(tmp_path) as opened:
        fill(opened)
        yield opened


@pytest.fixture
def client(app: App) -> Iterator[TestClient]:
    with page_client(app) as session:
        yield session


@pytest.fixture
def admin(app: App, client: TestClient) -> TestClient:
    """Signed in with a key that may do everything."""
    _, text = create_api_key(app, "admin", KeyScope.ADMIN)
    client.post("/sign-in", data={"key": text})
    return client


def send(client: TestClient, path: str, **fields: object) -> str:
    """The page after the form."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post(f"/operate{path}", data=fields, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_every_list_and_its_twin_can_be_read_without_a_key_on_this_machine(client: TestClient):
    for path in LISTS:
        page, twin = client.get(f"/operate{path}"), client.get(f"/operate{path}.json")
        assert (page.status_code, twin.status_code) == (200, 200), page.text
        assert twin.json()
        assert HOSTILE not in page.text
        assert '<form method="post" action="/operate' not in page.text


def test_keys_and_new_sources_are_for_admins(client: TestClient, app: App):
    for path in ("/keys", "/sources/add"):
        assert client.get(f"/operate{path}", follow_redirects=False).status_code == 303
    _, text = create_api_key(app, "operator", KeyScope.OPERATE)
    client.post("/sign-in", data={"key": text})
    assert client.get("/operate/keys").status_code == 403
    assert client.post("/operate/keys/create", data={"name": "x", "scope": "read"}).status_code == 403


def test_no_action_is_open_to_readers(client: TestClient):
    for action in ACTIONS:
        path = re.sub(r"\{\w+\}", "x", action.path)
        assert client.post(path, data={}).status_code in {401, 403}, path


def test_every_page_has_a_path_under_operate():
    assert all(page.path == "/operate" or page.path.startswith("/operate/") for page in PAGES)


def test_the_overview_counts_work_and_leads_to_its_lists(client: TestClient):
    page = client.get("/operate")
    model = client.get("/operate.json").json()
    assert model["totals"]["open_alarms"] == 1
    assert [stage["task"] for stage in model["activity"][0]["stages"]][:3] == ["poll", "fetch", "refine"]
    assert 'href="/operate/alarms"' in page.text
    part = client.get("/operate", headers={"hx-request-type": "partial"})
    assert "<html" not in part.text
    assert "Stages" in part.text


def test_a_noisy_source_is_found_muted_and_unmuted(admin: TestClient):
    (source,) = admin.get("/operate/sources.json?q=wire").json()["items"]
    assert admin.get("/operate/sources.json?q=nothing").json()["items"] == []
    path = f"/sources/{source['id']}"
    assert "Mute alarms" in admin.get(f"/operate{path}").text
    assert "Wire is muted" in send(admin, f"{path}/mute", **{"for": "7d"})
    assert [row["name"] for row in admin.get("/operate/sources.json?status=muted").json()["items"]] == [
        "Wire"
    ]
    assert "Wire is no longer muted" in send(admin, f"{path}/unmute")


def test_a_poll_that_was_cut_short_is_not_shown_as_a_failure(client: TestClient, app: App, tmp_path: Path):
    source = app.catalogue.sources()[0]["id"]

    def notices(reason: str) -> list[str]:
        with write_transaction(app.engine) as connection:
            connection.execute(update(sources).where(sources.c.id == source).values(reason=reason))
        return re.findall(r'<p class="(notice[^"]*)">', client.get(f"/operate/sources/{source}").text)

    assert "notice failed" in notices("dns")
    assert "notice failed" not in notices(CONTINUES)
    shown = call_in(tmp_path, "--data", app.settings.data, "sources", "show", "Wire").out
    assert "ok (the next poll continues the last one)" in shown


def test_a_source_is_paused_resumed_reset_and_polled(admin: TestClient):
    (source,) = admin.get("/operate/sources.json").json()["items"]
    path = f"/sources/{source['id']}"
    for verb, sentence in (
        ("pause", "is paused"),
        ("resume", "polled again"),
        ("reset", "is reset"),
        ("poll", "due now"),
    ):
        assert f"Wire is {sentence}".replace("is is", "is") in send(admin, f"{path}/{verb}")
    assert "there is no such source" in send(admin, "/sources/unknown/pause")


def test_a_source_is_added(admin: TestClient):
    fields = {"recipe": "crypto", "name": "Coin", "url": "https://coin.example/feed", "kind": "feed"}
    fields["is_previewed"] = "1"
    assert "Coin is added" in send(admin, "/sources/add", **fields)
    assert "the source exists already" in send(admin, "/sources/add", **fields)


def test_a_source_without_a_preview_is_polled_on_trial(admin: TestClient, monkeypatch: pytest.MonkeyPatch):
    def refuse(app: App, source: Source, *_: Any) -> None:
        raise Permanent("not_a_sitemap", f"{source.kind}: it is no sitemap")

    monkeypatch.setattr(source_preview, "poll_on_trial", refuse)
    fields = {"recipe": "news", "url": "https://coin.example/map", "kind": "sitemap"}
    for page in (
        send(admin, "/sources/preview", **fields),
        send(admin, "/sources/add", name="Coin", **fields),
    ):
        assert "it is no sitemap" in page
    assert "Coin" not in admin.get("/operate/sources").text


def test_an_address_that_cannot_be_used_stays_in_the_form(admin: TestClient):
    page = send(admin, "/sources/preview", recipe="geopolitics", url="http://127.0.0.1:1/feed")
    assert 'value="http://127.0.0.1:1/feed"' in page
    assert "<option selected>geopolitics</option>" in page
    assert "cannot be used" in page
    again = admin.get("/operate/sources/add?recipe=geopolitics&url=https://coin.example/").text
    assert 'value="https://coin.example/"' in again
    assert "<option selected>geopolitics</option>" in again


def test_what_the_page_says_about_an_address_names_no_option_of_a_command():
    sentences = [failure_sentence("https://a.example/", Failure(reason)) for reason in FAILURE_TEXTS]
    assert "bad_url" not in failure_sentence("x", Failure("bad_url", "not a plain http(s) URL"))
    for sentence in (*sentences, *UNUSABLE.values()):
        assert "--" not in sentence
    private = UnusableSource(
        "x", failure_sentence("http://x/", Failure("forbidden_address")), "forbidden_address"
    )
    shown = f"{private.detail}. {advice_of(private)}"
    assert "reinicie el servidor" in translate_refusal("es", shown)


def test_the_button_to_stop_a_run_is_in_the_part_that_is_refreshed():
    run = {
        "id": "r",
        "recipe": "crypto",
        "status": "running",
        "created_at": START,
        "ended_at": None,
        "error": "",
    }
    run |= dict.fromkeys(
        ("total_count", "processed_count", "duplicate_count", "failed_count", "story_count"), 0
    )
    model = {"run": run, "is_open": True, "can_stop": True, "unfinished": {}}
    frame = Frame(path="/operate/runs/r", now=START, scope=KeyScope.OPERATE)
    assert "/operate/runs/r/stop" in render("operator/run_live.html", frame, model)


def test_a_run_counts_only_what_was_seen_since_it_began(client: TestClient, app: App):
    begin = app.clock() + timedelta(days=1)
    assert app.catalogue.status(RECIPE, begin)["documents"]
    assert app.pipeline_runs.begin("later", RECIPE, {}, begin)
    run = client.get("/operate/runs/later.json").json()["run"]
    assert (run["total_count"], run["processed_count"], run["duplicate_count"]) == (0, 0, 0)
    app.pipeline_runs.finish("later", begin)
    assert app.pipeline_runs.begin("all", RECIPE, {}, START - timedelta(days=3650))
    counts = {row["id"]: row["total_count"] for row in client.get("/operate/runs.json").json()["items"]}
    assert counts["all"] == client.get("/operate/runs/all.json").json()["run"]["total_count"] > 0


@pytest.mark.parametrize("path", ["/sources/add", "/sources/preview"])
def test_a_form_does_not_read_a_file_of_the_server(
    admin: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
):
    monkeypatch.setattr(App, "fetcher", lambda _: pytest.fail("nothing may be fetched"))
    url = "https://evil.example/x?token=file:/etc/passwd"
    assert "are refused over HTTP" in send(admin, path, recipe="crypto", name="Evil", url=url)


def test_an_alarm_is_acknowledged(admin: TestClient):
    assert "Wire is silent" in admin.get("/operate/alarms").text
    assert "Acknowledged: Wire is silent" in send(admin, f"/alarms/{'a' * 40}/acknowledge")
    assert admin.get("/operate/alarms.json").json()["items"][0]["acknowledged_at"]


def test_a_quarantined_record_shows_its_reason_evidence_and_trail_and_is_retried(admin: TestClient):
    (row,) = admin.get("/operate/quarantine.json?reason=too_deep").json()["items"]
    page = admin.get(f"/operate/quarantine/{row['record_id']}")
    assert "nested 1000 deep" in page.text
    assert "Rain Record" in page.text
    assert "choose at least one record" in send(admin, "/quarantine/retry")
    assert "due again: 1" in send(admin, "/quarantine/retry", record=row["record_id"])
    assert admin.get("/operate/quarantine.json").json()["items"] == []
    assert "come back here if they fail again" in admin.get("/operate/quarantine").text
    assert admin.get(f"/operate/quarantine/{'0' * 24}").status_code == 404


def test_all_records_with_a_reason_are_dropped_at_once(admin: TestClient):
    assert "dropped: 0" in send(admin, "/quarantine/drop", all="1", reason="other", confirmed="1")
    assert "dropped: 1" in send(admin, "/quarantine/drop", all="1", reason="too_deep", confirmed="1")


def test_a_replay_is_started_paused_resumed_and_discarded(admin: TestClient):
    page = send(admin, "/replays/start", recipe="crypto", since="7d")
    assert "The replay has begun" in page
    (replay,) = admin.get("/operate/replays.json").json()["items"]
    path = f"/replays/{replay['id']}"
    assert "The replay is paused" in send(admin, f"{path}/pause")
    assert "The replay goes on" in send(admin, f"{path}/resume")
    assert "only one that is" in send(admin, f"{path}/apply", verdict="better")
    assert "choose at least one verdict" in send(admin, f"{path}/apply")
    assert admin.get(f"/operate{path}?verdict=strange").status_code == 400
    assert "is discarded" in send(admin, f"{path}/discard", confirmed="1")


def test_a_search_is_tested_saved_paused_and_removed(admin: TestClient):
    tested = admin.get("/operate/searches.json?test=harbour").json()
    assert {match["record_kind"] for match in tested["matches"]} == {"document", "story"}
    assert "Save this search" in admin.get("/operate/searches?test=harbour").text
    assert admin.get('/operate/searches.json?test="').json()["problem"] or True
    assert "harbour-news is saved" in send(admin, "/searches/add", name="harbour-news", query="harbour")
    assert "cannot be the name of a search" in send(
        admin, "/searches/add", name="Harbour News", query="harbour"
    )
    assert "is paused" in send(admin, "/searches/harbour-news/pause")
    assert "again" in send(admin, "/searches/harbour-news/resume")
    assert "is removed" in send(admin, "/searches/harbour-news/remove", confirmed="1")


def test_a_key_is_shown_once_and_opens_nothing_after_it_was_revoked(admin: TestClient):
    page = send(admin, "/keys/create", name="Grafana", scope="read")
    key = re.search(r"hw_[0-9a-f]{12}_[\w-]{43}", page)
    assert key is not None
    assert key[0] not in admin.get("/operate/keys").text
    (row,) = [row for row in admin.get("/operate/keys.json").json()["items"] if row["name"] == "Grafana"]
    assert "Grafana is revoked" in send(admin, f"/keys/{row['id']}/revoke", confirmed="1")
    assert admin.get("/api/v1/documents", headers={"X-Api-Key": key[0]}).status_code == 401


def test_whoever_changes_something_on_the_answer_to_a_form_returns_to_the_page_of_the_form(admin: TestClient):
    send(admin, "/keys/create", name="Grafana", scope="read")
    (row,) = [row for row in admin.get("/operate/keys.json").json()["items"] if row["name"] == "Grafana"]
    headers = {"referer": "http://127.0.0.1/operate/keys/create"}
    after = admin.post(f"/operate/keys/{row['id']}/revoke", data={"confirmed": "1"}, headers=headers)
    assert (after.status_code, after.url.path) == (200, "/operate/keys")
    assert "Grafana is revoked" in after.text
    assert admin.get("/operate/sources/preview").url.path == "/operate/sources/add"


def way_back(page: str) -> str:
    """Where the buttons of theme and language lead to."""
    field = re.search(r'action="/preferences"[^>]*>\s*<input type="hidden" name="next" value="([^"]*)"', page)
    assert field is not None
    return field[1]


def test_a_page_made_by_a_form_has_no_button_that_leaves_it_and_others_lead_back(admin: TestClient):
    assert "/preferences" not in send(admin, "/keys/create", name="Grafana", scope="read")
    preview = next(action for action in ACTIONS if action.path == "/operate/sources/preview")
    assert preview.page == "/operate/sources/add"
    assert all(action.page in {page.path for page in PAGES} for action in ACTIONS if action.template)
    refused = admin.post("/operate/keys/create", data={}, headers={"origin": "https://evil.example"})
    assert (refused.status_code, way_back(refused.text)) == (403, "/")
    assert way_back(admin.get("/operate/sources?q=wire").text) == "/operate/sources?q=wire"


def test_a_form_of_another_site_changes_nothing(admin: TestClient):
    headers = {"origin": "https://evil.example"}
    answer = admin.post("/operate/quarantine/drop", data={"all": "1", "reason": "too_deep"}, headers=headers)
    assert answer.status_code == 403
    assert len(admin.get("/operate/quarantine.json").json()["items"]) == 1


def test_an_article_that_is_missing_is_explained(client: TestClient, app: App):
    fate = client.get("/operate/missing.json?q=https://wire.example/rain-record").json()["fate"]
    assert (fate["state"], fate["quarantined"]) == ("kept", [fate["document"]])
    assert "It is here" in client.get("/operate/missing?q=https://wire.example/rain-record").text
    listed = client.get("/operate/missing.json?q=harbour talks").json()["items"]
    assert [row["url"] for row in listed] == ["https://wire.example/harbour-talks"]
    unknown = client.get("/operate/missing?q=https://wire.example/never-seen")
    assert "No source listed it" in unknown.text
    assert ">Wire</a>" in unknown.text


def test_an_item_that_another_source_had_listed_is_explained_itself(client: TestClient, app: App):
    with write_transaction(app.store.engine) as connection:
        row = dict(connection.execute(select(leads).limit(1)).mappings().one())
        later = {"id": "f" * 24, "state": "duplicate", "reason": "duplicate:url", "title": "Harbour, again"}
        connection.execute(insert(leads).values(**row | later))
    fate = client.get(f"/operate/missing.json?q=harbour&item={'f' * 24}").json()["fate"]
    assert (fate["state"], fate["title"]) == ("duplicate", "Harbour, again")
    assert (fate["known_from"]["state"], fate["document"]) == ("kept", row["document_id"])
    page = client.get(f"/operate/missing?q=harbour&item={'f' * 24}").text
    assert "another source had listed it" in page
    assert 'value="harbour"' in page


@pytest.mark.parametrize("address", ["http://[::1", "http://℀.com", "https://[x]/", "http://host:port/"])
def test_a_typed_address_that_is_none_gets_an_ordinary_answer(admin: TestClient, address: str):
    for page in ("/operate/missing", "/operate/sources", "/search"):
        assert admin.get(page, params={"q": address}).status_code == 200, page
    assert "No source listed it" in admin.get("/operate/missing", params={"q": address}).text
    fields = {"recipe": "crypto", "name": "Coin", "url": address, "kind": "feed"}
    assert "notice failed" in send(admin, "/sources/preview", **fields)
    assert send(admin, "/sources/add", **fields)


def test_the_page_of_a_retried_record_says_what_became_of_it(admin: TestClient):
    (row,) = admin.get("/operate/quarantine.json").json()["items"]
    place = f"/operate/quarantine/{row['record_id']}"
    before = admin.get(place).text
    assert "Last attempt" in before
    assert f'name="next" value="{place}"' in before
    after = send(admin, "/quarantine/retry", record=row["record_id"], next=place)
    assert "Records that are due again: 1" in after
    assert "It is not quarantined now." in after
    assert "It waits to be processed." in after
    assert admin.get(f"{place}.json").json()["entry"] is None


def test_an_entry_that_a_poll_refused_is_explained(client: TestClient, app: App):
    """It became no lead; only the poll noted it."""
    with app.store.engine.begin() as connection:
        source = connection.execute(select(sources.c.id, sources.c.recipe)).mappings().first()
        assert source is not None
        warnings = ["unsafe_link: javascript", "entry_without_link: Bridge opens"]
        row = {"id": "9" * 40, "recipe": source["recipe"], "source_id": source["id"], "status": "done"}
        connection.execute(insert(polls), [row | {"started_at": START, "warnings": warnings}])
    (note,) = client.get("/operate/missing.json?q=bridge Opens").json()["notes"]
    assert (note["note"], note["others"]) == (warnings[1], warnings[:1])
    page = client.get("/operate/missing?q=Bridge opens").text
    assert "entry_without_link: Bridge opens" in page
    assert "No source listed it" not in page
    assert client.get("/operate/missing.json?q=without_link").json()["notes"] == []


def test_the_crash_trial_is_only_in_the_demo(client: TestClient):
    assert client.get("/operate/crash-trial").status_code == 404
    assert client.get("/operate/alarms", headers=WITH_KEY).status_code == 200


def test_a_saved_search_has_a_page_with_its_matches_and_what_became_of_each(admin: TestClient, app: App):
    queue = {"name": "harbour", "query": "harbour", "channel": "queue", "delivery": "immediately"}
    add_search(app, SearchRequest(**queue, filters={"language": ["en", "de"]}))
    search = named_search(app, "harbour")
    send(admin, "/searches/harbour/apply")
    rows = list_matches(app.engine, search, None, 10).rows
    (first, *_) = [row for row in rows if row["record_kind"] == "document"]
    document = app.store.documents([first["record_id"]])[first["record_id"]]
    with app.store.engine.begin() as connection:
        open_deliveries(connection, [(document, search.route, "document", 1)], START)
        failing = deliveries.update().where(deliveries.c.route == search.route)
        connection.execute(failing.values(reason="http_503", attempts=2))
    model = admin.get("/operate/searches/harbour.json").json()
    assert model["total"] == len(model["items"]) == len(rows) >= 2
    assert (model["deliveries"]["failed"], model["deliveries"]["sent"]) == (1, 0)
    states = {item["record_id"]: item["delivery"]["state"] for item in model["items"]}
    assert states.pop(first["record_id"]) == "failing"
    assert set(states.values()) == {""}
    page = admin.get("/operate/searches/harbour").text
    assert "status 503" in page
    assert "/api/v1/searches/harbour/feed.rss" in page


def test_a_saved_search_is_changed_and_keeps_its_matches(admin: TestClient, app: App):
    add_search(app, SearchRequest(name="port", query="harbour", filters={"language": ["en", "de"]}))
    send(admin, "/searches/port/apply")
    count = match_counts(app.engine)[named_search(app, "port").id][0]
    fields = {"query": "harbour talks", "condition": "language=de", "record_kind": "document"}
    assert "port is changed" in send(admin, "/searches/port/change", **fields, delivery="queue/immediately")
    changed = named_search(app, "port")
    assert (changed.query, changed.filters, changed.channel) == (
        "harbour talks",
        {"language": ["de"]},
        "queue",
    )
    assert match_counts(app.engine)[changed.id][0] == count > 0
    assert "there is no channel" in send(admin, "/searches/port/change", **fields, delivery="nowhere/daily")
    assert named_search(app, "port") == changed


def test_lists_are_sorted_by_links_in_their_heads(client: TestClient):
    page = client.get("/operate/sources").text
    assert (
        '<th scope="col" aria-sort="ascending"><a class="sort" href="?sort=status&amp;direction=desc">'
        in page
    )
    for path in ("/operate/sources", "/operate/runs", "/operate/quarantine", "/stories", "/documents"):
        links = re.findall(r'class="sort" href="([^"]+)"', client.get(path).text)
        assert links or path == "/operate/runs", path
        for link in links:
            assert client.get(path + unescape(link)).status_code == 200
        assert client.get(f"{path}?sort=colour").status_code == 400


def test_pages_show_no_english_word_to_readers_of_spanish(admin: TestClient, app: App, monkeypatch):
    """Also where the words come from rows: states, tasks, kinds of sources, reasons. What a catalogue lacks is noted."""
    missing: set[str] = set()

    def noting(language: str, text: str, package: str = OWN_PACKAGE, **values: object) -> str:
        if language == "es" and text not in {**catalogue("es"), **catalogue("es", package)}:
            missing.add(text)
        return translate(language, text, package, **values)

    monkeypatch.setattr(rendering, "translate", noting)
    app.pipeline_runs.begin("run_1", RECIPE, {}, START, is_continuous=True)
    add_search(app, SearchRequest(name="port", query="harbour", channel="queue"))
    source, record = (
        app.catalogue.sources()[0]["id"],
        admin.get("/operate/quarantine.json").json()["items"][0],
    )
    story = admin.get("/stories.json").json()["stories"][0]["id"]
    paths = [f"/operate{path}" for path in (*LISTS, "/keys", "/sources/add", "/searches/port", "/runs/run_1")]
    paths += [
        "/",
        "/search?q=harbour",
        "/documents",
        "/stories",
        "/map",
        "/keys",
        "/sign-in",
        f"/stories/{story}",
    ]
    paths += [
        f"/operate/sources/{source}",
        f"/operate/quarantine/{record['record_id']}",
        f"/documents/{record['record_id']}",
    ]
    for path in paths:
        assert admin.get(path, headers={"accept-language": "es"}).status_code == 200, path
    # The place in a page from which a field comes is named by its elements.
    assert missing - {"html title"} == set()
