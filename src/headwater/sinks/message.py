"""Short messages about records, for people who read them on a phone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.recipe import Envelope
from headwater.model.saved_search import SEARCH_ROUTE, Digest
from headwater.model.story import Story

LONGEST_LINE = 300
LONGEST_TEXT = 1_500
MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Message:
    title: str
    text: str = ""
    url: str = ""


def message_of(envelope: Envelope) -> Message:
    """A record that met a saved search is introduced by the name of the search."""
    message = _message_of(envelope.record)
    if not envelope.route.startswith(SEARCH_ROUTE) or isinstance(envelope.record, Digest):
        return message
    return replace(
        message, title=single_line(f"[{envelope.route.removeprefix(SEARCH_ROUTE)}] {message.title}")
    )


def _message_of(record: Document | Story | Alarm | Digest) -> Message:
    if isinstance(record, Digest):
        return Message(single_line(record.title), _digest_text(record))
    if isinstance(record, Alarm):
        prefix = "cleared: " if record.cleared_at is not None else ""
        return Message(single_line(f"[{record.recipe}] {prefix}{record.title}"), record.detail[:LONGEST_TEXT])
    if isinstance(record, Document):
        return Message(single_line(record.title or record.url), record.description[:LONGEST_TEXT], record.url)
    return Message(single_line(record.title), _story_text(record))


def _digest_text(digest: Digest) -> str:
    lines = [f"{single_line(entry.title)}\n{entry.url}".strip() for entry in digest.entries[:MOST_LISTED]]
    if len(digest.entries) > MOST_LISTED:
        lines.append(f"and {len(digest.entries) - MOST_LISTED} more")
    return "\n".join(lines)


def _story_text(story: Story) -> str:
    """The figures come first, because a phone shows only the beginning."""
    attributes = story.attributes
    parts = [
        str(attributes.get("subject_title") or ""),
        f"score {story.score:.2f}" if story.score is not None else "",
        f"{len(story.members)} articles" if len(story.members) != 1 else "1 article",
        f"{attributes['domains']} domains" if attributes.get("domains") else "",
        _alert_text(attributes),
    ]
    figures = " · ".join(part for part in parts if part)
    return f"{figures}\n{story.summary}".strip()[:LONGEST_TEXT]


def _alert_text(attributes: Mapping[str, Any]) -> str:
    """Why there is an alert: in words if the recipe says so, else the names of its rules."""
    reasons = attributes.get("alert_reasons") or attributes.get("alert")
    return f"because of: {', '.join(reasons)}" if reasons else ""


def headline(messages: list[Message]) -> str:
    """One line for all messages."""
    more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
    return messages[0].title + more


def single_line(text: str) -> str:
    """The text without line breaks and control characters, which have a meaning in headers and chats."""
    words = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(words.split())[:LONGEST_LINE]
