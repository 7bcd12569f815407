"""The process from which workers are forked. What stands in its memory, they share, and they start in a fraction of the time.

It holds no connection and no thread. A command that starts workers makes it by forking itself before it opens anything:
then the supervisor shares that memory, too, and nothing is imported twice. Otherwise, and when it was killed,
multiprocessing starts it as a new program, which imports this module by its name.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from multiprocessing import connection, forkserver, util
from multiprocessing.context import ForkServerContext
from typing import Any

from headwater.model.command import RECIPE_ENTRY_POINTS
from headwater.runtime.garbage_collector import collect_rarely, freeze_loaded_objects

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
PRELOAD = "headwater.runtime.fork_server_preload"
# Later versions hand the server a key of their own.
FORKABLE_VERSIONS = ((3, 11), (3, 12), (3, 13))
_server_pid: int | None = None  # set in the server, and so in all that it forks


def fork_server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", PRELOAD])
    return context


def import_for_workers(modules: Sequence[str] = ()) -> None:
    """Import what workers use, and keep the garbage collector away from it: it would write to all these pages."""
    collect_rarely()
    for name in (*USED_BY_WORKERS, *modules):
        import_module(name)
    for entry in entry_points(group=RECIPE_ENTRY_POINTS):
        if (
            entry.dist is not None and entry.dist.name == "headwater"
        ):  # other packages may change while it runs
            entry.load()()
    freeze_loaded_objects()


def keep_until_workers_end() -> None:
    """A service manager or Ctrl-C asks all processes to stop at once. The workers finish what they do, and need their parent
    until then. A worker ignores Ctrl-C until it can end in order; its supervisor asks it again."""
    global _server_pid  # noqa: PLW0603 - a worker cannot ask for it: the server may be gone before the worker's first line
    _server_pid = os.getpid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def fork_server_pid() -> int:
    """The id of the process from which this one was forked, also if that has ended since."""
    return os.getppid() if _server_pid is None else _server_pid


def fork_early(modules: Sequence[str] = ()) -> None:
    """Make this process the model of its workers, which use these modules, too. Call it before anything is opened: an open
    SQLite database must not be inherited. A process with threads cannot be forked safely; its workers come from a new program."""
    server: Any = forkserver._forkserver  # noqa: SLF001 - there is no public way to say where it runs
    if server._forkserver_pid is not None or threading.active_count() > 1:  # noqa: SLF001 - as above
        return
    if sys.version_info[:2] not in FORKABLE_VERSIONS:
        return
    import_for_workers(modules)
    address = connection.arbitrary_address("AF_UNIX")  # type: ignore[attr-defined]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        if not util.is_abstract_socket_namespace(address):
            os.chmod(address, 0o600)  # noqa: PTH101 - it is not a file
        listener.listen()
        alive_read, alive_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(alive_write)
            _serve(listener.detach(), alive_read)
        os.close(alive_read)
    server._forkserver_address = address  # noqa: SLF001 - as above
    server._forkserver_alive_fd = alive_write  # noqa: SLF001 - as above
    server._forkserver_pid = pid  # noqa: SLF001 - as above


def _serve(listener: int, alive_read: int) -> None:
    """Ends when the supervisor and all workers have ended. Nothing of the command that was forked runs here."""
    try:
        keep_until_workers_end()
        forkserver.main(listener, alive_read, [])
    finally:
        os._exit(0)
