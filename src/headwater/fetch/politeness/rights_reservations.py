"""Rights reservations of publishers: TDM reservations and robots directives in the page, its headers and `tdmrep.json`.

The page overrides its headers, and its headers override `tdmrep.json`. All signals are recorded with the capture; a setting
decides which of them refuse a page.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.fetch.politeness.robots_txt import matches_path
from headwater.fetch.responses import header_value
from headwater.model.warning_log import ignore_warning
from headwater.text.charset import to_utf8
from headwater.text.json_payload import BadJson, decode_payload

SIGNALS = ("tdm", "noai", "noimageai", "noindex")
"""The signals that can refuse a page: a TDM reservation, or one of these directives."""

_MOST_RULES = 1_000
_LONGEST_VALUE = 300
_HEAD_AT_MOST = 128 * 1024
# One pass that ends with the head: at its end tag, or at the first element that belongs into a body. The flag that
# ignores case would take most of the time of a fetch.
_MARK = re.compile(
    rb"<(?:[mM](?:eta|ETA)\s([^<>]{1,1000})>|(?P<script>[sS](?:cript|CRIPT))|(?P<comment>!--)"
    rb"|(?P<end>/[hH](?:ead|EAD)|(?:[bB](?:ody|ODY)|div|DIV|p|P|main|article|section|header|nav|table|TABLE|h1|H1)[\s>]))"
)
_CLOSED = {"comment": b"-->", "script": b"</script"}
_NAME = re.compile(rb"""\bname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""", re.IGNORECASE)
_CONTENT = re.compile(rb"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))""", re.IGNORECASE)
_TDM = ("tdm-reservation", "tdm-policy")
SIGNAL_FIELDS = ("x-robots-tag", "meta-robots", *_TDM, "tdm-declared-in")
"""The fields of the policy record that hold signals."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """A rule of `tdmrep.json` for the paths of a pattern."""

    location: str
    reserved: bool
    policy: str = ""


def read_tdmrep(body: bytes) -> tuple[TdmRule, ...]:
    """The rules of a `tdmrep.json`, in whatever encoding. Invalid files and invalid entries are ignored."""
    try:
        content = decode_payload(to_utf8(body, media_type=None, warn=ignore_warning))
    except BadJson:
        return ()
    lines = content if isinstance(content, list) else [content]
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
    """The rule with the longest matching pattern, as in robots.txt. Of two equally long ones, the one that reserves."""
    matching = [rule for rule in rules if matches_path(rule.location, path)]
    return max(matching, key=lambda rule: (len(rule.location), rule.reserved), default=None)


def signals_in_file(rule: TdmRule) -> dict[str, str]:
    signals = {"tdm-reservation": "1" if rule.reserved else "0", "tdm-declared-in": "tdmrep.json"}
    return signals | ({"tdm-policy": rule.policy} if rule.policy else {})


def signals_in_headers(headers: Mapping[str, str]) -> dict[str, str]:
    fields = ((name, header_value(headers, name)[:_LONGEST_VALUE]) for name in ("x-robots-tag", *_TDM))
    return _with_origin({name: value for name, value in fields if value}, "header")


def signals_in_page(body: bytes, token: str) -> dict[str, str]:
    """The signals of the meta elements in a page's head for all agents, or for the agent with this token."""
    signals: dict[str, str] = {}
    for name, content in _metas(body, {"robots", token, *_TDM}):
        if name in ("robots", token):
            earlier = signals.get("meta-robots")
            signals["meta-robots"] = f"{earlier}, {content}" if earlier is not None else content
        else:
            signals.setdefault(name, content)
    return _with_origin({name: value[:_LONGEST_VALUE] for name, value in signals.items()}, "page")


def _with_origin(signals: dict[str, str], origin: str) -> dict[str, str]:
    return signals | {"tdm-declared-in": origin} if "tdm-reservation" in signals else signals


def _metas(body: bytes, names: set[str]) -> Iterator[tuple[str, str]]:
    at, end = 0, min(len(body), _HEAD_AT_MOST)
    while (mark := _MARK.search(body, at, end)) is not None and mark.lastgroup != "end":
        at = mark.end()
        if mark.lastgroup:
            at = body.find(_CLOSED[mark.lastgroup], at, end) + 1 or end
            continue
        name = _value(_NAME, mark[1]).lower()
        content = _value(_CONTENT, mark[1]) if name in names else ""
        if content:
            yield name, content


def _value(pattern: re.Pattern[bytes], attributes: bytes) -> str:
    match = pattern.search(attributes)
    return (match[match.lastindex or 0] if match else b"").decode("ascii", "ignore").strip()


def active_signals(policy: Mapping[str, Any], token: str) -> frozenset[str]:
    """The known signals in a policy record."""
    words = _directives(str(policy.get("x-robots-tag", "")), token)
    words |= _directives(str(policy.get("meta-robots", "")), token)
    if "none" in words:
        words |= {"noindex"}
    if str(policy.get("tdm-reservation", "")).strip() == "1":
        words |= {"tdm"}
    return frozenset(words) & frozenset(SIGNALS)


def _directives(text: str, token: str) -> set[str]:
    """The directives for all agents or for this one. A directive for another agent does not apply, but those that follow
    it may, because repeated headers arrive as one line."""
    directives = (part.strip().lower().rpartition(":") for part in text.split(","))
    return {word.strip() for agent, _, word in directives if not agent or agent.strip() == token}
