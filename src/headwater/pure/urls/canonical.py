"""One form for all spellings of a URL. `canonical` is idempotent, never raises, and keeps what it cannot read."""

from urllib.parse import SplitResult, unquote_plus, urlsplit, urlunsplit

from headwater.pure.urls.encoding import normal_path, normal_query, without_dots
from headwater.pure.urls.hosts import normal_host, normal_netloc
from headwater.pure.urls.rules import DEFAULT, RuleSet

_INVISIBLE = dict.fromkeys((*range(32), 127))


def canonical(url: str, rules: RuleSet = DEFAULT) -> str:
    """The canonical form by a rule set. What is no http(s) URL is only trimmed."""
    url = url.translate(_INVISIBLE).strip()
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return url
        return _assemble(parts, rules)
    except ValueError:
        return url


def without_tracking(url: str) -> str:
    """The same page under an address that may be shown and fetched: no fragment, no tracking parameters. Costs nothing
    where there are neither."""
    return canonical(url) if "?" in url or "#" in url else url


def _assemble(parts: SplitResult, rules: RuleSet) -> str:
    host = _host(normal_host(parts.hostname or ""), rules)
    netloc = normal_netloc(parts, host)
    scheme = "https" if rules.https and parts.port in (None, 80, 443) else parts.scheme
    if scheme != parts.scheme:
        netloc = netloc.removesuffix(":443")
    fragment = normal_query(parts.fragment) if parts.fragment.startswith("!") else ""
    return urlunsplit((scheme, netloc, _path(parts.path, rules), _query(parts.query, rules), fragment))


def _host(host: str, rules: RuleSet) -> str:
    for prefix in rules.host_prefixes:
        rest = host.removeprefix(prefix)
        if rest != host and "." in rest:
            return _host(rest, rules)
    return rules.hosts.get(host, host)


def _path(path: str, rules: RuleSet) -> str:
    path = without_dots(normal_path(path))
    if rules.path_parameters:
        path = "/".join(_without_parameters(segment, rules) for segment in path.split("/"))
    while ending := next((one for one in rules.path_endings if path.lower().endswith(one)), ""):
        path = path[: -len(ending)]
    if not rules.trailing_slash:
        path = path.rstrip("/")
    return path or "/"


def _without_parameters(segment: str, rules: RuleSet) -> str:
    name, *parameters = segment.split(";")
    return ";".join(
        [name, *(one for one in parameters if one.partition("=")[0].lower() not in rules.path_parameters)]
    )


def _query(query: str, rules: RuleSet) -> str:
    fields = [normal_query(field) for field in query.split("&") if field]
    fields = [field for field in fields if not _is_dropped(field, rules)]
    return "&".join(sorted(fields) if rules.sort else fields)


def _is_dropped(field: str, rules: RuleSet) -> bool:
    name, _, value = field.partition("=")
    name = unquote_plus(name).lower()
    if name in rules.kept:
        return False
    return (
        name in rules.dropped
        or name.startswith(rules.dropped_prefixes)
        or rules.dropped_pattern.fullmatch(name) is not None
        or (name, value.lower()) in rules.dropped_pairs
    )
