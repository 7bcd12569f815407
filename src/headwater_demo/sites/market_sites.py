"""The sites of the markets: wires, provider, regulator and broker."""

from headwater_demo.markets.brokerage import brokerage
from headwater_demo.markets.provider import provider
from headwater_demo.markets.regulator import regulator
from headwater_demo.markets.wire_pages import wire_sites
from headwater_demo.site import Site
from headwater_demo.world import World


def sites(world: World) -> list[Site]:
    market = world.market
    return [provider(market), brokerage(market), *regulator(market), *wire_sites(market)]
