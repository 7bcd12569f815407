"""One part of one page, watched."""

import pytest
from tests.support.poll_sessions import NOW, answer, make_source, run_session

from headwater.model.errors import Permanent
from headwater.sources.page_section import discover_page_section

PAGE = "<html><head><title>Investors</title></head><body><p>{today}</p><ul id='news'><li>{news}</li></ul></body></html>"


def look(today="Monday", news="A meeting in Lisbon", mark=None, selector="#news", status=200):
    told = make_source("web_scrape", options={"selector": selector, "ticker": "NGSC"}, watermark=mark or {})
    page = PAGE.format(today=today, news=news)
    return run_session(
        discover_page_section(told, NOW), lambda request: answer(request, page, status=status, etag='"1"')
    )


def test_r20_the_selected_part_is_a_document_with_its_page_as_address():
    (lead,) = look().leads
    assert (lead.identity, lead.title) == ("http://site.example/", "Investors")
    assert "A meeting in Lisbon" in lead.body
    assert "Monday" not in lead.body
    assert lead.hints["attributes"] == {
        "document_type": "web_page",
        "source_type": "web_scrape",
        "ticker": "NGSC",
    }


def test_what_changes_elsewhere_on_the_page_is_no_change():
    mark = look().discovery.watermark
    assert look(today="Tuesday", mark=mark).leads == []
    (lead,) = look(news="Another meeting", mark=mark).leads
    assert lead.version != look().leads[0].version


def test_a_page_that_did_not_change_is_asked_for_conditionally():
    mark = look().discovery.watermark
    heard = look(mark=mark, status=304)
    assert heard.asked[0].headers == {"If-None-Match": '"1"'}
    assert heard.leads == []


@pytest.mark.parametrize(("selector", "reason"), [("#nowhere", "nothing_selected"), ("###", "bad_option")])
def test_a_selector_that_selects_nothing_or_is_none_is_told(selector, reason):
    with pytest.raises(Permanent) as told:
        look(selector=selector)
    assert told.value.reason == reason
