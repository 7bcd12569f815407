"""`headwater search` and the retriever over the store, as an operator and an assistant call them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.flow.command_line import call
from tests.support.crypto_scene import crypto, drafts, settings_file
from tests.support.scene import START, Scene, kept_result

from headwater.store.search import query_vectors


class TwoTopicEncoder:
    """An encoder of two meanings: taxes and the sea."""

    name = "two-topics"

    def __call__(self, texts: list[str], languages: list[str] | None = None) -> Any:
        return np.array([[float("tax" in t.lower()), float("sea" in t.lower())] for t in texts], np.float32)


@pytest.fixture
def search(
    scene: Scene,
    database: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Any:
    first, second = drafts(scene, crypto("Wire"), "one", "two")
    scene.refine(
        kept_result(first, title="Tax on coins", text="A café pays the tax.", language="en", published=START),
        kept_result(
            second, title="Sea trade", text="Coins travel by sea.", language="en-GB", published=START
        ),
    )
    settings = ("--config", str(settings_file(tmp_path, database)))
    monkeypatch.setattr(query_vectors, "open_search_encoder", lambda *_: TwoTopicEncoder())
    return lambda *words: call(capsys, monkeypatch, *settings, "search", *words)


def test_p29_documents_are_searched_and_shown(search: Any):
    shown = search("CAFE").out
    assert "Tax on coins" in shown
    assert "A café pays the tax." in shown
    assert f"crypto {START:%Y-%m-%d}" in shown
    assert [row["title"] for row in search("sea coins", "--json").records] == ["Sea trade", "Tax on coins"]
    assert [
        row["title"] for row in search("coins", "--language", "en", "--limit", "1", "--json").records
    ] != []
    assert search("xyzzy").out.strip() == "No document matches."


def test_p29_documents_are_searched_by_meaning(search: Any):
    records = search("about the sea", "--meaning", "--json").records
    assert [(row["title"], row["similarity"]) for row in records] == [("Sea trade", 1.0)]


def test_facets_filters_and_corrections_are_shown(search: Any):
    shown = search("coins", "--facet", "language", "--since", "2026-01-01", "--method", "words").out
    assert "language: en 1, en-GB 1" in shown
    *rows, last = search("coins title:tax", "--facet", "language", "--json").records
    assert [row["title"] for row in rows] == ["Tax on coins"]
    assert last == {"facets": {"language": {"en": 1}}, "total": 1}
    assert "searched for 'travel'" in search("travle").out
    assert "There is no source named 'nope'." in search("coins -source:nope", "--json").err


def test_a_query_that_begins_with_a_minus_stands_after_two(search: Any):
    assert "Put -- before a query" in search("-sea coins").err
    assert "Put --" not in search("--recpie", "x", "coins").err
    assert [row["title"] for row in search("--json", "--", "-sea coins").records] == ["Tax on coins"]


def test_invalid_options_are_reported_in_one_sentence(search: Any):
    for words in (
        ("x", "--since", "someday"),
        ("x", "--recipe", "nothing"),
        ("x", "--method", "magic"),
        ("x", "--facet", "colour"),
        ("date:someday",),
        ("languge:es",),
        ("?!",),
        ("x" * 2_001,),
    ):
        answer = search(*words)
        assert answer.code != 0
        assert "Traceback" not in answer.err
