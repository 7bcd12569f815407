"""An installation with three captures, each in a pack of its own, without a run."""

from sqlalchemy import update
from tests.support.scene import Scene

from headwater.app import App
from headwater.store.schema.flow import captures


def add_captures(app: App, number: int = 3) -> None:
    scene = Scene(app.store, now=app.clock())
    leads = [scene.lead(f"page-{place}") for place in range(number)]
    scene.poll(*leads)
    captured = scene.fetch(*leads)
    with app.store.engine.begin() as connection:
        for capture in captured:
            (stored,) = app.archive.put([(capture, capture.id.encode())])
            connection.execute(update(captures).where(captures.c.id == capture.id).values(pack=stored.pack))
