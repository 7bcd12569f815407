"""Articles written by hand, per language, in the order in which they appear."""

from headwater_demo.prose.handwritten.english_money import MONEY
from headwater_demo.prose.handwritten.english_networks import NETWORKS
from headwater_demo.prose.handwritten.german_articles import GERMAN
from headwater_demo.prose.handwritten.spanish_articles import SPANISH
from headwater_demo.prose.text import ArticleText

HANDWRITTEN: dict[str, tuple[ArticleText, ...]] = {"en": NETWORKS + MONEY, "es": SPANISH, "de": GERMAN}
