"""Every language the demo newspapers write in."""

from headwater_demo.prose.english import ENGLISH
from headwater_demo.prose.german import GERMAN
from headwater_demo.prose.spanish import SPANISH
from headwater_demo.prose.text import ProseLanguage

PROSE_LANGUAGES: dict[str, ProseLanguage] = {"en": ENGLISH, "es": SPANISH, "de": GERMAN}
