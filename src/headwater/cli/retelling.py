"""The end of a run: scores as of now, and summaries by a language model where the settings name one."""

from collections.abc import Sequence
from datetime import timedelta

from headwater.app import App
from headwater.cli.output import cell, side_console
from headwater.logs import configure_logs
from headwater.model.errors import HeadwaterError
from headwater.worker.retelling import age_stories, is_wanted
from headwater.worker.summary_recipes import left_recipes, retold_recipes
from headwater.worker.upkeep import SUMMARIES, Upkeep, summaries_chore

PATIENTLY = timedelta(minutes=30)
"""So long an operator's own round asks; what is left then is asked in the next one."""


def retell(app: App, recipes: Sequence[str], *, quiet: bool) -> None:
    """Whatever is wrong with the endpoint, the run has ended well: its stories have their local summaries."""
    age_stories(app, recipes)
    if not is_wanted(app) or not (retold_recipes(app) | left_recipes(app)).keys() & set(recipes):
        return
    configure_logs(app.settings.log, app.settings.log_level)

    def tell(sentence: str) -> None:
        if not quiet:
            side_console().print(cell(sentence), style="dim")

    try:
        Upkeep(app, chores={SUMMARIES: summaries_chore(tell, longest=PATIENTLY)}).at_once(SUMMARIES)
    except HeadwaterError as trouble:
        side_console().print(
            cell(f"headwater: no summaries by a model this time: {trouble.detail or trouble}")
        )
