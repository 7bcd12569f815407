"""Leads of several sources with the same page: what a claim says about the captures of the others."""

from dataclasses import replace
from datetime import timedelta

from tests.support.scene import ME, Scene, make_capture, make_lead, make_source

from headwater.model.jobs import FetchResult, Task
from headwater.model.source import StoredLead
from headwater.store.rows import url_number
from headwater.store.schema.flow import captures

PAGE = "https://paper.example/story"
MINUTE = timedelta(minutes=1)


def other_lead(scene: Scene, url: str, *, recipe: str = "second", path: str = "x") -> StoredLead:
    source = make_source("Agency", recipe=recipe)
    lead = make_lead(path, source=source, url=url)
    scene.poll(lead, source=source)
    return lead


def claim_second(scene: Scene, **options: object) -> list[StoredLead]:
    return scene.claim(Task.FETCH, "other", recipe="second", **options)  # type: ignore[arg-type]


def fetch_first(scene: Scene, url: str = PAGE) -> None:
    lead = scene.lead("a", url=url)
    scene.poll(lead)
    scene.fetch(lead, body="the page")


def test_a_claimed_lead_brings_the_newest_capture_of_its_page_by_another_lead(scene: Scene):
    fetch_first(scene)
    other_lead(scene, PAGE)
    (claimed,) = claim_second(scene)
    assert claimed.same_page is not None
    assert claimed.same_page.id == scene.row(captures)["id"]
    assert claimed.same_page.pack == scene.row(captures)["pack"]
    assert not claimed.is_in_flight


def test_a_page_without_a_redirect_has_one_number(scene: Scene):
    lead = scene.lead("a", url=f"{PAGE}?utm_source=feed")
    scene.poll(lead)
    scene.claim(Task.FETCH)
    capture = make_capture(lead.id, lead=lead.id, url=lead.lead.url, final_url=PAGE)
    scene.store.finish_fetch([FetchResult(lead=lead.id, version="v1", result=capture)], ME, scene.now)
    assert scene.row(captures)["url_number"] == url_number(PAGE)
    assert scene.row(captures)["final_url_number"] is None


def test_other_spellings_of_the_address_are_the_same_page_and_other_pages_are_not(scene: Scene):
    fetch_first(scene)
    for path, url in (("x", f"{PAGE}?utm_source=feed#part"), ("y", f"{PAGE}-2")):
        other_lead(scene, url, path=path)
    has_capture = {lead.lead.identity: lead.same_page is not None for lead in claim_second(scene)}
    assert has_capture == {"x": True, "y": False}


def test_the_address_to_which_a_page_redirected_is_the_same_page(scene: Scene):
    lead = scene.lead("a", url="https://short.example/1")
    scene.poll(lead)
    scene.claim(Task.FETCH)
    capture = make_capture(lead.id, lead=lead.id, url=lead.lead.url, final_url=PAGE)
    scene.store.finish_fetch([FetchResult(lead=lead.id, version="v1", result=capture)], ME, scene.now)
    for path, url in (("x", PAGE), ("y", "https://short.example/1")):
        other_lead(scene, url, path=path)
    assert all(lead.same_page is not None for lead in claim_second(scene))


def test_own_captures_listings_errors_and_rendered_pages_do_not_count(scene: Scene):
    lead, source = scene.lead("a", url=PAGE), scene.source
    listing = make_capture(source.id, "listing", url=PAGE, final_url=PAGE)
    scene.poll(lead, captures=(listing,))
    for body, fields in (("error", {"status": 206}), ("shown", {"policy": {"rendered": True}})):
        scene.claim(Task.FETCH)
        capture = make_capture(lead.id, body, lead=lead.id, url=PAGE, final_url=PAGE, **fields)
        scene.store.finish_fetch([FetchResult(lead=lead.id, version="v1", result=capture)], ME, scene.now)
    other_lead(scene, PAGE)
    (claimed,) = claim_second(scene)
    assert claimed.same_page is None
    scene.poll(replace(lead, lead=replace(lead.lead, version="v2")))
    scene.fetch(replace(lead, lead=replace(lead.lead, version="v2")), body="page")
    scene.poll(replace(lead, lead=replace(lead.lead, version="v3")))
    (own,) = scene.claim(Task.FETCH)
    assert own.same_page is None


def test_a_page_that_another_lead_is_fetching_is_in_flight_until_its_lease_ends(scene: Scene):
    lead = scene.lead("a", url=PAGE)
    scene.poll(lead)
    scene.claim(Task.FETCH, lease=MINUTE)
    other_lead(scene, PAGE)
    (claimed,) = claim_second(scene, lease=MINUTE)
    assert claimed.is_in_flight
    scene.now += 2 * MINUTE
    (claimed,) = claim_second(scene)
    assert not claimed.is_in_flight


def test_of_leads_that_are_claimed_together_the_first_is_fetched(scene: Scene):
    first, second = (replace(scene.lead(path, url=PAGE), document=path) for path in ("a1", "b2"))
    scene.poll(first, second, scene.lead("c"))
    claimed = scene.claim(Task.FETCH)
    assert sorted((lead.lead.url == PAGE, lead.is_in_flight) for lead in claimed) == [
        (False, False),
        (True, False),
        (True, True),
    ]
