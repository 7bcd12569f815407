"""robots.txt as RFC 9309 reads it, with the Crawl-delay and Sitemap lines that people write as well."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_ROBOTS = 512_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|([^\x21-\x7e])")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Misspellings that are common enough to know what was meant.
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
    """All that a file says to one product token."""

    rules: tuple[RobotsRule, ...] = ()
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """Whether a URL may be fetched, and the line that says so."""

    allowed: bool
    because: str
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class RobotsTxt:
    """A file, read. `verdict` is set when there is none to read: everything is allowed, or nothing is."""

    groups: Mapping[str, RobotsGroup] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    verdict: RobotsDecision | None = None

    def group(self, token: str) -> tuple[str, RobotsGroup]:
        """The group for a product token, else the one for everybody, else an empty one."""
        for name in (token.lower(), "*"):
            if name in self.groups:
                return name, self.groups[name]
        return "", RobotsGroup()

    def ruling(self, token: str, path: str) -> RobotsDecision:
        """`path` is the path and query of the URL, as it is sent."""
        if self.verdict is not None:
            return self.verdict
        name, group = self.group(token)
        if path == "/robots.txt":
            return RobotsDecision(True, "robots.txt itself", group.delay)
        rule = _strongest(group.rules, _normal(path, literal=True))
        if rule is None:
            return RobotsDecision(True, f"no rule for {name}" if name else "no group", group.delay)
        return RobotsDecision(rule.allow, f"{rule.text} (for {name})", group.delay)


def robots_from_response(status: int, body: bytes) -> RobotsTxt:
    """What the answer to a request for robots.txt means. A server that asks for patience is taken for unreachable."""
    if 200 <= status < 300:
        return parse_robots(body)
    if status == 429 or status >= 500:
        return unreachable_robots(f"status {status}")
    return RobotsTxt(verdict=RobotsDecision(True, f"no robots.txt: status {status}"))


def unreachable_robots(why: str) -> RobotsTxt:
    return RobotsTxt(verdict=RobotsDecision(False, f"robots.txt unreachable: {why}"))


def product_token(user_agent: str) -> str:
    """The name by which robots.txt addresses an agent: what stands before the version."""
    return re.split(r"[/\s(]", user_agent.strip(), maxsplit=1)[0].lower()


def parse_robots(body: bytes) -> RobotsTxt:
    text = body[:LONGEST_ROBOTS].decode("utf-8", "replace").removeprefix("\ufeff")
    rules: dict[str, list[RobotsRule]] = {}
    delays: dict[str, float] = {}
    sitemaps: list[str] = []
    agents: list[str] = []
    naming = False
    for line in _LINE_END.split(text):
        key, value = _field(line)
        if key == "agent":
            agents = [*(agents if naming else []), _agent(value)]
            rules.setdefault(agents[-1], [])
            naming = True
        elif key == "sitemap":
            sitemaps.append(value)
        elif key:
            naming = False
            _add(key, value, agents, rules, delays)
    groups = {name: RobotsGroup(tuple(found), delays.get(name)) for name, found in rules.items()}
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
                RobotsRule(key == "allow", _normal(value, literal=False), f"{key.title()}: {value}"[:200])
            )


def matches_path(pattern: str, path: str) -> bool:
    """Whether a pattern, as robots.txt writes them, matches a path and query as it is sent."""
    return _matches(_normal(pattern, literal=False), _normal(path, literal=True))


def _seconds(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\d{1,9}(?:\.\d{0,9})?", value, re.ASCII) else None


def _strongest(rules: tuple[RobotsRule, ...], path: str) -> RobotsRule | None:
    """The longest pattern that matches; of two equally long ones the one that allows."""
    found = [rule for rule in rules if _matches(rule.pattern, path)]
    return max(found, key=lambda rule: (len(rule.pattern), rule.allow), default=None)


def _matches(pattern: str, path: str) -> bool:
    # Each part between stars is looked for as early as possible: linear, however many stars there are.
    anchored = pattern.endswith("$")
    first, *rest = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    at = len(first)
    for part in rest[:-1]:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    last = rest[-1]
    return path.endswith(last) and len(path) - len(last) >= at if anchored else path.find(last, at) >= 0


def _normal(text: str, *, literal: bool) -> str:
    """One spelling for paths and patterns: only reserved and non-ASCII octets stay percent-encoded. In a path, the
    two characters that mean something in a pattern are encoded, so that an encoded one in a pattern can match."""
    normal = _ESCAPE.sub(_spell, text) if "%" in text or not text.isascii() or " " in text else text
    if literal and ("*" in normal or "$" in normal):
        normal = normal.replace("*", "%2A").replace("$", "%24")
    return normal


def _spell(found: re.Match[str]) -> str:
    code, raw = found.groups()
    if code is None:
        return "".join(f"%{octet:02X}" for octet in raw.encode())
    character = chr(int(code, 16))
    return character if character in _UNRESERVED else f"%{code.upper()}"
