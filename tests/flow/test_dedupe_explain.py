"""What `headwater explain` shows about a near copy: both texts side by side."""

from io import StringIO

from rich.console import Console
from tests.flow.test_cli_dedupe import COPY, STORY
from tests.flow.test_dedupe_workers import refine_batch, store_lead
from tests.support.scene import Scene

from headwater.cli.render.document_history import history_tree
from headwater.store.reads.explanation import explain


def explanation_lines(scene: Scene, document: str) -> list[str]:
    story = explain(scene.store.engine, document)
    assert story is not None
    output = StringIO()
    titles = {row: f"Title of {row[:6]}" for row in (document,)}
    Console(file=output, width=100).print(history_tree(story, {}, lambda key: titles.get(key, "The other")))
    return [" ".join(line.strip("│├└─ ").split()) for line in output.getvalue().splitlines()]


def test_both_documents_of_a_near_copy_show_the_measures_side_by_side(scene: Scene):
    original = store_lead(scene, "a", STORY)
    copy = store_lead(scene, "b", COPY.replace("18 million", "19 million"), hours=3)
    assert refine_batch(scene.store, batch=2) == 2
    lines = explanation_lines(scene, copy.document)
    assert f"document {original.document[:12]} {copy.document[:12]}" in lines
    assert f"title The other Title of {copy.document[:6]}" in lines
    assert "figure corrected 18 19" in lines
    assert "time between 3 h" in lines
    assert not any("earlier_coverage=" in line for line in lines)
    from_the_other_side = explanation_lines(scene, original.document)
    assert f"document {original.document[:12]} {copy.document[:12]}" in from_the_other_side


def test_an_exact_copy_needs_no_table(scene: Scene):
    store_lead(scene, "a", STORY * 2)
    copy = store_lead(scene, "b", STORY * 2, hours=1)
    refine_batch(scene.store, batch=2)
    text = " ".join(explanation_lines(scene, copy.document))
    assert "by text, score 1;" in text
    assert "compared_with=" in text
    assert "words of the story" not in text
