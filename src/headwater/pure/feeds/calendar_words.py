"""Month and zone names met in feeds, in the languages that cost nothing to know."""

import re
import unicodedata

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


def _table() -> dict[str, int]:
    table: dict[str, int] = {}
    for line in _LANGUAGES.split("\n"):
        for number, name in enumerate(line.split(), 1):
            for form in (name, name[:3], name[:4]):
                table.setdefault(form, number)
    return table | _EXTRA


MONTHS = _table()
_FOREIGN = {
    **{stem: number for number, stem in enumerate(_CYRILLIC.split(), 1)},
    **{stem: number for number, stem in enumerate(_GREEK.split(), 1)},
}
_FOREIGN_WORD = re.compile("[\u0370-\u03ff\u0400-\u04ff]+")
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def plain(text: str) -> str:
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
