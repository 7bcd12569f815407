"""Watching one section of one page."""

import pytest
from tests.support.poll_sessions import NOW, answer, make_source, run_session

from headwater.model.errors import Permanent
from headwater_recipes.markets.endpoints import discover_company_page

PAGE = "<html><head><title>Investors</title></head><body><p>{today}</p><ul id='news'><li>{news}</li></ul></body></html>"


def poll(today="Monday", news="A meeting in Lisbon", watermark=None, selector="#news", status=200):
    fields = make_source(
        "web_scrape", options={"selector": selector, "ticker": "NGSC"}, watermark=watermark or {}
    )
    page = PAGE.format(today=today, news=news)
    return run_session(
        discover_company_page(fields, NOW), lambda request: answer(request, page, status=status, etag='"1"')
    )


def test_r20_the_selected_section_is_a_document_with_the_url_of_its_page():
    (lead,) = poll().leads
    assert (lead.identity, lead.title) == ("http://site.example/", "Investors")
    assert "A meeting in Lisbon" in lead.body
    assert "Monday" not in lead.body
    assert lead.hints["attributes"] == {
        "document_type": "web_page",
        "source_type": "web_scrape",
        "ticker": "NGSC",
    }


def test_a_change_elsewhere_on_the_page_is_ignored():
    watermark = poll().discovery.watermark
    assert poll(today="Tuesday", watermark=watermark).leads == []
    (lead,) = poll(news="Another meeting", watermark=watermark).leads
    assert lead.version != poll().leads[0].version


def test_an_unchanged_page_is_requested_conditionally():
    watermark = poll().discovery.watermark
    result = poll(watermark=watermark, status=304)
    assert result.requests[0].headers == {"If-None-Match": '"1"'}
    assert result.leads == []


@pytest.mark.parametrize(("selector", "reason"), [("#nowhere", "nothing_selected"), ("###", "bad_option")])
def test_an_invalid_selector_or_one_without_a_match_is_reported(selector, reason):
    with pytest.raises(Permanent) as fields:
        poll(selector=selector)
    assert fields.value.reason == reason
