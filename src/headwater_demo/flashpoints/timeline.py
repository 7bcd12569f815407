"""What happens around the flashpoints in a month: two weeks before the demo starts, two weeks after.

Texts are in `texts/FLASHPOINT.LANGUAGE.txt`; an event is reported in the languages that have a text for it.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

LANGUAGES = ("en", "es", "de", "fr", "ru", "zh")
Reach = Literal["small", "medium", "large"]

WAR, MONEY, POLITICS = "conflict, war and peace", "economy, business and finance", "politics"
CRIME, LABOUR, HEALTH = "crime, law and justice", "labour", "health"
DISASTER, WEATHER = "disaster, accident and emergency incident", "weather"


@dataclass(frozen=True, slots=True)
class Event:
    """`name` is STORY.DEVELOPMENT; `hours` count from the start of the demo. How many newspapers report it is its `reach`."""

    flashpoint: str
    name: str
    hours: float
    category: str
    reach: Reach

    @property
    def story(self) -> str:
        return self.name.partition(".")[0]


EVENTS = (
    Event("kelmar-strait", "exercise.announced", -310, WAR, "large"),
    Event("kelmar-strait", "insurance.first", -286, MONEY, "small"),
    Event("kelmar-strait", "fishing.collision", -245, DISASTER, "medium"),
    Event("kelmar-strait", "insurance.rise", -192, MONEY, "small"),
    # The false alarm: many reports within hours, and the correction before noon.
    Event("kelmar-strait", "alarm.missile", -147, WAR, "large"),
    Event("kelmar-strait", "alarm.false", -144.5, DISASTER, "large"),
    Event("kelmar-strait", "insurance.reroute", -70, MONEY, "medium"),
    Event("kelmar-strait", "tanker.seized", -21, WAR, "large"),
    Event("kelmar-strait", "tanker.demand", -14, WAR, "large"),
    Event("kelmar-strait", "cable.torn", -9.5, MONEY, "medium"),
    Event("kelmar-strait", "tanker.released", 216, WAR, "large"),
    Event("valdora-vote", "ballots.missing", -298, POLITICS, "small"),
    Event("valdora-vote", "rally.attack", -222, CRIME, "large"),
    Event("valdora-vote", "rally.arrest", -170, CRIME, "medium"),
    Event("valdora-vote", "election.day", -106, POLITICS, "large"),
    Event("valdora-vote", "protest.square", -67, POLITICS, "medium"),
    Event("valdora-vote", "recount.ordered", -22.5, POLITICS, "large"),
    Event("valdora-vote", "strike.buses", -6.5, LABOUR, "small"),
    Event("valdora-vote", "recount.result", 150, POLITICS, "large"),
    # The story that grows slowly: rain, the river, the first villages, the dikes.
    Event("orsa-delta", "flood.rain", -314, WEATHER, "small"),
    Event("orsa-delta", "dam.commission", -270, POLITICS, "small"),
    Event("orsa-delta", "flood.level", -215, WEATHER, "small"),
    Event("orsa-delta", "bridge.collapse", -172, DISASTER, "large"),
    Event("orsa-delta", "bridge.toll", -140, DISASTER, "medium"),
    Event("orsa-delta", "dam.walkout", -120, POLITICS, "small"),
    Event("orsa-delta", "flood.evacuate", -93, DISASTER, "medium"),
    Event("orsa-delta", "flood.dikes", -22, DISASTER, "large"),
    Event("orsa-delta", "flood.illness", 125, HEALTH, "medium"),
    Event("orsa-delta", "dam.agreement", 290, POLITICS, "medium"),
)
ROUND_UPS = (-155.0, -3.0)
"""When the newspapers look back at seven days."""


@dataclass(frozen=True, slots=True)
class EventText:
    """Of one event in one language: headlines, leads, and details in the order of their importance."""

    headlines: tuple[str, ...]
    leads: tuple[str, ...]
    details: tuple[str, ...]


@cache
def event_texts(flashpoint: str, language: str) -> dict[str, EventText]:
    """The texts by the name of their event; `background` has what newspapers explain again and again."""
    source = files("headwater_demo.flashpoints").joinpath("texts", f"{flashpoint}.{language}.txt")
    sections: dict[str, dict[str, list[str]]] = {}
    for line in source.read_text(encoding="utf-8").splitlines():
        mark, _, words = line.partition(" ")
        if mark == "@":
            lines = sections[words] = {"=": [], ">": [], "-": []}
        else:
            lines[mark].append(words)
    return {
        name: EventText(tuple(part["="]), tuple(part[">"]), tuple(part["-"]))
        for name, part in sections.items()
    }
