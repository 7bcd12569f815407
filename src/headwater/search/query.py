"""The query language: words, "phrases", prefix*, -word, field:value, dates, OR and NOT, as a frozen record.

A sign without meaning is a separator. What cannot be meant as it is written is Refused, because leaving it out would return
documents that the operator excluded: a field with an impossible value or a misspelt name, a text without a word, a text that is
too long.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Self, cast

from headwater.documents.language.codes import UNDETERMINED, language_problem, primary_code
from headwater.model.errors import Refused
from headwater.model.suggestion import nearest_name
from headwater.search.analysis import WORD, fold_word
from headwater.text.periods import EXAMPLES, WrittenPeriod, parse_period

MAX_CHARACTERS = 2_000
MAX_CLAUSES = 64
MAX_PHRASE = 32
LONGEST_WORD_LIKE = 4
"""Letters of an unknown field before a colon that may be a word: `pub:x`."""
TITLE = "title"
DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Clause:
    """One word, or several that stand together; `words` are as they were written, in lower case.
    With `prefix`, the last word may continue. `field` is empty or `title`. `is_quoted` says of one word that it was in quotes:
    in a script without spaces it is a phrase."""

    words: tuple[str, ...]
    field: str = ""
    prefix: bool = False
    is_quoted: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is one plain word, which only raises the rank of a document."""
        return len(self.words) == 1 and not self.field and not self.prefix and not self.is_quoted

    @property
    def is_phrase(self) -> bool:
        """Whether its terms have to stand together: several words, or one that may be cut into pieces."""
        return len(self.words) > 1 or not self.words[0].isascii()


Group = tuple[Clause, ...]
"""Alternatives: a document has one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """Conditions on a document; of several values of one condition it meets one. A language includes its regions; `source`
    is a name, an id or a site; `topic` a name or a code; `country` a code of two letters; `subject` and `story` an id.
    `since` and `until` compare with the publication, or the arrival of a document without a date. `quality` is the least."""

    recipe: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    publisher: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    country: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    story: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    quality: float | None = None

    def __bool__(self) -> bool:
        return any(getattr(self, part.name) not in ((), None) for part in fields(self))

    def joined(self, other: Self) -> Self:
        """Both conditions hold. Where both list values of one field, the narrower one of `other` counts."""
        changes = {
            part.name: value
            for part in fields(self)
            if (value := getattr(other, part.name)) not in ((), None)
        }
        if self.since and other.since:
            changes["since"] = max(self.since, other.since)
        if self.until and other.until:
            changes["until"] = min(self.until, other.until)
        return replace(self, **changes)


NO_FILTERS = SearchFilters()
KEY_FIELDS = ("recipe", "source", "publisher", "topic", "country", "subject", "story")
"""Filters whose values are compared as a whole."""
VALUE_FIELDS = (*KEY_FIELDS, "language")
DATE_FIELDS = ("since", "until", "date")
FIELDS = (*VALUE_FIELDS, *DATE_FIELDS, "quality", TITLE)


def make_filters(
    values: Mapping[str, str | Sequence[str] | None],
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    quality: float | None = None,
) -> SearchFilters:
    """Filters from what a caller gave by field: one value, several or none. An empty text or list is no condition."""
    if quality is not None:
        check_quality(quality)
    conditions: dict[str, Any] = {
        name: (value,) if isinstance(value, str) else tuple(value) for name, value in values.items() if value
    }
    return SearchFilters(**conditions, since=since, until=until, quality=quality)


def check_quality(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= 1.0:
        raise Refused("bad_filter", "quality: give a number from 0 to 1")
    return float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """A parsed query. `text` is its words in their order, for an encoder. A document that matches has no `excluded` clause,
    meets `filters`, and does not meet `excluded_filters`. `notices` say what may have been meant otherwise."""

    text: str = ""
    groups: tuple[Group, ...] = ()
    excluded: tuple[Clause, ...] = ()
    filters: SearchFilters = NO_FILTERS
    excluded_filters: tuple[SearchFilters, ...] = ()
    limit: int = DEFAULT_LIMIT
    notices: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[Group, ...]:
        """The groups that every result has: what is in quotes, prefixes, fields and alternatives. Plain words only rank."""
        return tuple(group for group in self.groups if len(group) > 1 or not group[0].is_word)

    @property
    def has_phrases(self) -> bool:
        """Whether the text of a document says if it is a result."""
        required = (clause for group in self.required for clause in group)
        return any(clause.is_phrase for clause in required) or bool(self.excluded_in_text)

    @property
    def excluded_in_text(self) -> tuple[Clause, ...]:
        """The excluded clauses that the index alone does not decide: phrases, and prefixes, whose words may be too many to read."""
        return tuple(clause for clause in self.excluded if clause.is_phrase or clause.prefix)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all groups."""
        return tuple(
            dict.fromkeys(word for group in self.groups for clause in group for word in clause.words)
        )

    def with_filters(self, filters: SearchFilters) -> Self:
        return replace(self, filters=filters.joined(self.filters))


_ALTERNATIVE = r'(?:"[^"]*(?:"|$)|[^\s",]*)'
_TOKEN = re.compile(
    rf"""(?P<minus>[-\u2013\u2212\uff0d])?(?:
        (?P<property>(?i:{"|".join(VALUE_FIELDS)})):(?=\S)(?P<values>{_ALTERNATIVE}(?:,{_ALTERNATIVE})*)
        |(?:(?P<field>[A-Za-z]+):(?=\S))?(?:"(?P<phrase>[^"]*)(?:"|$)|(?P<word>[^\s"]+))
    )""",
    re.VERBOSE,
)
# Quotation marks of all kinds, and the colon of East Asian text.
_QUOTES = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02\u301d\u301e", '"')
    | {"\uff1a": ":", "\x00": " "}
)


def parse_query(
    text: str,
    now: datetime,
    *,
    filters: SearchFilters = NO_FILTERS,
    limit: int = DEFAULT_LIMIT,
    zone: tzinfo | None = UTC,
) -> SearchQuery:
    """The query of a text; `filters` hold beside those that it names. An empty text and `*` stand for all documents.
    Dates of the query that name no zone are in `zone`; None stands for that of this machine."""
    return _Parser(now, zone).parse(text, filters, limit)


def words_query(text: str, *, filters: SearchFilters = NO_FILTERS, limit: int = DEFAULT_LIMIT) -> SearchQuery:
    """The words of a text as a query, for programs: nothing in it is an operator."""
    words = dict.fromkeys(query_words(text[:MAX_CHARACTERS]))
    groups = tuple((Clause((word,)),) for word in words)[:MAX_CLAUSES]
    return SearchQuery(text=text[:MAX_CHARACTERS], groups=groups, filters=filters, limit=limit)


@dataclass(slots=True)
class _Parser:
    now: datetime
    zone: tzinfo | None = UTC
    groups: list[Group] = field(default_factory=list)
    excluded: list[Clause] = field(default_factory=list)
    wanted: SearchFilters = NO_FILTERS
    unwanted: list[SearchFilters] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def parse(self, text: str, filters: SearchFilters, limit: int) -> SearchQuery:
        check_length(text)
        joins = negates = False
        for match in _TOKEN.finditer(text.translate(_QUOTES)):
            if match[0] == "NOT":
                negates = True
                continue
            is_or = match["word"] in ("OR", "|", "||")
            if not is_or:
                self._read(match, joins=joins, excluded=negates or bool(match["minus"]))
                negates = False
            joins = is_or and bool(self.groups)
        self._check_conditions(text)
        conditions = filters.joined(self.wanted)
        if conditions.since and conditions.until and conditions.since >= conditions.until:
            first, last = (f"{moment:%Y-%m-%d %H:%M}" for moment in (conditions.since, conditions.until))
            self.notices.append(f"until ({last}) is not after since ({first}): no document can match")
        query = SearchQuery(
            text=" ".join(self.spoken),
            groups=tuple(dict.fromkeys(self.groups)),
            excluded=tuple(dict.fromkeys(self.excluded)),
            filters=conditions,
            excluded_filters=tuple(dict.fromkeys(self.unwanted)),
            limit=limit,
            notices=tuple(dict.fromkeys(self.notices)),
        )
        return _with_first_groups(query)

    def _check_conditions(self, text: str) -> None:
        if len({*self.excluded, *self.unwanted}) > MAX_CLAUSES:
            raise Refused("bad_query", f"the query excludes more than {MAX_CLAUSES} things; exclude fewer")
        has_conditions = self.groups or self.excluded or self.unwanted or self.wanted
        if not has_conditions and text.strip().strip("* "):
            raise Refused(
                "bad_query",
                "there is nothing to search for; give a word, a phrase or a filter such as publisher:NAME",
            )

    def _read(self, match: re.Match[str], *, joins: bool, excluded: bool) -> None:
        if match["property"]:
            self._filter(match["property"].lower(), match["values"].replace('"', ""), excluded=excluded)
            return
        name, is_phrase = (match["field"] or "").lower(), match["word"] is None
        value = match["phrase"] if is_phrase else match["word"]
        if name in FIELDS and name != TITLE:
            self._filter(name, value, excluded=excluded)
            return
        if name != TITLE and match["field"]:  # `https:` and `Re:` are words like others
            self._check_field(name, value, excluded=excluded)
            name, value = "", f"{match['field']} {value}"
        if value.endswith(":") and value[:-1].lower() in FIELDS:
            self.notices.append(
                f"'{value}' names no value: write it without a space; it was searched as a word"
            )
        clauses = _clauses(value, name, is_phrase=is_phrase)
        if excluded:
            self.excluded += clauses
        elif clauses:
            self.spoken.append(value.rstrip("*"))
            if joins:
                self.groups[-1] = (*self.groups[-1], clauses.pop(0))
            self.groups += [(clause,) for clause in clauses]

    def _check_field(self, name: str, value: str, *, excluded: bool) -> None:
        """Refuses the misspelt name of a field: as words, it would find documents that the operator excluded. A short name
        may as well be a word of a headline."""
        nearest = nearest_name(name, FIELDS)
        correction = f"{nearest}:{value[:100]}"
        if nearest and (excluded or len(name) > LONGEST_WORD_LIKE):
            raise Refused("bad_query", f"there is no field '{name}'; did you mean {correction}?")
        suggestion = f"; did you mean {correction}?" if nearest else ""
        if not value.startswith("//"):
            self.notices.append(f"there is no field '{name}': it was searched as a word{suggestion}")

    def _filter(self, name: str, value: str, *, excluded: bool) -> None:
        if name in VALUE_FIELDS:
            values = tuple(part for part in (part.strip() for part in value.split(",")) if part)
            if not values:
                raise Refused("bad_query", f"{name}: a value is missing")
            if name == "language":
                _check_languages(values)
            change = replace(NO_FILTERS, **cast("dict[str, Any]", {name: values}))
            if not excluded:
                values = tuple(dict.fromkeys((*getattr(self.wanted, name), *values)))
                self.wanted = replace(self.wanted, **cast("dict[str, Any]", {name: values}))
        else:
            change = self._range(name, value)
            if not excluded:
                self.wanted = self.wanted.joined(change)
        if excluded:
            self.unwanted.append(change)

    def _range(self, name: str, value: str) -> SearchFilters:
        if name == "quality":
            return SearchFilters(quality=_quality(value))
        if name == "since":
            return SearchFilters(since=self._period(name, value).start)
        if name == "until":
            return SearchFilters(until=self._period(name, value).start)
        first, dots, last = value.partition("..")
        since = self._period(name, first).start if first else None
        until = self._period(name, last or first).end if last or not dots else None
        if not dots and since == until:
            raise Refused("bad_query", f"date: '{value}' is a moment; write since:{value} or until:{value}")
        if since and until and since >= until:
            raise Refused("bad_query", f"date: '{value}' ends before it begins")
        return SearchFilters(since=since, until=until)

    def _period(self, name: str, value: str) -> WrittenPeriod:
        period = parse_period(value, self.now, self.zone)
        if period is None:
            raise Refused("bad_query", f"{name}: '{value}' is not a date; write for example {EXAMPLES}")
        return period


def _with_first_groups(query: SearchQuery) -> SearchQuery:
    """Of very many words, the first ones rank. A condition beyond them cannot be left out."""
    if {*query.required}.intersection(query.groups[MAX_CLAUSES:]):
        raise Refused(
            "bad_query",
            f"the query has a condition after more than {MAX_CLAUSES} words and phrases; use fewer",
        )
    return replace(query, groups=query.groups[:MAX_CLAUSES])


def check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise Refused(
            "bad_query", f"the query has {len(text):,} characters; at most {MAX_CHARACTERS:,} are possible"
        )


def _check_languages(values: tuple[str, ...]) -> None:
    """Refuses what is no tag: a name of a language would match nothing."""
    for value in values:
        if value != UNDETERMINED and not primary_code(value):
            raise Refused("bad_query", f"language: {language_problem(value)}")


def _quality(value: str) -> float:
    try:
        quality = float(value.lstrip(">="))
    except ValueError:
        quality = -1.0
    if not 0.0 <= quality <= 1.0:
        raise Refused("bad_query", f"quality: '{value}' is not a number from 0 to 1")
    return quality


def _clauses(value: str, name: str, *, is_phrase: bool) -> list[Clause]:
    """The words of a phrase as one clause; other words (`state-of-the-art`) as one clause each."""
    words = query_words(value)[:MAX_PHRASE]
    # A word of combining marks alone folds to nothing, which every word begins with.
    is_prefix = value.endswith("*") and bool(words) and bool(fold_word(words[-1]))
    if is_phrase:
        return [Clause(words, name, is_prefix, is_quoted=len(words) == 1)] if words else []
    clauses = [Clause((word,), name) for word in words]
    return [*clauses[:-1], replace(clauses[-1], prefix=is_prefix)] if clauses else []


def query_words(text: str) -> tuple[str, ...]:
    """The words of a query as they were written, but in lower case; a run of a script without spaces is one word."""
    return tuple(match[0].lower() for match in WORD.finditer(text))


def is_language(code: str, language: str) -> bool:
    """`pt` includes `pt-BR`; `pt-BR` includes only itself."""
    code, language = code.lower().replace("_", "-"), language.lower().replace("_", "-")
    return (
        language == code
        or language.startswith(f"{code}-")
        or ("-" not in code and bool(language) and primary_code(language) == primary_code(code))
    )
