"""URLs as identities: hosts, percent-encoding, and one canonical form for all spellings by a named set of rules."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import SplitResult, quote, unquote_plus, urlsplit, urlunsplit

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_PATH_SAFE = "!$&'()*+,;=:@/%"
_QUERY_SAFE = _PATH_SAFE + "?"
_INVISIBLE = dict.fromkeys((*range(32), 127))
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UrlRules:
    """What the canonical form leaves out of a URL. Parameter names are compared in lower case; `kept_parameters` wins over `dropped_parameters`."""

    name: str
    dropped_parameters: frozenset[str] = frozenset()
    dropped_prefixes: tuple[str, ...] = ()
    dropped_pattern: re.Pattern[str] = _NEVER
    dropped_pairs: frozenset[tuple[str, str]] = frozenset()
    kept_parameters: frozenset[str] = frozenset()
    path_parameters: frozenset[str] = frozenset()
    path_endings: tuple[str, ...] = ()
    host_prefixes: tuple[str, ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict)
    https: bool = False
    sort: bool = False
    trailing_slash: bool = True


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TRACKING = _names(
    "fbclid gclid dclid gbraid wbraid gad_source gad_campaignid gclsrc msclkid yclid twclid ttclid li_fat_id igshid "
    "epik srsltid mc_cid mc_eid mkt_tok _hsenc _hsmi __hstc __hssc __hsfp hsctatracking vero_id vero_conv oly_anon_id "
    "oly_enc_id wickedid s_cid _openstat rb_clickid _ga _gl ml_subscriber ml_subscriber_hash ss_email_id bsft_clkid "
    "bsft_eid at_medium at_campaign __twitter_impression guccounter guce_referrer guce_referrer_sig sc_cid ncid "
    "cmpid icid xtor wt_mc wt.mc_id"
)
_TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_")

DEFAULT_RULES = UrlRules(name="default-1", dropped_parameters=_TRACKING, dropped_prefixes=_TRACKING_PREFIXES)
"""Safe to fetch: leaves out only parameters that never select content (`ref`, `cid` and `source` do on many sites)."""

IDENTITY_RULES = UrlRules(
    name="identity-1",
    dropped_parameters=_TRACKING,
    dropped_prefixes=_TRACKING_PREFIXES,
    dropped_pairs=frozenset(
        {("outputtype", "amp"), ("amp", "1"), ("amp", "true"), ("amp", ""), ("print", "1"), ("print", "true")}
    ),
    path_endings=("/amp", "/amp/", ".amp", "/amp.html"),
    host_prefixes=("www.", "m.", "mobile.", "amp."),
    https=True,
    trailing_slash=False,
)
"""Not for fetching: the mobile, AMP and print versions of a page, with or without `www` and TLS, have one form."""

CAMPAIGN_RULES = UrlRules(
    name="campaign", dropped_parameters=_names("utm_source utm_medium utm_campaign fbclid gclid")
)
"""The rules of the feed pipeline, for its profile of duplicates."""

URL_RULES_BY_NAME: Mapping[str, UrlRules] = MappingProxyType(
    {rules.name: rules for rules in (DEFAULT_RULES, IDENTITY_RULES, CAMPAIGN_RULES)}
)


@lru_cache(maxsize=4_096)
def canonical_url(url: str, rules: UrlRules = DEFAULT_RULES) -> str:
    """The canonical form by a set of rules. Idempotent, and never raises: anything but an http(s) URL is only trimmed."""
    url = url.translate(_INVISIBLE).strip()
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return url
        return _assemble(parts, rules)
    except ValueError:
        return url


def without_tracking(url: str) -> str:
    """The URL without fragment and tracking parameters, safe to show and fetch. Cheap for a URL with neither query nor
    fragment."""
    return canonical_url(url) if "?" in url or "#" in url else url


def _assemble(parts: SplitResult, rules: UrlRules) -> str:
    host = _host(normal_host(parts.hostname or ""), rules)
    netloc = normal_netloc(parts, host)
    scheme = "https" if rules.https and parts.port in (None, 80, 443) else parts.scheme
    if scheme != parts.scheme:
        netloc = netloc.removesuffix(":443")
    fragment = normal_query(parts.fragment) if parts.fragment.startswith("!") else ""
    return urlunsplit((scheme, netloc, _path(parts.path, rules), _query(parts.query, rules), fragment))


def _host(host: str, rules: UrlRules) -> str:
    for prefix in rules.host_prefixes:
        shorter = host.removeprefix(prefix)
        if shorter != host and "." in shorter:
            return _host(shorter, rules)
    return rules.hosts.get(host, host)


def _path(path: str, rules: UrlRules) -> str:
    path = without_dots(normal_path(path))
    if rules.path_parameters:
        path = "/".join(_without_parameters(segment, rules) for segment in path.split("/"))
    while ending := next((suffix for suffix in rules.path_endings if path.lower().endswith(suffix)), ""):
        path = path[: -len(ending)]
    if not rules.trailing_slash:
        path = path.rstrip("/")
    return path or "/"


def _without_parameters(segment: str, rules: UrlRules) -> str:
    name, *parameters = segment.split(";")
    return ";".join(
        [
            name,
            *(
                parameter
                for parameter in parameters
                if parameter.partition("=")[0].lower() not in rules.path_parameters
            ),
        ]
    )


def _query(query: str, rules: UrlRules) -> str:
    fields = [normal_query(field) for field in query.split("&") if field]
    fields = [field for field in fields if not _is_dropped(field, rules)]
    return "&".join(sorted(fields) if rules.sort else fields)


def _is_dropped(field: str, rules: UrlRules) -> bool:
    name, _, value = field.partition("=")
    name = unquote_plus(name).lower()
    if name in rules.kept_parameters:
        return False
    return (
        name in rules.dropped_parameters
        or name.startswith(rules.dropped_prefixes)
        or rules.dropped_pattern.fullmatch(name) is not None
        or (name, value.lower()) in rules.dropped_pairs
    )


def host_of(url: str) -> str:
    """The host in lower case and ASCII, without the port; empty when there is none."""
    try:
        return normal_host(urlsplit(url.strip()).hostname or "")
    except ValueError:
        return ""


def normal_host(host: str) -> str:
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii").lower().rstrip(".")
    except UnicodeError:
        return host


def normal_netloc(parts: SplitResult, host: str) -> str:
    """Host and port without user information; the default port is left out. Raises ValueError for an invalid port."""
    host_text = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return host_text if parts.port in (None, default) else f"{host_text}:{parts.port}"


def normal_path(text: str) -> str:
    return quote(_ESCAPE.sub(_normal_escape, text), safe=_PATH_SAFE, errors="replace")


def normal_query(text: str) -> str:
    return quote(_ESCAPE.sub(_normal_escape, text), safe=_QUERY_SAFE, errors="replace")


def without_dots(path: str) -> str:
    """The path with `.` and `..` resolved, never above the root."""
    resolved: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            resolved = resolved[:-1] if len(resolved) > 1 else resolved
        elif segment != ".":
            resolved.append(segment)
    if segments[-1] in (".", ".."):
        resolved.append("")
    return "/".join(resolved) or "/"


def _normal_escape(match: re.Match[str]) -> str:
    """Upper-case hexadecimal digits; characters that need no escape are decoded; a bare `%` is escaped."""
    digits = match.group(1)
    if digits is None:
        return "%25"
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else f"%{digits.upper()}"
