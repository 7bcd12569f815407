"""The processes that run the engine: worker loops, worker pool, Celery, maintenance on a schedule."""
