"""Of which recipes stories are summarised by a language model, and of which only what was sent before is followed."""

from headwater.app import App
from headwater.backends.sql.summary_batches import SummaryBatches
from headwater.backends.sql.summary_requests import SummaryRequests
from headwater.model.recipe import Recipe, Retelling, always


def retold_recipes(app: App) -> dict[str, Retelling]:
    found = {name: recipe.grouping.retelling for name, recipe in app.recipes.items() if recipe.grouping}
    return {name: retelling for name, retelling in found.items() if retelling is not None}


def left_recipes(app: App) -> dict[str, Retelling]:
    """Those that are not retold by these settings, but were by others, such as the tier of a single run: what was sent is
    paid, so it is followed and shown all the same."""
    asked = SummaryRequests(app.store.engine).asked_recipes() - retold_recipes(app).keys()
    return {name: _usual(app.recipes[name]) for name in sorted(asked & app.recipes.keys())}


def _usual(recipe: Recipe) -> Retelling:
    """Who is told of every story. An alert is not sent again because of a summary."""
    return Retelling(tuple(r.name for r in recipe.routes if r.of == "story" and r.when is always))


def is_left(app: App) -> bool:
    """Whether something was sent whose answers nobody else would get."""
    return bool(SummaryBatches(app.store.engine).open() or left_recipes(app))
