"""What an installation can tell this recipe."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from headwater.model.errors import Refused
from headwater.settings.llm import LlmEndpoint, check_endpoint
from headwater.settings.sources import parse_duration
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC, topic_code
from headwater_recipes.geopolitics.alert_rules import AlertRules
from headwater_recipes.geopolitics.flashpoints import flashpoint_id

WHERE = "recipes.geopolitics.options"
COUNTRY = 2


class AlertOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`channels` are names under `notify`. `subjects` are flashpoints or country codes, `topics` names or codes of the
    IPTC top levels; a rule that is not given is off."""

    channels: tuple[str, ...] = ()
    score: float | None = 0.7
    growth: float | None = 2.0
    topics: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    new_story: int | None = None
    silence: str | None = None


class EntityOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`model` is a token classifier as ONNX with its tokenizer and config: a folder, or a name under `models`. Names that
    it is less sure of than `least` are left out."""

    model: str
    least: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5


class TranslationOptions(LlmEndpoint, frozen=True, forbid_unknown_fields=True):
    """Titles in other languages than `into` are translated by this endpoint, beside the original."""

    into: Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}$")] = "en"

    def __repr__(self) -> str:
        return LlmEndpoint.__repr__(self)


class GeopoliticsOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tier` A groups by words alone, B by meaning as well (extra `nlp`), C as B. `profile` is how stories are cut;
    `settle` is how long a flashpoint rests after an arrival before its stories are told. `models` is the folder under which
    models lie and the encoder is built once, the data folder unless given; `model` names another encoder than that of the
    settings. `date` is the day whose tables are read instead of the
    newest. `entities` and `translation` are off unless given."""

    tier: Literal["A", "B", "C"] = "A"
    profile: Literal["default", "reference"] = "default"
    settle: str = "10s"
    cron: str = "0 4 * * *"
    models: str | None = None
    model: str | None = None
    date: str | None = None
    entities: EntityOptions | None = None
    translation: TranslationOptions | None = None
    alerts: AlertOptions = AlertOptions()


def read_options(given: Mapping[str, Any]) -> GeopoliticsOptions:
    try:
        chosen = msgspec.convert(dict(given), GeopoliticsOptions)
    except msgspec.ValidationError as error:
        raise Refused("bad_config", f"{WHERE}: {error}") from error
    if chosen.profile == "reference" and chosen.tier == "A":
        raise Refused("bad_config", f"{WHERE}.profile: reference needs embeddings, so tier B or C")
    if chosen.translation is not None:
        check_endpoint(chosen.translation, f"{WHERE}.translation")
    return chosen


def read_alert_rules(alerts: AlertOptions) -> AlertRules:
    unknown = [topic for topic in alerts.topics if topic_code(topic) == UNKNOWN_TOPIC]
    if unknown:
        raise Refused("bad_config", f"{WHERE}.alerts.topics: '{unknown[0]}' is no IPTC top level")
    quiet = alerts.silence
    return AlertRules(
        score=alerts.score,
        growth=alerts.growth,
        topics=frozenset(topic_code(topic) for topic in alerts.topics),
        subjects=frozenset(_subject(told) for told in alerts.subjects),
        new_story=alerts.new_story,
        silence=None if quiet is None else parse_duration(quiet, f"{WHERE}.alerts.silence"),
    )


def _subject(told: str) -> str:
    return told.upper() if len(told) == COUNTRY else flashpoint_id(told)
