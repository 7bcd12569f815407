"""Which addresses are wanted: by parts of them, or by patterns that begin with `re:`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.pure.crawling.options import bad_option, texts

PATTERN = "re:"
Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """An address is wanted if any of `include` fits, or there is none, and none of `exclude` does."""

    include: tuple[Test, ...] = ()
    exclude: tuple[Test, ...] = ()

    def __call__(self, url: str) -> bool:
        if any(fits(url) for fits in self.exclude):
            return False
        return not self.include or any(fits(url) for fits in self.include)


def read_filter(options: Mapping[str, Any]) -> Filter:
    return Filter(read_tests(options, "include"), read_tests(options, "exclude"))


def read_tests(options: Mapping[str, Any], name: str) -> tuple[Test, ...]:
    return tuple(_test(rule, name) for rule in texts(options, name))


def _test(rule: str, name: str) -> Test:
    if not rule.startswith(PATTERN):
        return lambda url: rule in url
    try:
        pattern = re.compile(rule.removeprefix(PATTERN))
    except re.error as error:
        raise bad_option(name, f"'{rule}' is not a regular expression: {error}") from error
    return lambda url: pattern.search(url) is not None
