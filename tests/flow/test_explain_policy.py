"""The explanation of a document shows what allowed its fetch and which rights the publisher reserves."""

from tests.flow.test_dedupe_explain import explanation_lines
from tests.support.scene import ME, Scene, kept_result, make_capture

from headwater.model.jobs import FetchResult, Task


def test_c39_explain_separates_the_reservations_of_the_publisher_from_what_allowed_the_fetch(scene: Scene):
    lead = scene.lead("a")
    scene.poll(lead)
    (stored,) = scene.claim(Task.FETCH)
    policy = {
        "agent": "Headwater/0.1",
        "robots": "no rule for *",
        "x-robots-tag": "noai",
        "tdm-reservation": "1",
        "tdm-declared-in": "header",
    }
    capture = make_capture(stored.id, lead=stored.id, policy=policy)
    scene.store.finish_fetch([FetchResult(lead=stored.id, version="v1", result=capture)], ME, scene.now)
    (draft,) = scene.claim(Task.REFINE)
    scene.refine(kept_result(draft))
    lines = explanation_lines(scene, lead.document)
    assert "allowed by agent=Headwater/0.1, robots=no rule for *" in lines
    assert (
        "reservations of the publisher: x-robots-tag=noai, tdm-reservation=1, tdm-declared-in=header" in lines
    )
