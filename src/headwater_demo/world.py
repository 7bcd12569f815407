"""The state of one demo internet: the sites read it, the control host changes it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from headwater_demo.clock import START, Clock
from headwater_demo.faults import FaultQueue
from headwater_demo.log import RequestLog
from headwater_demo.markets.market import DemoMarket
from headwater_demo.newsroom import Newsroom

Size = Literal["small", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    seed: int
    size: Size
    clock: Clock
    born: datetime
    newsroom: Newsroom
    market: DemoMarket
    faults: FaultQueue = field(default_factory=FaultQueue)
    log: RequestLog = field(default_factory=RequestLog)


def create_world(*, seed: int = 7, size: Size = "small", start: datetime = START) -> World:
    return World(
        seed=seed,
        size=size,
        clock=Clock(start),
        born=start,
        newsroom=Newsroom(seed=seed, size=size, start=start),
        market=DemoMarket(seed=seed, size=size, start=start),
    )
