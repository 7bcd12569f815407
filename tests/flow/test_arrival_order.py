"""Which copy of a text comes first depends on the network; when it was published does not: on both stores."""

from datetime import datetime
from itertools import permutations

import pytest
from tests.flow.test_cli_dedupe import COPY, STORY
from tests.flow.test_dedupe_workers import refine_batch
from tests.support.scene import HOUR, START, Scene, make_document, make_lead, make_source

from headwater.model.jobs import RefineResult, State, Task
from headwater.model.source import Source, StoredLead
from headwater.store.schema.flow import documents

SOURCES = [make_source(name) for name in ("Wire", "Times", "Herald")]
PAGE = "https://harbour.example/channel"


def text_lead(source: Source, body: str, hours: int | None, url: str | None = None) -> StoredLead:
    """A lead that brings its own text, so that nothing has to be fetched."""
    return make_lead(
        f"{source.name}-channel",
        source=source,
        url=url,
        title="Port widens channel",
        body=body,
        body_type="text/plain",
        published=None if hours is None else START + hours * HOUR,
    )


def refine_all(scene: Scene) -> None:
    for _ in range(10):
        if not refine_batch(scene.store, batch=10):
            return
    pytest.fail("documents are refined again and again")


def date_of_the_kept(scene: Scene) -> tuple[datetime | None, str]:
    (row,) = scene.rows(documents, state=State.KEPT)
    return row["published_at"], row["origins"].get("published", "").removeprefix("copy: ")


def arrive(scene: Scene, leads: list[StoredLead], order: tuple[int, ...], *, at_once: bool) -> None:
    for position in order:
        scene.poll(leads[position], source=SOURCES[position])
        if not at_once:
            refine_all(scene)
    refine_all(scene)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_text_is_dated_in_any_order_of_its_copies(scene: Scene, order: tuple[int, ...], at_once: bool):
    """The date of the copy that is kept, if it has one: that depends on the order. Otherwise the earliest of its copies."""
    hours, bodies = (None, 1, 3), (STORY, COPY, STORY + " The council meets next week.")
    leads = [text_lead(*each) for each in zip(SOURCES, bodies, hours, strict=True)]
    arrive(scene, leads, order, at_once=at_once)
    (row,) = scene.rows(documents, state=State.KEPT)
    its_own = dict(zip([lead.document for lead in leads], hours, strict=True))[row["id"]]
    assert date_of_the_kept(scene) == (START + (its_own or 1) * HOUR, "source")


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_page_that_two_sources_name_has_the_date_that_one_of_them_knows(
    scene: Scene, order: tuple[int, ...], at_once: bool
):
    leads = [text_lead(SOURCES[0], STORY, None, PAGE), text_lead(SOURCES[1], STORY, 2, PAGE)]
    arrive(scene, leads, order, at_once=at_once)
    assert date_of_the_kept(scene) == (START + 2 * HOUR, "source")


def test_the_history_names_the_copy_and_nothing_else_is_refined_again(scene: Scene):
    first, second, third = (
        text_lead(source, STORY, hours, PAGE) for source, hours in zip(SOURCES, (None, 2, 4), strict=True)
    )
    arrive(scene, [first, second, third], (0, 1), at_once=False)
    (row,) = scene.rows(documents, state=State.KEPT)
    assert (row["revision"], row["origins"]["published"]) == (2, "copy: source")
    scene.poll(third, source=SOURCES[2])
    assert refine_batch(scene.store) == 0, "a later date changes nothing"


def test_a_date_that_arrives_while_its_original_is_refined_is_not_missed(scene: Scene):
    first, second = text_lead(SOURCES[0], STORY, None, PAGE), text_lead(SOURCES[1], STORY, 2, PAGE)
    scene.poll(first, source=SOURCES[0])
    (draft,) = scene.claim(Task.REFINE)
    scene.poll(second, source=SOURCES[1])
    finish_undated(scene, draft)
    (again,) = scene.claim(Task.REFINE)
    assert again.copy_date is not None
    # A recipe may refuse the date. It is not offered for ever.
    finish_undated(scene, again)
    assert scene.claim(Task.REFINE) == []


def finish_undated(scene: Scene, draft) -> None:
    result = RefineResult(
        id=draft.id,
        state=State.KEPT,
        capture=None,
        revision=draft.revision,
        document=make_document(draft, published=None),
        copy_date=draft.copy_date.published if draft.copy_date else None,
    )
    assert list(scene.store.finish_refine([result], "me", scene.now, HOUR)) == []
