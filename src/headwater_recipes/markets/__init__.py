"""Market intelligence: news, filings, prices and macro news about a watch list of companies, for the next system.

`headwater --help` imports this package to list its commands, so the recipe itself is imported only when it is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.model.recipe import Recipe


def recipe() -> Recipe:
    from headwater_recipes.markets.definition import build_recipe  # noqa: PLC0415 - keeps `--help` fast

    return build_recipe()
