"""Imported by a fork server that multiprocessing started as a new program, before it forks workers. Importing it changes the process."""

from headwater.runtime.fork_server import import_for_workers, keep_until_workers_end

import_for_workers()
keep_until_workers_end()
