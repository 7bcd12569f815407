"""A story: its summary with the documents behind every sentence, its timeline, what is new, and related stories."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from starlette.requests import Request

from headwater.settings.times import parse_time
from headwater.store.reads.record_lists import story_timeline
from headwater.store.reads.story_members import copy_counts
from headwater.store.reads.story_reports import story_reports
from headwater.stories.changes import changes_record, story_changes
from headwater.stories.extractive_summary import CitedSentence
from headwater.web.context import WebContext
from headwater.web.pages.analyst.stories import read_cards
from headwater.web.pages.analyst.story_cards import story_card
from headwater.web.pages.frame import frame_of
from headwater.web.pages.page import Page
from headwater.web.pages.translations import ENGLISH
from headwater.web.rest.stories import MOST_MEMBERS, find_story

COMPARED, RELATED = 60, 4
LEAST_LIKENESS = 0.04
_WORD = re.compile(r"\w{4,}")


def load_story(request: Request, context: WebContext) -> dict[str, Any]:
    story = find_story(request, request.path_params["story"])
    since_text = request.query_params.get("since", "") or "24h"
    since = parse_time(since_text, context.app.clock(), "since")
    members = story_timeline(context.app.engine, story["id"], MOST_MEMBERS)
    copies = copy_counts(context.app.engine, [row["id"] for row in members])
    timeline = [timeline_entry(row, copies, since) for row in members]
    changed = story_changes(
        story_reports(context.app.engine, story["id"]), since, [frame_of(request).language, ENGLISH]
    )
    card = story_card(story, members, context.app.clock())
    candidates = read_cards(context, [story["recipe"]], COMPARED)
    return {
        "story": card,
        "claims": claim_records(story, members),
        "summary_by": (story["attributes"] or {}).get("summary_by", ""),
        "languages": (story["attributes"] or {}).get("languages", []),
        "score_reasons": (story["attributes"] or {}).get("score_reasons", []),
        "alert_reasons": (story["attributes"] or {}).get("alert_reasons", []),
        "timeline": timeline,
        "since_text": since_text,
        "changes": changes_record(changed) | {"statements": cited_sentences(changed.statements, members)},
        "related": related_stories(card, candidates),
    }


def timeline_entry(row: Mapping[str, Any], copies: Mapping[str, int], since: datetime) -> dict[str, Any]:
    names = ("id", "title", "url", "publisher", "language", "similarity")
    moment = row["published_at"] or row["created_at"]
    return {name: row[name] for name in names} | {
        "at": moment,
        "copies": copies.get(row["id"], 0),
        "is_new": moment >= since,
    }


def claim_records(story: Mapping[str, Any], members: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The sentences of the summary, each with the documents that say so."""
    claims = (story["attributes"] or {}).get("claims") or []
    return cited_sentences(
        [
            CitedSentence(str(claim.get("text", "")), tuple(claim.get("documents") or ()))
            for claim in claims
            if isinstance(claim, Mapping)
        ],
        members,
    )


def cited_sentences(
    sentences: Sequence[CitedSentence], members: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    by_id = {row["id"]: row for row in members}
    return [
        {
            "text": sentence.text,
            "documents": [
                {name: by_id[key][name] for name in ("id", "title", "publisher")}
                for key in sentence.documents
                if key in by_id
            ],
        }
        for sentence in sentences
    ]


def related_stories(
    story: Mapping[str, Any], candidates: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Stories that share rare words of the title and summary, the topic or countries; the most alike first."""
    words_by_id = {card["id"]: story_words(card) for card in (*candidates, story)}
    frequencies = Counter(word for words in words_by_id.values() for word in words)
    total = len(words_by_id)

    def weight(words: set[str]) -> float:
        return sum(math.log(1 + total / frequencies[word]) for word in words)

    own = words_by_id[story["id"]]
    scored = []
    for card in candidates:
        if card["id"] == story["id"]:
            continue
        words = words_by_id[card["id"]]
        whole = weight(own | words)
        likeness = weight(own & words) / whole if whole else 0.0
        scored.append((-likeness, card["id"], card))
    return [
        card for likeness, _, card in sorted(scored, key=lambda item: item[:2]) if -likeness >= LEAST_LIKENESS
    ][:RELATED]


def story_words(card: Mapping[str, Any]) -> set[str]:
    words = set(_WORD.findall(f"{card['title']} {card['summary']}".casefold()))
    topics = {f"topic:{card['topic']}"} if card["topic"] else set()
    return words | topics | {f"country:{item['code']}" for item in card["countries"]}


STORY_PAGE = Page(
    path="/stories/{story}",
    template="analyst/story.html",
    load=load_story,
    parameters=frozenset({"since"}),
)
