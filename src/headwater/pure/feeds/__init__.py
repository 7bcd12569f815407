"""Feeds of every kind and condition, read from bytes.

`read_feed` understands RSS 0.90 to 2.0, Atom 0.3 and 1.0 and JSON Feed, broken ones included;
`discover_feeds` and `guess_feeds` say where a page's feeds are or might be; `is_teaser` and `plausible` judge what
an entry carries and when it says it came out.
"""

from headwater.pure.feeds.discovery import discover_feeds, guess_feeds
from headwater.pure.feeds.plausible import plausible
from headwater.pure.feeds.reading import read_feed
from headwater.pure.feeds.teaser import is_teaser
from headwater.pure.feeds.values import Enclosure, Entry, Feed, NotAFeed
from headwater.pure.feeds.wording import excerpt

__all__ = [
    "Enclosure",
    "Entry",
    "Feed",
    "NotAFeed",
    "discover_feeds",
    "excerpt",
    "guess_feeds",
    "is_teaser",
    "plausible",
    "read_feed",
]
