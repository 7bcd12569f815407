"""Imported by the fork server alone, before it forks the workers: what stands in memory then, they share.

Importing it changes the process: collections of garbage leave what is there alone, and only the end of the supervisor ends it.
"""

import gc
import signal
from importlib import import_module
from importlib.metadata import entry_points

from headwater.model.command import RECIPE_ENTRY_POINTS

USED_BY_WORKERS = (
    "headwater.archive.packs",
    "headwater.fetch.browser.renderer",
    "headwater.fetch.client.http_fetcher",
    "headwater.fetch.politeness.rate_limiter_file",
    "headwater.runtime.worker_pool",
    "headwater.settings.channel_sinks",
    "headwater.sinks.files",
    "headwater.sinks.queue",
    "headwater.store.maintenance.tasks",
    "headwater.store.reads.provenance",
    "headwater.store.sql_store",
)

for name in USED_BY_WORKERS:
    import_module(name)
for entry in entry_points(group=RECIPE_ENTRY_POINTS):
    if entry.dist is not None and entry.dist.name == "headwater":  # other packages may change while it runs
        entry.load()()

# A service manager asks all processes to stop at once. The workers finish what they do, and need their parent until then.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
gc.collect()
gc.freeze()
