"""The pages for analysts: every sentence and every field leads to its evidence, and each page has its twin in JSON."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import update
from starlette.testclient import TestClient
from tests.support.api_installation import installation, page_client
from tests.support.page_rows import PageRows, fill_pages

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.model.jobs import State
from headwater.ops.field_evidence import whole_forms
from headwater.store.connect import write_transaction
from headwater.store.reads.explanation import explain
from headwater.store.schema.flow import documents, leads
from headwater.store.search.document_search import SearchResults
from headwater.web.pages.translations import SPANISH, translate
from headwater.web.search_pages import PagedSearch, search_page


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, PageRows]]:
    with installation(tmp_path_factory.mktemp("pages")) as app:
        yield app, fill_pages(app)


@pytest.fixture(scope="module")
def client(filled: tuple[App, PageRows]) -> Iterator[TestClient]:
    with page_client(filled[0], local_scope=KeyScope.OPERATE) as client:
        yield client


@pytest.fixture(scope="module")
def rows(filled: tuple[App, PageRows]) -> PageRows:
    return filled[1]


def test_a_story_names_the_documents_of_every_sentence(client: TestClient, rows: PageRows):
    model = client.get(f"/stories/{rows.dam_story}.json").json()
    (claim,) = model["claims"]
    assert [document["id"] for document in claim["documents"]] == [rows.article]
    assert [country["name"] for country in model["story"]["countries"]] == ["Peru", "Brazil"]
    assert [(entry["id"], entry["copies"]) for entry in model["timeline"]] == [(rows.article, 1)]
    page = client.get(f"/stories/{rows.dam_story}").text
    assert f'class="reference" href="/documents/{rows.article}"' in page


def test_the_heat_of_a_story_leads_to_its_reasons(client: TestClient, rows: PageRows):
    page = client.get(f"/stories/{rows.dam_story}").text
    assert '<a href="#heat">Heat 70</a>' in page
    assert "<li>Recency adds 0.2 &lt;of&gt; 0.25.</li>" in page
    assert "<li>it grew to 10 reports</li>" in page


def test_what_changed_depends_on_the_period(client: TestClient, rows: PageRows):
    day = client.get(f"/stories/{rows.dam_story}.json").json()["changes"]
    hour = client.get(f"/stories/{rows.dam_story}.json?since=1h").json()["changes"]
    assert (len(day["new_reports"]), len(hour["new_reports"])) == (1, 0)
    assert "Nothing new in this period." in client.get(f"/stories/{rows.dam_story}?since=1h").text


def test_stories_of_a_recipe_are_a_list_with_pages(client: TestClient):
    assert len(client.get("/stories.json?recipe=trial").json()["stories"]) == 2
    assert client.get("/stories?recipe=none").status_code == 404
    assert client.get("/stories?cursor=x").status_code == 400


def test_search_marks_the_words_and_offers_facets(client: TestClient, rows: PageRows):
    model = client.get("/search.json?q=dam").json()
    assert model["results"][0]["id"] == rows.article
    assert any(part["is_marked"] for part in model["results"][0]["title"])
    page = client.get("/search?q=dam").text
    assert "<mark>dam</mark>" in page
    assert client.get("/search.json?country=PE").json()["results"][0]["id"] == rows.article
    assert "How to search" in client.get("/search").text
    assert "Nothing matches" in client.get("/search?topic=none").text


def test_a_time_that_is_none_leaves_the_form_with_what_was_typed(client: TestClient):
    page = client.get("/search?q=dam&since=16/11/2026")
    assert page.status_code == 200
    assert "is not a time" in page.text
    assert 'value="16/11/2026"' in page.text
    assert 'value="dam"' in page.text


def test_search_does_not_claim_words_that_no_document_has(
    client: TestClient, filled: tuple[App, PageRows], monkeypatch: pytest.MonkeyPatch
):
    assert "No document has the words" in client.get("/search?q=zzzzqqqq").text
    assert "there is nothing to search for" in client.get("/search", params={"q": '"'}).text
    filtered = client.get("/search", params={"q": "-source:nope"}).text
    assert "The search names no words; the newest first" in filtered
    assert "there is no source named" in filtered
    assert "document has" not in filtered
    assert "1 document has the word<" in client.get("/search?q=dam").text.replace(" <", "<").replace(
        " ·", "<"
    )
    assert "has at least one of the words" in client.get("/search?q=dam+zzzzqqqq").text
    newest, _ = search_page(filled[0], PagedSearch(text="*"))
    facets = {"source": {"Meridian Post": 3, "Wire": 1}}
    by_meaning = SearchResults(newest.rows, 4, 0, facets=facets)
    monkeypatch.setattr("headwater.web.pages.analyst.search.search_page", lambda *_: (by_meaning, None))
    page = client.get("/search?q=zzzzqqqq").text
    assert "No document has the words · 4 by meaning" in page
    assert "count the results by words and those by meaning" in page
    twin = client.get("/search.json?q=zzzzqqqq").json()
    assert (twin["total"], twin["word_total"], twin["has_words"]) == (4, 0, True)


def test_a_search_can_be_saved_once_under_a_name(client: TestClient, filled: tuple[App, PageRows]):
    fields = {"name": "Dams of Peru", "q": "dam", "country": "PE", "next": "/search?q=dam"}
    page = client.post("/search/save", data=fields)
    assert page.url.path == "/search"
    assert "Saved as “dams-of-peru”" in page.text
    assert "Saved as" not in client.get("/search?q=dam").text
    again = client.post("/search/save", data=fields)
    assert 'class="notice failed"' in again.text
    assert client.get("/api/v1/searches/dams-of-peru").json()["filters"] == {"country": ["PE"]}


@pytest.mark.parametrize(
    ("field", "quote"),
    [
        ("title", "Valley dam opens its gates"),
        ("authors", "Ilse Varn"),
        ("amount", "4.2 million dollars"),
        ("published_at", "12 November 2026"),
    ],
)
def test_a_field_is_marked_where_it_stands_in_the_archived_page(
    client: TestClient, rows: PageRows, field: str, quote: str
):
    frame = client.get(f"/documents/{rows.article}/source?field={field}")
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", frame.text) == [quote]
    assert "html/body/" in frame.text


def test_a_mark_that_states_only_the_day_says_where_the_time_comes_from(client: TestClient, rows: PageRows):
    note = client.get(f"/documents/{rows.article}/source?field=published_at").text
    assert "Of “published_at”, only the day stands here, not the time" in note
    assert "The time comes from the entry of the source" in note
    assert "only the day" not in client.get(f"/documents/{rows.article}/source?field=authors").text
    evidence = client.get(f"/api/v1/documents/{rows.article}/fields/published_at").json()
    assert (evidence["origin"], evidence["passage"]["quote"]) == ("source", "12 November 2026")


def test_a_day_states_the_whole_of_a_date_without_a_time():
    day = datetime(2026, 11, 12, tzinfo=UTC)
    assert "12 November 2026" in whole_forms(day)
    assert "12 November 2026" not in whole_forms(day.replace(hour=7, minute=33))


def test_the_frame_of_an_archived_page_runs_and_loads_nothing(client: TestClient, rows: PageRows):
    frame = client.get(f"/documents/{rows.article}/source")
    policy = frame.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script" not in policy
    assert "evil.example" not in frame.text
    assert "<script" not in frame.text


def test_a_document_shows_its_fields_with_origins_text_trail_and_copies(client: TestClient, rows: PageRows):
    model = client.get(f"/documents/{rows.article}.json").json()
    origins = {field["name"]: field["origin"] for field in model["fields"]}
    assert origins["title"] == "html h1"
    assert "amount" in [record["name"] for record in model["attributes"]]
    assert [copy["id"] for copy in model["copies"]] == [rows.copy]
    page = client.get(f"/documents/{rows.article}").text
    assert '<iframe name="archived" sandbox src=' in page
    assert client.get("/documents/none").status_code == 404
    spanish = client.get(f"/documents/{rows.article}", headers={"accept-language": "es"}).text
    assert ">conservado</span>" in spanish
    assert translate(SPANISH, "source") == "fuente"


def test_a_document_without_its_page_says_why(client: TestClient, filled: tuple[App, PageRows]):
    app, rows = filled
    of_article = update(documents).where(documents.c.id == rows.article)

    def page_of(state: str) -> str:
        with write_transaction(app.engine) as connection:
            connection.execute(of_article.values(page=state))
        return client.get(f"/documents/{rows.article}").text

    assert "This page does not exist any more. The text is what the source delivered." in page_of("missing")
    assert "what the source delivered" not in page_of("read")


def test_the_documents_that_a_step_set_aside_are_listed_as_quarantined(
    client: TestClient, filled: tuple[App, PageRows]
):
    app, rows = filled
    of_article = update(documents).where(documents.c.id == rows.article)

    def quarantined_in(state: State) -> bool:
        with write_transaction(app.engine) as connection:
            connection.execute(of_article.values(state=state))
        listed = client.get("/documents.json?state=quarantined").json()["items"]
        return rows.article in {item["id"] for item in listed}

    assert quarantined_in(State.ASIDE)
    assert not quarantined_in(State.KEPT)
    assert client.get("/documents?state=aside").status_code == 400
    sizes = {
        state: len(client.get(f"/documents.json?state={state}").json()["items"])
        for state in ("kept", "duplicate", "dropped", "quarantined", "rejected", "all")
    }
    assert sizes["rejected"] == sizes["dropped"] + sizes["quarantined"]
    assert sizes["all"] == sizes["kept"] + sizes["duplicate"] + sizes["rejected"]


def test_a_duplicate_is_explained_by_both_texts_side_by_side(client: TestClient, rows: PageRows):
    model = client.get(f"/documents/{rows.copy}/original.json").json()
    assert (model["rule"], model["has_texts"]) == ("same-text", True)
    assert [row["kind"] for row in model["rows"]] == ["changed", "same", "only_left"]
    assert "Why is this a duplicate?" in client.get(f"/documents/{rows.copy}/original").text
    assert client.get(f"/documents/{rows.article}/original").status_code == 404


def test_the_map_has_the_same_countries_as_its_table(client: TestClient):
    model = client.get("/map.json").json()
    assert [spot["code"] for spot in model["spots"]] == ["BR", "PE"]
    page = client.get("/map").text
    for code in ("BR", "PE"):
        assert f'<a href="#{code}"' in page
        assert f'<tr id="{code}"' in page


def test_an_attempt_that_brought_no_page_stands_among_the_captures(
    client: TestClient, filled: tuple[App, PageRows]
):
    app, rows = filled
    lead = explain(app.engine, rows.article)["lead"]["id"]
    failed = update(leads).where(leads.c.id == lead)
    with app.engine.begin() as connection:
        connection.execute(failed.values(page_reason="forbidden"))
    try:
        page = client.get(f"/documents/{rows.article}").text
    finally:
        with app.engine.begin() as connection:
            connection.execute(failed.values(page_reason=None))
    assert "its server forbids it" in page
    assert ">200<" in page
