"""A filing of two registrants, as the full-text search lists it: once under each company."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.flow.test_next_poll import CannedFetcher
from tests.support.poll_sessions import NOW, answer, context_for, run

from headwater.model.http import Request, Response
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents, leads
from headwater.store.schema.knowledge import mentions
from headwater_recipes.markets.definition import configure

PARENT, SUBSIDIARY = "0001999901", "0001999902"
ADSH = "0001999901-26-000017"
WATCH_LIST = f"""
entities:
  - {{ticker: NGSC, name: Northgate, sector: Semiconductors, cik: "{PARENT}"}}
  - {{ticker: NGFI, name: Northgate Finance, sector: Finance, cik: "{SUBSIDIARY}"}}
sources:
  - {{name: filings, kind: filings_api, per_company: true, options: {{releases: true}}}}
"""
TEXT = "The companies agreed on a joint credit line of nine hundred million dollars, which banks in four countries fund. "
PAGE = f"<html><body><h1>Current report</h1><p>{TEXT * 8}</p><p>{TEXT[::-1] * 4}</p></body></html>"


def part(name: str, kind: str, sequence: int) -> dict[str, Any]:
    fields = {
        "ciks": [PARENT, SUBSIDIARY],
        "display_names": ["Northgate", "Northgate Finance"],
        "sequence": sequence,
        "root_forms": ["8-K"],
        "file_date": "2026-11-02",
        "form": "8-K",
        "adsh": ADSH,
        "file_type": kind,
    }
    return {"_id": f"{ADSH}:{name}", "_source": fields}


PARTS = [
    part("report.htm", "8-K", 1),
    part("release-1.htm", "EX-99.1", 2),
    part("release-2.htm", "EX-99.2", 3),
]


def reply(request: Request) -> Response:
    if "search-index" in request.url:
        body = json.dumps({"hits": {"total": {"value": 3}, "hits": PARTS}})
        return answer(request, body, media_type="application/json")
    return answer(request, PAGE.replace("Current report", request.url.rpartition("/")[2]))


def test_r8_one_accession_number_is_one_filing_with_several_companies(tmp_path: Path):
    (tmp_path / "watch.yaml").write_text(WATCH_LIST)
    recipe = replace(configure(tmp_path / "watch.yaml", {}), routes=())
    with context_for(tmp_path, "http://127.0.0.1:9", recipe, lambda: NOW) as (_, context):
        network = CannedFetcher(reply)
        run(replace(context, fetcher=network))
        with read_transaction(context.store.engine) as connection:
            document_rows = connection.execute(documents.select()).mappings().all()
            lead_rows = connection.execute(leads.select()).mappings().all()
            mention_rows = connection.execute(mentions.select()).mappings().all()
    assert len(lead_rows) == 6  # each source has listed the three parts
    assert sorted(row["attributes"]["part"] for row in document_rows) == ["8-K", "EX-99.1", "EX-99.2"]
    pages = [request.url for request in network.requests if "/Archives/" in request.url]
    assert len(pages) == 3
    companies = {subject.id for subject in recipe.subjects}
    for row in document_rows:
        assert set(row["subjects"]) == companies
        assert {m["subject_id"] for m in mention_rows if m["document_id"] == row["id"]} == companies
