"""The options of a source, read by type. A mistake is reported with the name of the option."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from headwater.model.errors import Permanent
from headwater.text.linear_patterns import BadPattern, LinearPattern
from headwater.text.periods import parse_duration

LONGEST = timedelta(days=3650)
PATTERN_PREFIX = "re:"
UrlTest = Callable[[str], bool]


def bad_option(name: str, why: str) -> Permanent:
    return Permanent("bad_options", f"{name}: {why}")


def int_option(options: Mapping[str, Any], name: str, *, default: int, most: int, least: int = 1) -> int:
    """A whole number. A value above `most` is lowered to it; a value below `least` is an error."""
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise bad_option(name, f"a whole number of at least {least} is needed, not {value!r}")
    return min(value, most)


def list_option(options: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """One text or a list of texts; empty if the option is missing."""
    value = options.get(name)
    if value is None:
        return ()
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
        raise bad_option(name, "a text or a list of texts is needed")
    return tuple(texts)


def bool_option(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, bool):
        raise bad_option(name, f"true or false is needed, not {value!r}")
    return value


def duration_option(options: Mapping[str, Any], name: str) -> timedelta | None:
    """`90s`, `15m`, `4h`, `7d`, `2w` or a number of seconds; None if the option is missing."""
    value = options.get(name)
    if value is None:
        return None
    text = str(value).strip()
    duration = parse_duration(text) or parse_duration(f"{text}s")
    if not duration:
        raise bad_option(name, f"'{value}' is not a duration; write for example 12h or 7d")
    return min(duration, LONGEST)


@dataclass(frozen=True, slots=True)
class UrlFilter:
    """A URL passes if no test of `exclude` matches and any of `include` does, or there is no `include`."""

    include: tuple[UrlTest, ...] = ()
    exclude: tuple[UrlTest, ...] = ()

    def __call__(self, url: str) -> bool:
        if any(test(url) for test in self.exclude):
            return False
        return not self.include or any(test(url) for test in self.include)


def url_filter_option(options: Mapping[str, Any]) -> UrlFilter:
    return UrlFilter(url_tests_option(options, "include"), url_tests_option(options, "exclude"))


def url_tests_option(options: Mapping[str, Any], name: str) -> tuple[UrlTest, ...]:
    return tuple(_url_test(rule, name) for rule in list_option(options, name))


def _url_test(rule: str, name: str) -> UrlTest:
    if not rule.startswith(PATTERN_PREFIX):
        return lambda url: rule in url
    try:
        return LinearPattern(rule.removeprefix(PATTERN_PREFIX)).is_in
    except BadPattern as error:
        raise bad_option(name, f"'{rule}' is not a regular expression that can be used: {error}") from error
