"""A small local internet to run, test and disturb Headwater against; it knows nothing of Headwater itself."""

from headwater_demo.faults import Fault
from headwater_demo.feeds.catalogue import feeds, odd_feeds
from headwater_demo.internet import Internet, running

__all__ = ["Fault", "Internet", "feeds", "odd_feeds", "running"]
