"""A worker with its processes, as an operator would start it; run by the tests as a program of its own.

python tests/support/run_worker_pool.py SETTINGS RECIPE [--until-idle]
"""

import sys
from pathlib import Path

from headwater.app import App
from headwater.runtime.fork_server import fork_early
from headwater.runtime.worker_pool import run_workers
from headwater.settings.settings import read_settings


def main() -> None:
    settings, recipe, *flags = sys.argv[1:]
    fork_early()
    app = App(read_settings(Path(settings), {}))
    app.store.register(app.recipe(recipe).sources, app.clock())
    run_workers(app, [recipe], until_idle="--until-idle" in flags)


if __name__ == "__main__":
    main()
