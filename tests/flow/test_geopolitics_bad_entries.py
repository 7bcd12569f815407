"""Entries that no newspaper would print: each has an outcome with a reason, and none keeps the others from their story."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import yaml
from tests.flow.test_geopolitics import DemoClock, RecordingSink, rows, run
from tests.support.poll_sessions import context_for

from headwater_demo.clock import START
from headwater_recipes.geopolitics import configure

REPORTS = (
    (
        "Tarn closes the northern lane",
        (
            "The patrol boats of Tarn closed the northern lane of the strait on Monday. Ships waited for nine hours, the "
            "harbour office of Port Isel said. The navy announced live fire for two days, and insurers doubled their rates."
        ),
    ),
    (
        "Ships wait off Port Isel",
        (
            "Captains off Port Isel had to wait for nine hours on Monday, because Tarn closed the northern lane of the strait. "
            "Forty vessels lay at anchor in the fog. The harbour office expects the lane to be open again by Thursday."
        ),
    ),
)
BAD = (
    ("unknown language", "Qwr tzp lkm vbn xyrt plom zkrt. " * 20),
    ("one sentence", "the ship and the harbour of Tarn " * 6_300),
    ("Смесь mixed 混合", "Судно ship 船 left гавань on 星期一 crew экипаж. " * 12),
    (
        "Control\x01\x07",
        "The ship\x00 left\x07 the harbour\x1b[31m on Monday with twelve people. It \u202ecame back. " * 4,
    ),
    (
        "",
        "A customs boat left Lemmet in the evening and returned with two pilots and a dog before midnight. "
        * 2,
    ),
    ("🚢🔥", "🚢🔥🌊 " * 300),
    (
        "Lone \ud800",
        "The ferry \udfff left Lanz on Sunday with a choir of forty people and a piano for the mayor. " * 2,
    ),
    (" ", " \n\n "),
    ("Zalgo", "t" + "\u0301" * 5_000 + " ship left the harbour"),
    (
        "The week: the strait",
        (
            "Ships waited off Port Isel, a choir went to sea, and the price of cover doubled. The minister of transport "
            "promised a second lane. On Friday the fog lifted, and the fishermen of Gull Island went home with full nets."
        ),
    ),
)


def test_g4_g11_g16_bad_entries_have_an_outcome_with_a_reason_and_block_no_story(tmp_path: Path):
    moments = {"seendate": (START - timedelta(hours=2)).isoformat(), "flashpoint_id": "strait"}
    entries = [
        {"id": f"e{number}", "url": f"https://p{number}.example/e", "title": title, "content": content}
        | moments
        for number, (title, content) in enumerate((*REPORTS, *BAD))
    ]
    entries[1]["seendate"] = "2099-01-01T00:00:00Z"
    listing = {"flashpoints": [{"id": "strait", "title": "Strait", "entries": entries}]}
    (tmp_path / "list.yaml").write_text(yaml.safe_dump(listing), encoding="utf-8")
    recipe, clock = configure(tmp_path / "list.yaml", {"settle": "5m"}), DemoClock()
    with context_for(tmp_path, "http://127.0.0.1:9", recipe, clock) as (app, bare):
        app.register(recipe)
        run(replace(bare, sinks={"files": RecordingSink()}), clock)
        documents = rows(app, "SELECT url, state, reason, published_at FROM documents")
        assert len(documents) == len(entries)
        assert {row["state"] for row in documents} <= {"kept", "duplicate", "aside"}
        assert all(row["reason"] for row in documents if row["state"] != "kept")
        assert rows(app, "SELECT reason FROM quarantine WHERE task = 'gather'") == []
        query = """SELECT s.title, s.score, d.url FROM stories s JOIN story_members m ON m.story_id = s.id
            JOIN documents d ON d.id = m.document_id WHERE s.state = 'live'"""
        members = rows(app, query)
        assert {row["url"] for row in members} == {row["url"] for row in documents if row["state"] == "kept"}
        titles = {row["url"]: row["title"] for row in members}
        assert titles["https://p0.example/e"] == titles["https://p1.example/e"]
        assert [row["score"] < 0.2 for row in members if row["title"].startswith("The week")] == [True]
