"""JSON APIs with a field map: items become leads, page by page."""

import json

import pytest
from tests.support.poll_sessions import NOW, answer, make_source, run_session

from headwater.model.errors import Permanent
from headwater.sources.json_items import discover_json_items, read_item_map

API = "https://api.example/v1/articles"
FIELDS = {
    "id": "uuid",
    "url": "links.web",
    "title": "headline",
    "published": "at",
    "authors": "by[*].name",
    "summary": "lead",
    "desk": "section.name",
}


def item(number: int, **values):
    return {
        "uuid": number,
        "links": {"web": f"/story/{number}"},
        "headline": f"Story {number}",
        "at": "2026-11-12T08:00:00Z",
        "by": [{"name": "Ada Quill"}, {"name": "Ben Ink"}],
        "lead": "A short lead.",
        "section": {"name": "energy"},
    } | values


def poll(pages, watermark=None, **options):
    """Answers page 1, 2, … of the API in the order in which the source asks for them."""
    answers = iter(pages)
    source = make_source(
        "json", API, options={"items": "data.items", "fields": FIELDS, **options}, watermark=watermark or {}
    )
    return run_session(
        discover_json_items(source, NOW),
        lambda request: answer(request, json.dumps(next(answers)), media_type="application/json"),
    )


def test_each_item_becomes_a_lead_with_the_mapped_fields():
    result = poll([{"data": {"items": [item(7)]}}])
    (lead,) = result.leads
    assert (lead.identity, lead.url, lead.title) == ("7", "https://api.example/story/7", "Story 7")
    assert lead.published is not None
    assert lead.published.isoformat() == "2026-11-12T08:00:00+00:00"
    assert lead.hints["authors"] == ["Ada Quill", "Ben Ink"]
    assert lead.hints["attributes"] == {"desk": "energy"}
    assert lead.body is None


def test_an_item_that_changed_has_another_version_and_an_unchanged_one_the_same():
    versions = [
        poll([{"data": {"items": [item(7, **change)]}}]).leads[0].version
        for change in ({}, {}, {"headline": "Story 7, corrected"}, {"views": 12})
    ]
    assert versions[0] == versions[1] == versions[3] != versions[2]


def test_an_item_with_its_text_is_not_fetched():
    fields = {"id": "uuid", "title": "headline", "text": "body"}
    (lead,) = poll([{"data": {"items": [item(1, body="The whole text.")]}}], fields=fields).leads
    assert (lead.url, lead.body) == ("", "The whole text.")


def test_pages_are_followed_on_the_same_host_only_and_up_to_the_limit():
    def page(number, next_page):
        return {"data": {"items": [item(number)]}, "next": next_page}

    pages = [page(1, "?page=2"), page(2, "?page=3"), page(3, None)]
    assert len(poll(pages, next_page="next").requests) == 3
    assert len(poll(pages, next_page="next", max_pages=2).requests) == 2
    elsewhere = [page(1, "https://evil.example/?page=2"), page(2, None)]
    assert len(poll(elsewhere, next_page="next").requests) == 1


def test_a_poll_ends_at_a_page_that_the_last_poll_has_read():
    def pages(newest):
        for number in (newest, *range(3, 0, -1)):
            yield {"data": {"items": [item(number)]}, "next": f"?page={number}"}

    first = poll(pages(4), next_page="next", max_pages=4)
    second = poll(pages(5), next_page="next", max_pages=4, watermark=first.discovery.watermark)
    assert [lead.identity for lead in second.leads] == ["5"]


def test_the_key_comes_from_the_environment_and_is_a_secret_of_the_request(monkeypatch):
    monkeypatch.setenv("TRIAL_KEY", "s3cret")
    key = {"header": "Authorization", "variable": "TRIAL_KEY", "scheme": "Bearer "}
    (request,) = poll([{"data": {"items": []}}], key=key).requests
    assert request.secrets == {"Authorization": "Bearer s3cret"}
    assert "s3cret" not in repr(request.headers)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({}, "fields"),
        ({"fields": {"title": "headline"}}, "fields"),
        ({"fields": {"url": 3}}, "fields"),
        ({"fields": FIELDS, "items": ["a"]}, "items"),
        ({"fields": FIELDS, "max_pages": 0}, "max_pages"),
        ({"fields": FIELDS, "key": "s3cret"}, "key"),
        ({"fields": FIELDS, "key": {"variable": "A", "value": "s3cret"}}, "key"),
    ],
)
def test_a_wrong_option_is_named_and_its_value_is_no_secret(options, field):
    with pytest.raises(Permanent) as refusal:
        read_item_map(make_source("json", API, options=options))
    assert refusal.value.detail.startswith(f"{field}: ")
    assert "s3cret" not in refusal.value.detail


def test_items_that_are_no_objects_are_reported():
    result = poll([{"data": {"items": "none"}}])
    assert result.leads == []
    assert result.codes == {"no_items"}
