"""What a publisher says about the use of a page: TDM reservations and robots directives, wherever they are written.

A page's own word comes before its headers, its headers before the site's `tdmrep.json`. All of it is recorded with the
fetch; whether anything follows from it is a setting.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from headwater.fetch.politeness.robots_txt import matches_path
from headwater.fetch.responses import header_value

SIGNALS = ("tdm", "noai", "noimageai", "noindex")
"""What may be made a reason to refuse: a TDM reservation, or one of these directives."""

_MOST_RULES = 1_000
_LONGEST_VALUE = 300
_HEAD_AT_MOST = 128 * 1024
# One pass, which ends with the head: at its own end, or at the first element that can only stand in a body. The flag
# that ignores case would take most of the time of a fetch.
_MARK = re.compile(
    rb"<(?:[mM](?:eta|ETA)\s([^<>]{1,1000})>|(?P<script>[sS](?:cript|CRIPT))|(?P<comment>!--)"
    rb"|(?P<end>/[hH](?:ead|EAD)|(?:[bB](?:ody|ODY)|div|DIV|p|P|main|article|section|header|nav|table|TABLE|h1|H1)[\s>]))"
)
_CLOSED = {"comment": b"-->", "script": b"</script"}
_NAME = re.compile(rb"""\bname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""", re.IGNORECASE)
_CONTENT = re.compile(rb"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""", re.IGNORECASE)
_TDM = ("tdm-reservation", "tdm-policy")
SIGNAL_FIELDS = ("x-robots-tag", "meta-robots", *_TDM, "tdm-said-by")
"""The names under which a record holds what was said."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """What a site's file says about the paths of a pattern."""

    location: str
    reserved: bool
    policy: str = ""


def read_tdmrep(body: bytes) -> tuple[TdmRule, ...]:
    """The rules of a `tdmrep.json`. What cannot be read says nothing, and neither does a line that cannot."""
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ()
    lines = told if isinstance(told, list) else [told]
    return tuple(rule for line in lines[:_MOST_RULES] if (rule := _rule(line)) is not None)


def _rule(line: Any) -> TdmRule | None:
    if not isinstance(line, dict) or not isinstance(line.get("location"), str):
        return None
    reserved = str(line.get("tdm-reservation")).strip()
    if reserved not in ("0", "1"):
        return None
    policy = line.get("tdm-policy")
    return TdmRule(
        line["location"], reserved == "1", policy[:_LONGEST_VALUE] if isinstance(policy, str) else ""
    )


def rule_for(rules: tuple[TdmRule, ...], path: str) -> TdmRule | None:
    """The rule with the longest pattern that matches, as in robots.txt; of two equally long ones the one that
    reserves."""
    found = [rule for rule in rules if matches_path(rule.location, path)]
    return max(found, key=lambda rule: (len(rule.location), rule.reserved), default=None)


def signals_in_file(rule: TdmRule) -> dict[str, str]:
    said = {"tdm-reservation": "1" if rule.reserved else "0", "tdm-said-by": "tdmrep.json"}
    return said | ({"tdm-policy": rule.policy} if rule.policy else {})


def signals_in_headers(headers: Mapping[str, str]) -> dict[str, str]:
    found = ((name, header_value(headers, name)[:_LONGEST_VALUE]) for name in ("x-robots-tag", *_TDM))
    return _with_speaker({name: value for name, value in found if value}, "header")


def signals_in_page(body: bytes, token: str) -> dict[str, str]:
    """What the meta elements in a page's head say: to everybody, or to the agent with this token."""
    said: dict[str, str] = {}
    for name, content in _metas(body, {"robots", token, *_TDM}):
        if name in ("robots", token):
            said["meta-robots"] = f"{said['meta-robots']}, {content}" if "meta-robots" in said else content
        else:
            said.setdefault(name, content)
    return _with_speaker({name: value[:_LONGEST_VALUE] for name, value in said.items()}, "page")


def _with_speaker(said: dict[str, str], speaker: str) -> dict[str, str]:
    return said | {"tdm-said-by": speaker} if "tdm-reservation" in said else said


def _metas(body: bytes, wanted: set[str]) -> Iterator[tuple[str, str]]:
    at, end = 0, min(len(body), _HEAD_AT_MOST)
    while (mark := _MARK.search(body, at, end)) is not None and mark.lastgroup != "end":
        at = mark.end()
        if mark.lastgroup:
            at = body.find(_CLOSED[mark.lastgroup], at, end) + 1 or end
            continue
        name = _value(_NAME, mark[1]).lower()
        content = _value(_CONTENT, mark[1]) if name in wanted else ""
        if content:
            yield name, content


def _value(pattern: re.Pattern[bytes], attributes: bytes) -> str:
    found = pattern.search(attributes)
    return (found[found.lastindex or 0] if found else b"").decode("ascii", "ignore").strip()


def active_signals(said: Mapping[str, Any], token: str) -> frozenset[str]:
    """Which of the known signals a record of all that was said holds."""
    words = _directives(str(said.get("x-robots-tag", "")), token)
    words |= _directives(str(said.get("meta-robots", "")), token)
    if "none" in words:
        words |= {"noindex"}
    if str(said.get("tdm-reservation", "")).strip() == "1":
        words |= {"tdm"}
    return frozenset(words) & frozenset(SIGNALS)


def _directives(text: str, token: str) -> set[str]:
    """The directives for everybody or for this agent. One that names another agent is not for us; those that follow
    it may be, because repeated headers arrive as one line."""
    named = (part.strip().lower().rpartition(":") for part in text.split(","))
    return {word.strip() for agent, _, word in named if not agent or agent.strip() == token}
