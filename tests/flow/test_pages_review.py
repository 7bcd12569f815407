"""The review page of procedures: values beside their passages, one decision after the other, and undo."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.support.api_installation import installation, page_client
from tests.support.review_files import HOSTILE_NAME, write_procedures

from headwater.app import App
from headwater.model.api_key import KeyScope
from headwater.ops.api_keys import create_api_key

PAGE = "/recipes/procedures/review"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with installation(tmp_path) as opened:
        write_procedures(opened.output("procedures"), 3)
        yield opened


@pytest.fixture
def editor(app: App) -> Iterator[TestClient]:
    _, text = create_api_key(app, "editor", KeyScope.OPERATE)
    with page_client(app) as session:
        session.post("/sign-in", data={"key": text})
        yield session


def test_a_proposal_shows_current_and_proposed_values_changed_ones_first(editor: TestClient):
    model = editor.get(f"{PAGE}.json").json()
    assert (model["id"], model["place"], model["total"]) == ("local-muestra-ayuda", 1, 3)
    assert (model["fields"][0]["current"], model["fields"][0]["proposed"]) == ("Ayuda", "Ayuda nueva")
    page = editor.get(PAGE).text
    assert "Ayuda nueva" in page
    assert "Current" in page


def test_an_unverified_file_shows_each_value_beside_its_passage(editor: TestClient):
    model = editor.get(f"{PAGE}.json?id=local-muestra-bono-00").json()
    amounts = next(field for field in model["fields"] if field["name"] == "cuantias")
    assert amounts["passages"] == ["120 euros al año."]
    page = editor.get(f"{PAGE}?id=local-muestra-bono-00").text
    assert "<blockquote>120 euros al año.</blockquote>" in page
    assert HOSTILE_NAME not in page
    assert "Current" not in page


def test_accepting_leads_to_the_next_one_and_undo_brings_it_back(app: App, editor: TestClient):
    answer = editor.post(f"{PAGE}/accept", data={"id": "local-muestra-bono-00"})
    assert str(answer.url).endswith("?id=local-muestra-bono-01")
    path = app.output("procedures") / "tramites" / "local-muestra-bono-00.json"
    assert json.loads(path.read_text())["verified_by"] == "manual"
    editor.post(f"{PAGE}/accept", data={"id": "local-muestra-bono-01"})
    assert editor.get("/recipes/procedures/reviews.json").json()["counts"] == {
        "waiting": 1,
        "accepted": 2,
        "rejected": 0,
    }
    editor.post(f"{PAGE}/undo", data={"id": "local-muestra-bono-01"})
    assert editor.get(f"{PAGE}.json").json()["undoable"]["id"] == "local-muestra-bono-00"
    answer = editor.post(f"{PAGE}/undo", data={"id": "local-muestra-bono-00"})
    assert "waits for review again" in answer.text
    assert json.loads(path.read_text())["verified_by"] is None


def test_a_second_decision_about_the_same_procedure_leads_on(editor: TestClient):
    for verb in ("accept", "accept", "reject"):
        answer = editor.post(
            f"{PAGE}/{verb}",
            data={"id": "local-muestra-bono-00", "reason": "another town"},
            headers={"referer": f"http://127.0.0.1{PAGE}?id=local-muestra-bono-00"},
        )
        assert answer.status_code == 200
    assert "was decided already" in answer.text
    assert str(answer.url).endswith("?id=local-muestra-ayuda")


def test_a_rejection_needs_a_reason(app: App, editor: TestClient):
    answer = editor.post(f"{PAGE}/reject", data={"id": "local-muestra-bono-01", "reason": " "})
    assert "give a reason" in answer.text
    editor.post(f"{PAGE}/reject", data={"id": "local-muestra-bono-01", "reason": "another town"})
    assert not (app.output("procedures") / "tramites" / "local-muestra-bono-01.json").exists()
    (item,) = editor.get("/recipes/procedures/reviews.json?state=rejected").json()["items"]
    assert (item["id"], item["reason"]) == ("local-muestra-bono-01", "another town")
    page = editor.get(f"{PAGE}?id=local-muestra-bono-01").text
    assert "another town" in page
    assert "Review again" in page
    assert editor.get("/recipes/procedures/reviews.json").json()["items"][-1]["id"] == "local-muestra-bono-00"


def test_readers_see_proposals_and_decide_nothing(app: App):
    with page_client(app) as reader:
        assert "Sign in to decide" in reader.get(PAGE).text
        assert reader.post(f"{PAGE}/accept", data={"id": "local-muestra-ayuda"}).status_code in {401, 403}


def test_when_all_is_decided_the_list_says_so(editor: TestClient):
    for item in editor.get("/recipes/procedures/reviews.json").json()["items"]:
        editor.post(f"{PAGE}/accept", data={"id": item["id"]})
    assert "Nothing waits for review" in editor.get("/recipes/procedures/reviews").text
    assert editor.get(PAGE).status_code == 404
