"""A story as an alert: the message that a phone, a chat or a mail shows."""

from headwater.model.recipe import Envelope
from headwater.model.story import Member, Story
from headwater.sinks.message import LONGEST_TEXT, message_of

FIGURES = {"subject_title": "Kelmar Strait", "domains": 3, "alert": ["growth", "score"]}


def message(summary: str = "It was seized.", score: float | None = 0.7554, **attributes: object) -> str:
    story = Story(
        id="s",
        recipe="geopolitics",
        group="g",
        title="A tanker\nis seized",
        members=(Member("a"), Member("b")),
        summary=summary,
        score=score,
        attributes=attributes,
    )
    result = message_of(Envelope(key="k", route="r", record=story, revision=1))
    assert result.title == "A tanker is seized"
    return result.text


def test_g17_an_alert_shows_flashpoint_score_articles_and_rules():
    assert message(**FIGURES) == (
        "Kelmar Strait · score 0.76 · 2 articles · 3 domains · because of: growth, score\nIt was seized."
    )


def test_g17_a_story_without_figures_still_has_a_message():
    assert message(score=None) == "2 articles\nIt was seized."


def test_g17_a_long_summary_is_cut():
    assert len(message("word " * 2_000, **FIGURES)) == LONGEST_TEXT
