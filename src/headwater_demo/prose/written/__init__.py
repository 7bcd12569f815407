"""Articles written by hand, per language, in the order in which they appear."""

from headwater_demo.prose.text import Text

WRITTEN: dict[str, tuple[Text, ...]] = {"en": (), "es": (), "de": ()}
