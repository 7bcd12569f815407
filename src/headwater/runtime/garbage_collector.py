"""Python's garbage collector in a process that works through batches."""

import gc

COLLECT_AFTER = 20_000
"""New objects: a batch makes that many and drops them all, so that a collection after every 700 finds nothing."""


def freeze_loaded_objects() -> None:
    """For a process that has imported what it needs, before it works or forks: what is in memory now stays there, and the
    collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
