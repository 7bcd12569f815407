"""Finding one's way through a site: which addresses to ask for, in which order, and which pages are meant."""

from headwater.pure.crawling.filters import Filter, read_filter, read_tests
from headwater.pure.crawling.frontier import Frontier, Stop
from headwater.pure.crawling.markers import found_markers
from headwater.pure.crawling.options import bad_option, duration, switch, texts, whole_number
from headwater.pure.crawling.pages import Page, directives, read_page
from headwater.pure.crawling.recognising import Recogniser, read_recogniser
from headwater.pure.crawling.territory import Territory, site_of, territory
from headwater.pure.crawling.traps import shape_of, trap_of

__all__ = [
    "Filter",
    "Frontier",
    "Page",
    "Recogniser",
    "Stop",
    "Territory",
    "bad_option",
    "directives",
    "duration",
    "found_markers",
    "read_filter",
    "read_page",
    "read_recogniser",
    "read_tests",
    "shape_of",
    "site_of",
    "switch",
    "territory",
    "texts",
    "trap_of",
    "whole_number",
]
