"""Describes a story: summary with its sources, topic, score with its components, publishers, alerts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from headwater.model.document import Document
from headwater.model.recipe import StoryContext
from headwater.model.story import Story
from headwater.stories.coverage import LOCAL, SENTENCES, coverage_of, summarise_documents
from headwater.stories.llm.story_prompt import content_fingerprint
from headwater.stories.reader_language import documents_to_read, reader_language
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater_recipes.geopolitics.alert_rules import RECENT, AlertRules, StoryState, decide_alert
from headwater_recipes.geopolitics.hotspot import HotspotWeights, ScoredStory, explain_score, score_hotspot
from headwater_recipes.geopolitics.steps import flashpoint_of, topic_of
from headwater_recipes.geopolitics.week_reports import (
    ATTRIBUTE,
    HOT,
    WEEK,
    WeekReports,
    report_times,
    stored_week,
    week_reports,
)

UNCLASSIFIED = "unclassified"
LLM_SUMMARY_FIELDS = ("claims", "summary_by", "summary_origin")
"""Attributes of a summary that replaced the local one."""
OF_DAY = ("articles", "top_domains", "languages", "urls", "images")
OF_ALERT = ("alert", "alert_reasons", "alert_withheld", "growth_since", "growth_from", "is_hot")
NO_ALERT_STATE = StoryState(score=0.0, reports=0, topic=UNKNOWN_TOPIC, recent=0)


@dataclass(frozen=True)
class DescribeStory:
    """Sets summary, score and attributes of a story. Its score counts the reports of the last three days, and its age from the newest one,
    not from the run. `titles` and
    `places` (countries) are those of flashpoints by id; `languages` are those of the readers, the best first."""

    rules: AlertRules = field(default_factory=AlertRules)
    scale: HotspotWeights = field(default_factory=HotspotWeights)
    titles: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sentences: int = SENTENCES
    languages: tuple[str, ...] = ()

    def __call__(self, contexts: Sequence[StoryContext]) -> list[Story]:
        return list(map(self.describe, contexts))

    def describe(self, context: StoryContext) -> Story:
        topic = main_topic(context.documents)
        attributes = {
            **self._flashpoint(context),
            **coverage_of(context.documents),
            "days": _days(context.documents),
            "topic": topic,
            **_counted_reports(context),
        }
        attributes["countries"] = attributes["countries"] or list(
            self.places.get(attributes["flashpoint"], ())
        )
        attributes["content"] = content_fingerprint(
            (document.id, document.title, document.text) for document in context.documents
        )
        summary = self._summarise(context.documents, attributes)
        story = replace(context.story, summary=summary, attributes=attributes)
        story = with_llm_summary(self.age(story, context.now), context.before)
        return self._with_alerts(story, context.before, context.now)

    def _summarise(self, documents: Sequence[Document], attributes: dict[str, Any]) -> str:
        """The summary in the language of the readers; sets its claims, and the summaries in the other languages that they
        read."""
        readable = documents_to_read(documents, self.languages)
        language = reader_language([document.language for document in documents], self.languages)
        others = [name for name in self.languages if name in attributes["languages"] and name != language]
        summary, attributes["claims"] = summarise_documents(readable, self.sentences)
        attributes["summary_language"] = language
        attributes["summaries"] = {
            other: summarise_documents(documents_to_read(documents, (other,)), self.sentences)[0]
            for other in others
        }
        return summary

    def age(self, story: Story, now: datetime) -> Story:
        """The story with its score as of now: scores fall with time, and so does the number from which growth is counted."""
        attributes, week = story.attributes, stored_week(story.attributes)
        if week is None:
            return story
        reports, publishers = week.reports(now, HOT), week.publishers_of(now, HOT)
        topic = attributes["topic"]
        hotspot = score_hotspot(
            reports, publishers, week.newest, str(topic["code"]), now=now, scale=self.scale
        )
        components = {name: round(value, 4) for name, value in asdict(hotspot).items() if name != "score"}
        growth_from = min(int(attributes["growth_from"]), week.reports(now))
        if (
            story.score == hotspot.score
            and attributes.get("components") == components
            and attributes["growth_from"] == growth_from
        ):
            return story
        reasons = explain_score(
            hotspot,
            ScoredStory(
                reports=reports,
                reports_in_all=int(attributes["reports"]),
                publishers=publishers,
                newest=week.newest,
                topic=str(topic["name"]),
            ),
            now=now,
            scale=self.scale,
        )
        scored = {
            "components": components,
            "score_reasons": list(reasons),
            "scored_at": now.isoformat(),
            "growth_from": growth_from,
        }
        return replace(story, score=hotspot.score, attributes={**attributes, **scored})

    def _flashpoint(self, context: StoryContext) -> dict[str, Any]:
        flashpoints = (flashpoint_of(document) for document in context.documents)
        flashpoint = next((flashpoint for flashpoint in flashpoints if flashpoint), "")
        titles = (document.attributes.get("flashpoint_title") for document in context.documents)
        entry_title = next((str(title) for title in titles if title), "")
        title = self.titles.get(flashpoint, entry_title)
        return {
            "flashpoint": flashpoint,
            "subject_title": title,
            "rank": context.rank,
            "scored_at": context.now.isoformat(),
        }

    def _with_alerts(self, story: Story, before: Story | None, now: datetime) -> Story:
        """The story with the alert rules that its change meets. An unchanged story keeps its alert, which may not be
        delivered yet."""
        earlier = None if before is None else alert_state(before, now)
        if before is not None and earlier is not None and before.revision == story.revision:
            unchanged = {name: before.attributes[name] for name in OF_ALERT if name in before.attributes}
            return replace(story, attributes={**story.attributes, **unchanged})
        state = alert_state(story, now) or NO_ALERT_STATE
        decision = decide_alert(self.rules, state, earlier)
        newest = str(story.attributes[ATTRIBUTE]["newest_at"])
        of_alert = {
            "alert": list(decision.rules),
            "alert_reasons": list(decision.reasons),
            "alert_withheld": list(decision.withheld),
            "growth_since": newest if decision.rules else story.attributes["growth_since"] or newest,
            "growth_from": state.of_week if decision.rules else story.attributes["growth_from"],
            "is_hot": decision.is_hot,
        }
        return replace(story, attributes={**story.attributes, **of_alert})


def with_llm_summary(story: Story, before: Story | None) -> Story:
    """The story with the LLM summary of exactly these documents, if it had one before."""
    if before is None or before.attributes.get("content") != story.attributes["content"]:
        return story
    if before.attributes.get("summary_by", LOCAL) == LOCAL:
        return story
    fields = {name: before.attributes[name] for name in LLM_SUMMARY_FIELDS if name in before.attributes}
    return replace(story, summary=before.summary, attributes={**story.attributes, **fields})


def alert_state(story: Story, now: datetime) -> StoryState | None:
    """The state of a story that alert rules compare. None for a story that was never described; one that was described before
    reports were counted by hour still says what it alerted for."""
    attributes = story.attributes
    if "articles" not in attributes:
        return None
    week = stored_week(attributes) or WeekReports()
    return StoryState(
        score=story.score or 0.0,
        reports=int(attributes.get("reports", attributes["articles"])),
        of_week=week.reports(now),
        growth_from=int(attributes.get("growth_from", 0)),
        topic=str(attributes["topic"]["code"]),
        subjects=frozenset((str(attributes["flashpoint"]), *attributes["countries"])),
        recent=int(attributes.get("recent", 0)),
        gained=int(attributes.get("gained", 0)),
        is_quiet=week.newest is not None and now - week.newest > RECENT,
        is_hot=bool(attributes.get("is_hot")),
        withheld=tuple(attributes.get("alert_withheld", ())),
    )


def _counted_reports(context: StoryContext) -> dict[str, Any]:
    """The reports that count for the score, those of the last 48 hours, and how many there are since growth is counted.
    Of reports without a date that its story began with, nobody knows whether they are recent: they may be an archive.
    `growth_from` is the lowest number of a week since the last alert or the start; reports that arrive late raise it."""
    before, now = context.before, context.now
    times = report_times(context.documents, before, now)
    week = week_reports(context.documents, times, now)
    started_at = now.isoformat() if before is None else str(before.attributes.get("started_at") or "")
    counts: dict[str, Any] = {
        ATTRIBUTE: week.record(),
        "reports": len(times),
        "started_at": started_at,
        "recent": sum(
            moment is not None and now - moment <= RECENT and week.arrivals.get(name) != started_at
            for name, moment in times.items()
        ),
    }
    since = "" if before is None else str(before.attributes.get("growth_since") or "")
    if before is None or not since or "growth_from" not in before.attributes:
        return counts | {"growth_since": since, "growth_from": week.reports(now), "gained": 0}
    start, first = datetime.fromisoformat(since), now - WEEK
    earlier = {member.document for member in before.members}
    in_week = {name: moment for name, moment in times.items() if moment is not None and moment >= first}
    late = sum(name not in earlier and moment <= start for name, moment in in_week.items())
    return counts | {
        "growth_since": since,
        "growth_from": int(before.attributes["growth_from"]) + late,
        "gained": sum(moment > start for moment in in_week.values()),
    }


def _days(documents: Sequence[Document]) -> dict[str, Any]:
    """The day tables that its documents come from, each with what its table shows of them."""
    by_day: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if day := document.attributes.get("day"):
            by_day[str(day)].append(document)
    coverages = {day: coverage_of(of_day) for day, of_day in sorted(by_day.items())}
    return {day: {name: coverage[name] for name in OF_DAY} for day, coverage in coverages.items()}


def main_topic(documents: Sequence[Document]) -> dict[str, Any]:
    """The topic of most documents of a story. Of two equally frequent ones, the one with more confidence."""
    topics = [topic for document in documents if (topic := topic_of(document)) is not None]
    votes = Counter(str(topic["code"]) for topic in topics)
    if not votes:
        return {"code": UNKNOWN_TOPIC, "name": UNCLASSIFIED, "confidence": 0.0, "votes": 0}
    confidence = {
        code: max(topic["confidence"] for topic in topics if topic["code"] == code) for code in votes
    }
    best = min(votes, key=lambda code: (-votes[code], -confidence[code], code))
    name = next(str(topic["name"]) for topic in topics if topic["code"] == best)
    return {"code": best, "name": name, "confidence": confidence[best], "votes": votes[best]}
