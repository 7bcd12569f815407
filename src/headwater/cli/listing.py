"""Sources that left their recipe's list, at the start of a run or worker."""

from headwater.app import App
from headwater.cli.output import cell, side_console

SHOWN = 5


def follow_list(app: App, recipe: str, *, registered: bool) -> None:
    """Let the rows agree with the list as to what is in it, and say what was paused. Unless the list was
    `registered` just now, one that names none of the sources that are here is taken for that of another configuration,
    and nothing is touched."""
    listed = app.recipe(recipe).sources
    known = {row["id"] for row in app.catalogue.sources(recipe)}
    if not registered and not any(source.id in known for source in listed):
        return
    paused = app.store.follow_list(recipe, listed, app.clock())
    if paused:
        names = ", ".join(paused[:SHOWN]) + (" and others" if len(paused) > SHOWN else "")
        side_console().print(
            cell(
                f"headwater: no more in the list of {recipe}, so paused: {names}. `headwater sources resume` keeps one."
            ),
            soft_wrap=True,
        )
