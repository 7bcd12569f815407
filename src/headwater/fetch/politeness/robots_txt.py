"""robots.txt by RFC 9309, with the common Crawl-delay and Sitemap lines."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_ROBOTS = 512_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|([^\x21-\x7e])")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Including common misspellings.
_KEYS = {
    "user-agent": "agent",
    "useragent": "agent",
    "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "crawl-delay": "delay",
    "crawldelay": "delay",
    "sitemap": "sitemap",
    "site-map": "sitemap",
}


@dataclass(frozen=True, slots=True)
class RobotsRule:
    allow: bool
    pattern: str
    text: str


@dataclass(frozen=True, slots=True)
class RobotsGroup:
    """All rules of a file for one product token."""

    rules: tuple[RobotsRule, ...] = ()
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """Whether a URL may be fetched, and the line that decides it."""

    allowed: bool
    reason: str
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsTxt:
    """A parsed file. `blanket` is the decision for every URL where there is no file to parse."""

    groups: Mapping[str, RobotsGroup] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    blanket: RobotsDecision | None = None

    def group(self, token: str) -> tuple[str, RobotsGroup]:
        """The group for a product token, else the group `*`, else an empty one."""
        for name in (token.lower(), "*"):
            if name in self.groups:
                return name, self.groups[name]
        return "", RobotsGroup()

    def decision(self, token: str, path: str) -> RobotsDecision:
        """`path` is the path and query of the URL, as it is sent."""
        if self.blanket is not None:
            return self.blanket
        name, group = self.group(token)
        if path == "/robots.txt":
            return RobotsDecision(True, "robots.txt itself", group.delay)
        rule = _deciding_rule(group.rules, _normalise(path, literal=True))
        if rule is None:
            return RobotsDecision(True, f"no rule for {name}" if name else "no group", group.delay)
        return RobotsDecision(rule.allow, f"{rule.text} (for {name})", group.delay)


def robots_from_response(status: int, body: bytes) -> RobotsTxt:
    """The rules that follow from the response to a request for robots.txt. A server that asks us to wait counts as
    unreachable."""
    if 200 <= status < 300:
        return parse_robots(body)
    if status == 429 or status >= 500:
        return unreachable_robots(f"status {status}")
    return RobotsTxt(blanket=RobotsDecision(True, f"no robots.txt: status {status}"))


def unreachable_robots(detail: str) -> RobotsTxt:
    return RobotsTxt(blanket=RobotsDecision(False, f"robots.txt unreachable: {detail}"))


def product_token(user_agent: str) -> str:
    """The name by which robots.txt addresses an agent: the part before the version."""
    return re.split(r"[/\s(]", user_agent.strip(), maxsplit=1)[0].lower()


def parse_robots(body: bytes) -> RobotsTxt:
    text = body[:LONGEST_ROBOTS].decode("utf-8", "replace").removeprefix("\ufeff")
    rules: dict[str, list[RobotsRule]] = {}
    delays: dict[str, float] = {}
    sitemaps: list[str] = []
    agents: list[str] = []
    in_agent_lines = False
    for line in _LINE_END.split(text):
        key, value = _field(line)
        if key == "agent":
            agents = [*(agents if in_agent_lines else []), _agent(value)]
            rules.setdefault(agents[-1], [])
            in_agent_lines = True
        elif key == "sitemap":
            sitemaps.append(value)
        elif key:
            in_agent_lines = False
            _add(key, value, agents, rules, delays)
    groups = {name: RobotsGroup(tuple(group_rules), delays.get(name)) for name, group_rules in rules.items()}
    return RobotsTxt(groups, tuple(sitemaps))


def _field(line: str) -> tuple[str, str]:
    key, colon, value = line.partition("#")[0].partition(":")
    return (_KEYS.get(key.strip().lower(), ""), value.strip()) if colon else ("", "")


def _agent(value: str) -> str:
    return product_token(value) or "*"


def _add(
    key: str, value: str, agents: list[str], rules: dict[str, list[RobotsRule]], delays: dict[str, float]
) -> None:
    for agent in agents:
        if key == "delay":
            delay = _seconds(value)
            if delay is not None:
                delays[agent] = max(delay, delays.get(agent, 0.0))
        elif value:
            rules[agent].append(
                RobotsRule(key == "allow", _normalise(value, literal=False), f"{key.title()}: {value}"[:200])
            )


def matches_path(pattern: str, path: str) -> bool:
    """Whether a robots.txt pattern matches a path and query as it is sent."""
    return _matches(_normalise(pattern, literal=False), _normalise(path, literal=True))


def _seconds(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\d{1,9}(?:\.\d{0,9})?", value, re.ASCII) else None


def _deciding_rule(rules: tuple[RobotsRule, ...], path: str) -> RobotsRule | None:
    """The rule with the longest matching pattern. Of two equally long ones, the one that allows."""
    matching = [rule for rule in rules if _matches(rule.pattern, path)]
    return max(matching, key=lambda rule: (len(rule.pattern), rule.allow), default=None)


def _matches(pattern: str, path: str) -> bool:
    # Each part between stars is matched as early as possible: linear, however many stars there are.
    anchored = pattern.endswith("$")
    first, *later_parts = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    if not later_parts:
        return not anchored or path == first
    at = len(first)
    for part in later_parts[:-1]:
        start = path.find(part, at)
        if start < 0:
            return False
        at = start + len(part)
    last = later_parts[-1]
    return path.endswith(last) and len(path) - len(last) >= at if anchored else path.find(last, at) >= 0


def _normalise(text: str, *, literal: bool) -> str:
    """Normalise paths and patterns: only reserved and non-ASCII octets stay percent-encoded. In a path, the two
    wildcards of patterns are encoded too, so that an encoded one in a pattern can match."""
    normalised = _ESCAPE.sub(_encode, text) if "%" in text or not text.isascii() or " " in text else text
    if literal and ("*" in normalised or "$" in normalised):
        normalised = normalised.replace("*", "%2A").replace("$", "%24")
    return normalised


def _encode(match: re.Match[str]) -> str:
    code, raw = match.groups()
    if code is None:
        return "".join(f"%{octet:02X}" for octet in raw.encode())
    character = chr(int(code, 16))
    return character if character in _UNRESERVED else f"%{code.upper()}"
