"""The outlines of the countries, for maps: converted once from world-atlas 2.0.2 (countries-110m, ISC licence, made of data of
Natural Earth, which is in the public domain)."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


@cache
def outlines() -> Mapping[str, str]:
    """The outline of each country as a path of an SVG picture of 1000 by 450, by alpha-2 code; `-` for land without a code."""
    data = (files("headwater.web.pages") / "outlines.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, str])
