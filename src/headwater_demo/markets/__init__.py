"""A stock exchange with everything around it: a news wire, a data provider, a regulator and a broker."""

from headwater_demo.markets.floor import Floor

__all__ = ["Floor"]
