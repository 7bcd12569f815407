"""Three articles of a news API, read back the way another program would: with plain SQL from the views."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.flow.test_next_poll import CannedFetcher
from tests.support.poll_sessions import NOW, answer, context_for, run

from headwater.model.http import Request, Response
from headwater.store.connect import read_transaction
from headwater_recipes.markets.definition import configure

WATCH_LIST = """
entities:
  - {ticker: NGSC, name: Northgate, sector: Semiconductors}
sources:
  - {name: news, kind: news_api, per_company: true}
"""
FIRST = "Northgate will build a second plant near the harbour, its chair said on Friday."
SECOND = "The site costs nine hundred million dollars and opens in two years."
WEIGHTS = {
    "word_count": 0.30, "body_found": 0.20, "diversity": 0.15, "sentence": 0.15, "paragraph": 0.10, "metadata": 0.10,
}  # fmt: skip
PARAGRAPHS = [
    f"In town {number} the company hires {number * 13} people, who assemble parts for ship model {number * 7}."
    for number in range(1, 31)
]
PAGES = {
    "full": "<article><h1>Full</h1>"
    + "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    + "</article>",
    "thin": f"<article><h1>Thin</h1><p>{FIRST}</p></article>",
    "junk": "<article><p>ok ok ok ok yes</p></article>",
}


def article(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": name.title(),
        "published_utc": "2026-11-13T08:00:00Z",
        "article_url": f"https://press.example/{name}",
        "publisher": {"name": "Harbour Wire"},
    } | fields


ARTICLES = [
    article("full", author="Ana Ferrer", description="Jobs in thirty towns."),
    article("thin", author="Ana Ferrer", description=f"{FIRST} {SECOND}", keywords=["plants", "jobs"]),
    article("junk"),
]


def reply(request: Request) -> Response:
    if "/v2/reference/news" in request.url:
        return answer(request, json.dumps({"results": ARTICLES}), media_type="application/json")
    return answer(request, f"<html><body>{PAGES[request.url.rpartition('/')[2]]}</body></html>")


class Reader:
    def __init__(self, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        self.rows = rows

    def document(self, title: str) -> dict[str, Any]:
        (row,) = [row for row in self.rows["markets_documents"] if row["title"] == title]
        return row | {"parser_output": json.loads(row["parser_output"] or "{}")}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder: Path = tmp_path_factory.mktemp("contract")
    (folder / "watch.yaml").write_text(WATCH_LIST)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADWATER_MASSIVE_KEY", "demo-key")
        recipe = configure(folder / "watch.yaml", {})
        with context_for(folder, "http://127.0.0.1:9", recipe, lambda: NOW) as (app, context):
            run(replace(context, fetcher=CannedFetcher(reply), sinks=app.sinks))
            with read_transaction(context.store.engine) as connection:
                names = ("markets_documents", "markets_ingestion_runs", "markets_sources", "queue_items")
                yield Reader(
                    {
                        name: [
                            dict(row) for row in connection.execute(text(f"SELECT * FROM {name}")).mappings()
                        ]
                        for name in names
                    }
                )


def test_r61_the_run_counts_what_was_fetched_and_new_and_the_source_has_no_failures(reader: Reader):
    (ingestion_run,) = reader.rows["markets_ingestion_runs"]
    assert (ingestion_run["status"], ingestion_run["items_fetched"], ingestion_run["items_new"]) == (
        "completed", 3, 3,
    )  # fmt: skip
    assert [row["retry_count"] for row in reader.rows["markets_sources"]] == [0]


def test_r71_a_short_body_is_completed_from_the_payload(reader: Reader):
    document = reader.document("Thin")
    assert document["normalized_text"].count(FIRST) == 1
    assert SECOND in document["normalized_text"]
    output = document["parser_output"]
    assert (output["metadata"]["authors"], output["tags"]) == (["Ana Ferrer"], ["plants", "jobs"])
    assert "payload" in output["metadata"]["origins"]["text"]


def test_r72_the_score_is_the_weighted_sum_of_its_published_signals(reader: Reader):
    document = reader.document("Full")
    signals = document["parser_output"]["quality"]["signals"]
    assert signals.keys() == WEIGHTS.keys()
    expected = sum(weight * signals[name] for name, weight in WEIGHTS.items())
    assert document["quality_score"] == pytest.approx(min(expected, 0.95), abs=1e-4)
    assert document["confidence"] == "high"


def test_r76_r85_a_poor_page_is_low_quality_with_its_score_and_not_queued(reader: Reader):
    document = reader.document("Junk")
    assert (document["status"], document["confidence"]) == ("low_quality", "low")
    assert document["quality_score"] < 0.35
    waiting = {row["document_id"] for row in reader.rows["queue_items"]}
    assert document["id"] not in waiting
    assert reader.document("Full")["id"] in waiting
