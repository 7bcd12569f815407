"""The words for the slots of the forms."""

import random
import re
from dataclasses import dataclass, field

from benchmarks.wire.forms import Form

SLOT = re.compile(r"\{(n[234]|[a-z]+)([0-9]?)\}")

_FIRST = "Almira Bertold Corin Delphine Egon Fiora Gideon Hesper Ivo Jonna Kasimir Leontine Marek Nerys Osric Petra Quentin Rosalba Silvan Thekla"
_LAST = "Abernock Brandvik Castellow Dunstane Ekholt Farrowby Greenhythe Holmquist Ivarsen Juniper Kestrel Lomond Marchetto Nightingale Oakhanger Pellworm Quarles Redfern Stormer Tolland"
_STEM = "Aster Birch Copper Drum Ember Fal Garn Hollow Iron Juniper Kil Lark Mar Nether Ost Pel Quill Raven Stone Thorn Under Wester"
_ENDING = "bury field ford gate haven holm mere mouth stead wick"
_BRANCH = (
    "Foods|Steel|Energy|Textiles|Paper|Rail|Shipping|Instruments|Timber|Chemicals|Glass|Motors|Mills|Pharma"
)

CHOICES = {
    "sector": "mining|bank|retail|chip|utility|airline",
    "river": "Lenn|Ouvre|Tarn Water|Sarrow|Vell|Ithe|Morne|Clade",
    "sky": "cloudy|fair|overcast|bright spells|showers|fog early",
    "compass": "north|south|east|west|north-west|south-east",
    "crop": "wheat|barley|maize|oats|rye|soya|rapeseed",
    "grade": "BBB|BBB+|A-|A|A+|BB+|AA-",
    "outlook": "stable|positive|negative",
    "goods": "kettles|toasters|scooters|lamps|heaters|prams|hedge trimmers",
    "trade": "brisk|slow|steady|dear",
    "pronoun": "he|she",
    "pronounb": "He|She",
    "quarter": "first|second|third|fourth",
    "moving": "rising|falling|steady",
    "moved": "up|down",
    "move": "rose|fell",
    "month": "January|February|March|April|May|June|July|August|September|October|November|December",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday",
}
WORDS_BY_LANGUAGE = {
    "es": {
        "move": "subió|bajó",
        "month": "enero|febrero|marzo|abril|mayo|junio|julio|septiembre|octubre",
        "weekday": "lunes|martes|miércoles|jueves|viernes",
    },
    "fr": {
        "move": "a gagné|a perdu",
        "month": "janvier|février|mars|avril|mai|juin|juillet|septembre|octobre",
        "weekday": "lundi|mardi|mercredi|jeudi|vendredi",
        "sky": "couvert|variable|dégagé|pluvieux",
        "compass": "nord|sud|est|ouest",
    },
    "de": {
        "move": "stieg|sank",
        "month": "Januar|Februar|März|April|Mai|Juni|Juli|September|Oktober",
        "weekday": "Montag|Dienstag|Mittwoch|Donnerstag|Freitag",
    },
    "pt": {
        "move": "subiu|caiu",
        "month": "janeiro|fevereiro|março|abril|maio|junho|julho|setembro",
        "weekday": "segunda|terça|quarta|quinta|sexta",
        "crop": "soja|milho|trigo|arroz",
    },
    "it": {
        "move": "sale|scende",
        "month": "gennaio|febbraio|marzo|aprile|maggio|giugno",
        "weekday": "lunedì|martedì|mercoledì|giovedì|venerdì",
    },
    "ca": {
        "move": "puja|baixa",
        "month": "gener|febrer|març|abril|maig|juny",
        "weekday": "dilluns|dimarts|dimecres|dijous|divendres",
    },
    "ru": {"move": "вырос|упал", "weekday": "понедельник|вторник|среду|четверг|пятницу"},
    "zh": {
        "move": "上涨|下跌",
        "weekday": "周一|周二|周三|周四|周五",
        "place": "东港|西川|南屏|北岭",
    },
}


@dataclass
class Filling:
    """Fills forms; `fixed_values` are those that a series or a report uses throughout."""

    chance: random.Random
    language: str
    fixed_values: dict[str, str] = field(default_factory=dict)

    def fill(self, form: Form) -> tuple[str, str]:
        """Title and body of one report; the values of the series stay, those of the previous report are dropped."""
        self.fixed_values = {name: value for name, value in self.fixed_values.items() if name.endswith("0")}
        body = SLOT.sub(self._slot, form.body)
        return SLOT.sub(self._slot, form.title), body

    def _slot(self, match: re.Match[str]) -> str:
        name, number = match.groups()
        return (
            self.fixed_values.setdefault(f"{name}{number}", self._draw(name)) if number else self._draw(name)
        )

    def _draw(self, name: str) -> str:
        chance, language_words = self.chance, WORDS_BY_LANGUAGE.get(self.language, {})
        if name in language_words or name in CHOICES:
            return chance.choice((language_words.get(name) or CHOICES[name]).split("|"))
        return {
            "d": lambda: str(chance.randint(1, 9)),
            "n2": lambda: str(chance.randint(11, 99)),
            "n3": lambda: str(chance.randint(101, 989)),
            "n4": lambda: str(chance.randint(1011, 9899)),
            "date": lambda: f"{self._draw('month')} {chance.randint(1, 28)}",
            "person": lambda: f"{chance.choice(_FIRST.split())} {chance.choice(_LAST.split())}",
            "place": self._place,
            "firm": lambda: f"{chance.choice(_STEM.split())} {chance.choice(_BRANCH.split('|'))}",
            "bank": lambda: f"Bank of {self._place()}",
            "team": lambda: f"{self._place()} {chance.choice(['United', 'Rovers', 'Town', 'Athletic'])}",
        }[name]()

    def _place(self) -> str:
        return self.chance.choice(_STEM.split()) + self.chance.choice(_ENDING.split())
