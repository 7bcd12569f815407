"""Dates as feeds write them: RFC 822, ISO 8601 and everything people take for either.

A date that cannot be, or that could be two different days, is no date: nothing is invented.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta

from headwater.model.warning_log import Warn

# Twelve per language, abbreviations are cut from these; written without accents, as `plain` leaves them.
_LANGUAGES = """
january february march april may june july august september october november december
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
januar februar marz april mai juni juli august september oktober november dezember
janner februar maerz april mai juni juli august september oktober november dezember
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november desember
gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre
stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia
ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december
"""
_CYRILLIC = "январ феврал март апрел ма июн июл август сентябр октябр ноябр декабр"
_GREEK = (
    "\u03b9\u03b1\u03bd \u03c6\u03b5\u03b2 \u03bc\u03b1\u03c1 \u03b1\u03c0\u03c1 \u03bc\u03b1\u03b9 \u03b9\u03bf\u03c5\u03bd"
    " \u03b9\u03bf\u03c5\u03bb \u03b1\u03c5\u03b3 \u03c3\u03b5\u03c0 \u03bf\u03ba\u03c4 \u03bd\u03bf\u03b5 \u03b4\u03b5\u03ba"
)
# Short forms that are not the first three or four letters, or that would clash when cut.
_EXTRA = {
    "sept": 9,
    "ene": 1,
    "mrt": 3,
    "okt": 10,
    "dez": 12,
    "dic": 12,
    "juil": 7,
    "juill": 7,
    "fevr": 2,
    "aug": 8,
}

_ZONE_HOURS = """
z 0 gmt 0 utc 0 ut 0 uct 0 wet 0 zulu 0 greenwich 0
est -5 edt -4 et -5 cst -6 cdt -5 ct -6 mst -7 mdt -6 mt -7 pst -8 pdt -7 pt -8 akst -9 akdt -8 hst -10
ast -4 adt -3 at -4 nst -3.5 ndt -2.5 brt -3 brst -2 art -3 clt -4
west 1 bst 1 cet 1 met 1 mez 1 wat 1 cest 2 mest 2 mesz 2 eet 2 cat 2 sast 2 eest 3 msk 3 eat 3 trt 3
pkt 5 ist 5.5 npt 5.75 ict 7 wib 7 hkt 8 sgt 8 pht 8 awst 8 jst 9 kst 9 acst 9.5 aest 10 aedt 11
nzst 12 nzdt 13
"""
_ZONE_WORDS = _ZONE_HOURS.split()
ZONES = {name: float(hours) for name, hours in zip(_ZONE_WORDS[::2], _ZONE_WORDS[1::2], strict=True)}
_EAST_ASIAN = re.compile("\\s*[年月년월]\\s*")
_KOREAN = re.compile("[년월일]|오전|오후")
_STATED_ZONE = re.compile(r"[+-]\d{2}:?\d{2}\s*$|[A-Za-z]{1,5}\s*$")
_AFTERNOON = re.compile("(?:오후|下午|午後)\\s*([\\d:]+)")
_MORNING = re.compile("(?:오전|上午|午前)\\s*([\\d:]+)")


def _month_table() -> dict[str, int]:
    table: dict[str, int] = {}
    for line in _LANGUAGES.split("\n"):
        for number, name in enumerate(line.split(), 1):
            for form in (name, name[:3], name[:4]):
                table.setdefault(form, number)
    return table | _EXTRA


MONTHS = _month_table()
_FOREIGN = {
    **{stem: number for number, stem in enumerate(_CYRILLIC.split(), 1)},
    **{stem: number for number, stem in enumerate(_GREEK.split(), 1)},
}
_FOREIGN_WORD = re.compile("[\u0370-\u03ff\u0400-\u04ff]+")
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def plain_date_text(text: str) -> str:
    """Lower case, without accents, with months of other alphabets in English."""
    if not text.isascii():
        if _KOREAN.search(text) and not _STATED_ZONE.search(text):
            text += " kst"  # the language is written in one zone only
        text = _AFTERNOON.sub(r"\1 pm ", text)
        text = _MORNING.sub(r"\1 am ", text)
        text = _EAST_ASIAN.sub("-", text).replace("日", " ").replace("일", " ")
        text = text.replace("\u2212", "-").replace("\u2013", "-")
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
        text = _FOREIGN_WORD.sub(lambda match: _english(match[0].lower()), text)
    return text.lower()


def _english(word: str) -> str:
    """May is two letters long in Russian, so the longest stem that fits decides."""
    fitting = [
        stem for stem in _FOREIGN if word.startswith(stem) or (len(word) >= 3 and stem.startswith(word))
    ]
    return _ENGLISH[_FOREIGN[max(fitting, key=len)] - 1] if fitting else " "


COMMON = re.compile(
    r"(?:[A-Za-z]{2,9},?\s*)?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (GMT|UTC|Z|[+-]\d{4})\s*$"
)
DIGITS = re.compile(r"\d{4,17}(?:\.\d+)?$")
CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})\s?(?:[:h]\s?(\d{1,2})(?:\s?[:m]\s?(\d{1,2})(?:[.,:]\d+)?)?)\s*(am\b|pm\b|a\.m\.?|p\.m\.?)?"
)
BARE_CLOCK = re.compile(r"(?<!\d)(\d{1,2})\s*()()(am|pm)\b")
OFFSET = re.compile(r"(?:\b(?:gmt|utc)\s*)?([+-])\s?(\d{1,2}):?(\d{2})?(?!\d)")
YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s*[-/.]\s*(\d{1,2})(?:\s*[-/.]\s*(\d{1,2}))?(?!\d)")
YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*[-/.]\s*(\d{4}|\d{2})(?!\d)")
NUMBER = re.compile(r"\d+")
WORD = re.compile(r"[a-z]+(?:/[a-z]+)?")
LONGEST = 100
EPOCH_SCALES = {9: 1, 10: 1, 12: 1_000, 13: 1_000, 16: 1_000_000, 17: 1_000_000}
Day = tuple[int, int, int]


def parse_feed_date(text: str | None, warn: Warn) -> datetime | None:
    """The moment in UTC, or None with a note saying why."""
    text = text.strip() if text else ""
    if not text:
        return None
    common = COMMON.match(text)
    found = _common(common) if common else None
    if found is None:
        found = _uncommon(text, warn)
    if found is None:
        warn("unreadable_date", text)
    elif not 1000 <= found.year <= 9000:
        warn("impossible_date", text)
        return None
    return found


def _common(match: re.Match[str]) -> datetime | None:
    day, month, year, hour, minute, second, zone = match.groups()
    number = MONTHS.get(month.lower())
    if number is None:
        return None
    try:
        moment = datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
        if zone[0] in "+-" and zone[1:] != "0000":
            return moment - _offset(zone[0], zone[1:3], zone[3:])
    except (ValueError, OverflowError):
        return None
    return moment


def _offset(sign: str, hours: str, minutes: str | None) -> timedelta:
    size = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if size >= timedelta(hours=15):
        raise ValueError("no such zone")
    return -size if sign == "-" else size


def _uncommon(text: str, warn: Warn) -> datetime | None:
    if len(text) > LONGEST:
        return None
    if DIGITS.match(text):
        return _digits(text, warn)
    if text[:4].isdigit():
        try:
            return _aware(datetime.fromisoformat(text), text, warn)
        except (ValueError, OverflowError):
            pass
    try:
        return _loose(plain_date_text(text), warn)
    except (ValueError, OverflowError):
        return None


def _aware(moment: datetime, text: str, warn: Warn) -> datetime:
    if moment.tzinfo is None:
        warn("date_without_zone", text)
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


def _digits(text: str, warn: Warn) -> datetime | None:
    whole, _, fraction = text.partition(".")
    try:
        if len(whole) in EPOCH_SCALES:
            warn("epoch_date", text)
            seconds = int(whole) / EPOCH_SCALES[len(whole)] + float(f"0.{fraction or 0}")
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        pattern = {14: "%Y%m%d%H%M%S", 8: "%Y%m%d", 6: "%Y%m", 4: "%Y"}.get(len(whole))
        if pattern is None:
            return None
        return _aware(datetime.strptime(whole, pattern), text, warn)  # noqa: DTZ007 - the zone is added by _aware
    except (ValueError, OverflowError):
        return None


def _loose(text: str, warn: Warn) -> datetime | None:
    clock = CLOCK.search(text) or BARE_CLOCK.search(text)
    rest = text if clock is None else f"{text[: clock.start()]} {text[clock.end() :]}"
    day = _day(text[: clock.start()] if clock else text, text[clock.end() :] if clock else "", warn)
    if day is None:
        return None
    moment = datetime(*day, tzinfo=UTC) + _time_of_day(clock)
    return moment - _zone(text[clock.end() :] if clock else "", rest, text, warn)


def _time_of_day(clock: re.Match[str] | None) -> timedelta:
    if clock is None:
        return timedelta()
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3])
    half = clock[4]
    if half:
        if not 1 <= hour <= 12:
            half = None
        else:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise ValueError("no such time")
    return timedelta(hours=hour, minutes=minute, seconds=second)


def _day(before: str, after: str, warn: Warn) -> Day | None:
    found = YEAR_FIRST.search(before) or YEAR_FIRST.search(after)
    if found:
        year, month, day = (int(part or 1) for part in found.groups())
        return year, month, day
    found = YEAR_LAST.search(before) or YEAR_LAST.search(after)
    if found:
        return _year_last(found, warn)
    return _worded(before, after)


def _year_last(found: re.Match[str], warn: Warn) -> Day | None:
    """Dots mean day first; slashes and dashes are read only when one number cannot be a month."""
    first, second, year = int(found[1]), int(found[3]), _full_year(found[4])
    if found[2] == "." or first > 12 or first == second:
        return year, second, first
    if second > 12:
        return year, first, second
    warn("ambiguous_date", found[0])
    return None


def _worded(before: str, after: str) -> Day | None:
    """Day, month by name and year in any order, the year perhaps after the clock (as asctime has it)."""
    words = WORD.findall(before) or WORD.findall(after)
    month = next((MONTHS[word] for word in words if word in MONTHS), None)
    month = month or next((MONTHS[word[:3]] for word in words if len(word) > 3 and word[:3] in MONTHS), None)
    if month is None:
        return None
    numbers = NUMBER.findall(before)
    if len(numbers) < 2:
        numbers += [number for number in NUMBER.findall(after) if len(number) == 4][-1:]
    if len(numbers) < 2:
        return None
    day, year = numbers[:2]
    if len(day) == 4:
        day, year = year, day
    return _full_year(year), month, int(day)


def _full_year(text: str) -> int:
    year = int(text)
    if len(text) == 2:
        return year + (2000 if year < 70 else 1900)
    return year + 1900 if len(text) == 3 else year


def _zone(after: str, rest: str, text: str, warn: Warn) -> timedelta:
    signed = OFFSET.search(after)
    if signed:
        try:
            return _offset(*signed.groups())
        except ValueError:
            warn("odd_zone", text)
            return timedelta()
    words = [word.removeprefix("etc/") for word in WORD.findall(after or rest)]
    known = next((ZONES[word] for word in words if word in ZONES), None)
    if known is not None:
        return timedelta(hours=known)
    unknown = next((word for word in words if word not in MONTHS and word[:3] not in MONTHS), None)
    warn("odd_zone" if unknown and after else "date_without_zone", text)
    return timedelta()


EARLIEST_DATE = datetime(1990, 1, 1, tzinfo=UTC)
# A clock in another zone, or a zone misnamed, is wrong by less than that.
MISTAKEN_ZONE = timedelta(hours=26)


def plausible_date(moment: datetime | None, now: datetime, warn: Warn) -> datetime | None:
    """The moment; the present for one that is ahead by no more than a mistaken zone; None for what cannot be."""
    if moment is None:
        return None
    if moment < EARLIEST_DATE:
        warn("date_before_the_web", moment.isoformat())
        return None
    if moment <= now:
        return moment
    warn("date_in_the_future", moment.isoformat())
    return now if moment - now <= MISTAKEN_ZONE else None
