"""Names of months and time zones, in the forms that stand in a date."""

import re

from headwater.text.folding import fold_accents

# Twelve names per line, in the case that follows a day where a language has cases. Where two languages give a name to
# two months, the earlier line decides: more pages are written in that language.
_NAMES = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "de-AT": "jänner feber maerz april mai juni juli august september oktober november dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "es-PE": "ene febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "fr, no accents": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "ca": "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "gl": "xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "is": "janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember",
    "sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "sr-Latn": "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
    "tr": "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "id": "januari februari maret april mei juni juli agustus september oktober november desember",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ru, nominative": "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "sr": "јануар фебруар март април мај јун јул август септембар октобар новембар децембар",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
    "et": "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "lt": "sausio vasario kovo balandžio gegužės birželio liepos rugpjūčio rugsėjo spalio lapkričio gruodžio",
    "lv": "janvāris februāris marts aprīlis maijs jūnijs jūlijs augusts septembris oktobris novembris decembris",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "el": "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
    "he": "ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
}
# Languages whose short forms are not the first letters, or would be taken for a month of another language.
_NOT_CUT = frozenset(("fi", "et", "pl", "cs", "hu", "hr", "sl", "lt", "lv", "uk", "el", "he", "ar", "hi"))
# A feed says less often than a page in which language it is written: these, the most frequent first, without accents.
_FEED_LANGUAGES = (
    "en", "es", "fr", "de", "de-AT", "it", "pt", "nl", "sv", "da", "no", "ca", "pl", "tr", "hu",
)  # fmt: skip
_SHORT_FORMS = {"mrz": 3, "mrt": 3, "févr": 2, "fév": 2, "juil": 7, "déc": 12, "set": 9, "out": 10, "ноя": 11}
_FEED_SHORT_FORMS = {
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
_CUTS = (3, 4)
_ENGLISH = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Stems of other alphabets, as `fold_accents` leaves them. May has two letters in Russian: the longest stem decides.
_STEMS = {
    stem: number
    for names in (
        "январ феврал март апрел ма июн июл август сентябр октябр ноябр декабр",
        "ιαν φεβ μαρ απρ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    )
    for number, stem in enumerate(names.split(), 1)
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
"""Hours ahead of UTC by the abbreviation of a zone."""

_FOREIGN_WORD = re.compile("[\u0370-\u03ff\u0400-\u04ff]+")


def english_months(text: str) -> str:
    """Text whose Russian and Greek words are replaced by English months, or by a space when they are none."""
    return _FOREIGN_WORD.sub(lambda word: _english_month(word[0].lower()), text)


def _english_month(word: str) -> str:
    stems = [stem for stem in _STEMS if word.startswith(stem) or (len(word) >= 3 and stem.startswith(word))]
    return _ENGLISH[_STEMS[max(stems, key=len)] - 1] if stems else " "


def _month_table() -> dict[str, int]:
    """Whole names before short forms: a name is surer evidence."""
    table: dict[str, int] = {}
    for names in _NAMES.values():
        for number, name in enumerate(names.split(), 1):
            table.setdefault(name, number)
    for language, names in _NAMES.items():
        if language not in _NOT_CUT:
            for number, name in enumerate(names.split(), 1):
                for length in _CUTS:
                    table.setdefault(name[:length], number)
    return table | _SHORT_FORMS


def _feed_month_table() -> dict[str, int]:
    table: dict[str, int] = {}
    for language in _FEED_LANGUAGES:
        names = fold_accents(_NAMES[language]).replace("ı", "i")
        for number, name in enumerate(names.split(), 1):
            for form in (name, *(name[:length] for length in _CUTS)):
                table.setdefault(form, number)
    return table | _FEED_SHORT_FORMS


MONTHS = _month_table()
"""Month numbers by the words that pages write."""
FEED_MONTHS = _feed_month_table()
"""Month numbers by the words that feeds write, without accents."""
