"""Articles written by hand, per language, in the order in which they appear."""

from headwater_demo.prose.text import Text
from headwater_demo.prose.written.english_money import MONEY
from headwater_demo.prose.written.english_networks import NETWORKS
from headwater_demo.prose.written.german import GERMAN
from headwater_demo.prose.written.spanish import SPANISH

WRITTEN: dict[str, tuple[Text, ...]] = {"en": NETWORKS + MONEY, "es": SPANISH, "de": GERMAN}
