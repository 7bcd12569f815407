"""How a story grew, from rows: reports, copies of them, and reports that their publishers changed."""

from sqlalchemy import Engine
from tests.support.scene import HOUR, START, Scene, ended_result, kept_result, make_story

from headwater.model.jobs import GatherResult, State, Task
from headwater.store.reads.story_history import history_events
from headwater.store.schema.flow import documents
from headwater.stories.history import story_history


def test_a_story_has_its_reports_copies_and_revisions_in_order(scene: Scene, engine: Engine):
    (first,) = scene.keep("a", title="Strike", publisher="Wire", language="en", group="g")
    scene.now += HOUR
    (second,) = scene.keep("b", title="Huelga", publisher="Diario", language="es", group="g")
    scene.now += HOUR
    (copy,) = scene.drafts("c")
    scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=first.id))
    scene.now += HOUR
    scene.refine(
        kept_result(
            scene.change(first, "other"), title="Strike ends", publisher="Wire", language="en", group="g"
        )
    )
    (group,) = scene.claim(Task.GATHER)
    story = make_story("strike", "g", first.id, second.id)
    scene.store.finish_gather(
        [GatherResult(group=group.id, version=group.version, stories=(story,))], "me", scene.now
    )
    records = story_history(history_events(engine, story.id))
    assert [
        (row["at"] - START, row["kind"], row["document"], row["title"], row["publishers"]) for row in records
    ] == [
        (0 * HOUR, "report", first.id, "Strike", 1),
        (1 * HOUR, "report", second.id, "Huelga", 2),
        (2 * HOUR, "copy", copy.id, scene.row(documents, id=copy.id)["title"], 2),
        (3 * HOUR, "revision", first.id, "Strike ends", 2),
    ]
    assert (records[-1]["reports"], records[-1]["languages"], records[-1]["revision"]) == (2, 2, 2)
    assert records[2]["of"] == first.id
    assert history_events(engine, "unknown") == []
