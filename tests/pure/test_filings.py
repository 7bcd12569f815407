"""Filings from the full-text search: one lead each, primary documents only, with their URLs."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.poll_sessions import NOW, answer, make_source, run_session

from headwater.model.errors import Permanent, Temporary
from headwater_recipes.markets.sources.edgar import cik_of_ticker, discover_filings, normal_cik, parse_hit

CIK = "0001999901"
ADSH = "0001999901-26-000017"
discover = discover_filings()


def hit(name: str = "ng-20261030.htm", kind: str = "8-K", sequence: Any = 1, **fields: Any) -> dict[str, Any]:
    source = {
        "ciks": [CIK],
        "period_ending": "2026-10-30",
        "display_names": [f"Northgate Semiconductors Inc.  (NGSC)  (CIK {CIK})"],
        "xsl": None,
        "sequence": sequence,
        "root_forms": ["8-K"],
        "file_date": "2026-11-02",
        "form": "8-K",
        "adsh": ADSH,
        "file_type": kind,
        "items": ["2.02", "9.01"],
    } | fields
    return {"_id": f"{source['adsh']}:{name}", "_score": None, "_source": source}


def search_answer(*hits: dict[str, Any], total: int | None = None):
    def reply(request):
        body = {"took": 41, "hits": {"total": {"value": total or len(hits)}, "hits": list(hits)}}
        return answer(request, json.dumps(body), media_type="application/json")

    return reply


def source(**options: Any):
    watermark = options.pop("watermark", {})
    fields = {"ticker": "NGSC", "cik": CIK, "name": "Northgate"} | options
    return make_source("filings_api", url="", options=fields, watermark=watermark, subject="subject1")


def poll(answers, **options):
    return run_session(discover(source(**options), NOW), answers)


def test_r6_the_search_request_names_company_forms_and_days():
    result = poll(search_answer(hit()))
    (request,) = result.requests
    parts = urlsplit(request.url)
    assert (parts.hostname, parts.path) == ("efts.sec.gov", "/LATEST/search-index")
    assert parse_qs(parts.query) == {
        "ciks": [CIK],
        "forms": ["8-K,10-Q,10-K"],
        "dateRange": ["custom"],
        "startdt": ["2026-10-14"],
        "enddt": ["2026-11-13"],
    }
    assert (request.purpose, request.source_kind) == ("api", "filings_api")


def test_r7_no_key_is_sent_and_the_fetcher_sets_the_user_agent():
    (request,) = poll(search_answer(hit())).requests
    assert request.secrets == {}
    assert request.credential is None
    assert "User-Agent" not in request.headers


def test_r8_several_hits_of_one_filing_are_one_lead():
    result = poll(
        search_answer(hit(), hit(), hit("other.htm", "8-K/A", 3), hit("ng-ex991.htm", "EX-99.1", "2"))
    )
    (lead,) = result.leads
    assert lead.identity == ADSH


@pytest.mark.parametrize(
    ("name", "kind", "sequence"),
    [
        ("logo.jpg", "GRAPHIC", 1),
        ("R1.xml", "XML", 1),
        ("ng-20261030.xml", "8-K", 1),
        ("ng-ex101.xsd", "EX-101.SCH", 1),
        ("ng-ex311.htm", "EX-31.1", 2),
        ("ng-ex991.htm", "EX-99.1", 2),
        ("ng-20261030.htm", "8-K", 4),
    ],
)
def test_r9_only_the_primary_document_is_a_lead(name, kind, sequence):
    assert poll(search_answer(hit(name, kind, sequence))).leads == []


def test_r9_press_releases_are_leads_on_request():
    result = poll(search_answer(hit(), hit("ng-ex991.htm", "EX-99.1", "2")), releases=True)
    assert [lead.identity for lead in result.leads] == [ADSH, f"{ADSH}:ng-ex991.htm"]


def test_r9_an_xml_form_is_read_as_its_style_sheet_shows_it():
    form = hit("form4.xml", "4", 1, form="4", root_forms=["4"], xsl="xslF345X05")
    (lead,) = poll(search_answer(form)).leads
    assert lead.url.endswith("/000199990126000017/xslF345X05/form4.xml")


def test_r10_the_index_and_the_document_have_urls():
    (lead,) = poll(search_answer(hit())).leads
    folder = "https://www.sec.gov/Archives/edgar/data/1999901/000199990126000017"
    assert lead.url == f"{folder}/ng-20261030.htm"
    fields = lead.hints["attributes"]
    assert fields["index_url"] == f"{folder}/{ADSH}-index.htm"
    assert (fields["form"], fields["accession"], fields["items"]) == ("8-K", ADSH, ["2.02", "9.01"])
    assert lead.title == "Northgate: 8-K of 2026-11-02"


def test_filings_that_only_mention_a_company_are_left_out():
    assert poll(search_answer(hit(ciks=["0001888801"]))).leads == []


def test_a_ticker_is_looked_up_once_and_remembered():
    table = {"0": {"cik_str": 1999901, "ticker": "NG-SC", "title": "Northgate"}}
    search = search_answer(hit())

    def reply(request):
        return answer(request, json.dumps(table)) if "company_tickers" in request.url else search(request)

    result = poll(reply, cik=None, ticker="NG.SC")
    assert [urlsplit(request.url).hostname for request in result.requests] == ["www.sec.gov", "efts.sec.gov"]
    assert len(result.leads) == 1
    second_result = poll(reply, cik=None, ticker="NG.SC", watermark=result.discovery.watermark)
    assert [urlsplit(request.url).hostname for request in second_result.requests] == ["efts.sec.gov"]


def test_an_unknown_ticker_is_reported():
    with pytest.raises(Permanent, match="set the option cik"):
        poll(lambda request: answer(request, "{}"), cik=None)


def test_known_filings_are_not_leads_again_and_polls_overlap():
    watermark = poll(search_answer(hit())).discovery.watermark
    assert watermark == {"filed": "2026-11-02", "cik": CIK, "seen": [ADSH]}
    result = poll(search_answer(hit(), hit(adsh="0001999901-26-000018")), watermark=watermark)
    assert [lead.identity for lead in result.leads] == ["0001999901-26-000018"]
    assert parse_qs(urlsplit(result.requests[0].url).query)["startdt"] == ["2026-10-30"]


def test_all_pages_are_read_and_a_failed_one_ends_the_poll_without_loss():
    def reply(request):
        if "from=100" in request.url:
            return Temporary("http_500", delay=timedelta(minutes=2))
        return search_answer(hit(), total=150)(request)

    result = poll(reply)
    assert len(result.leads) == 1
    assert result.discovery.again == timedelta(minutes=2)
    assert poll(search_answer(hit(), total=150)).requests[1].url.endswith("from=100")


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b.htm", "", "ng.htm?x=1", "x" * 300])
def test_a_file_name_that_could_lead_elsewhere_is_refused(name):
    assert parse_hit(hit(name)) is None


def test_numbers_of_companies_have_ten_digits():
    assert normal_cik(1999901) == normal_cik("0001999901") == CIK
    assert cik_of_ticker({"0": {"cik_str": 1999901, "ticker": "BRK-B"}}, "brk.b") == CIK
    assert cik_of_ticker([], "NGSC") is None


@pytest.mark.parametrize("filed", ["9999-12-31", "2026-13-45", "soon", "2026-11-02T10:00:00", ""])
def test_an_invalid_or_future_day_does_not_move_the_watermark(filed):
    watermark = poll(
        search_answer(hit(), hit(adsh="0001999901-26-000018", file_date=filed))
    ).discovery.watermark
    assert watermark["filed"] == "2026-11-02"
    assert poll(search_answer(), watermark=watermark).leads == []
