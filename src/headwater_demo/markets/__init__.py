"""A stock exchange with everything around it: a news wire, a data provider, a regulator and a broker."""

from headwater_demo.markets.market import DemoMarket

__all__ = ["DemoMarket"]
