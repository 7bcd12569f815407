"""A small local internet to run and test Headwater against, faults included. It does not depend on Headwater."""

from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import feeds, odd_feeds
from headwater_demo.flashpoints.flashpoint_list import flashpoints
from headwater_demo.internet import Internet, running
from headwater_demo.markets.watch_list import ENDPOINTS, KEYS, watch_list

__all__ = [
    "ENDPOINTS",
    "KEYS",
    "Fault",
    "Internet",
    "feeds",
    "flashpoints",
    "odd_feeds",
    "running",
    "watch_list",
]
