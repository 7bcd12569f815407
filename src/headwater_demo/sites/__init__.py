"""Every site of the demo internet. A new part is one file here and one line in `SITES`."""

from collections.abc import Callable, Sequence

from headwater_demo.exchange import Site
from headwater_demo.sites import (
    exchange_floor,
    flashpoint_press,
    mapped,
    maze,
    museum,
    oddities,
    portals,
    press,
    townhall,
)
from headwater_demo.world import World

SITES: tuple[Callable[[World], Sequence[Site]], ...] = (
    press.sites,
    museum.sites,
    oddities.sites,
    maze.sites,
    mapped.sites,
    townhall.sites,
    portals.sites,
    exchange_floor.sites,
    flashpoint_press.sites,
)
