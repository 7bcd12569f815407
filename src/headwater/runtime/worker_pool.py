"""The embedded worker: one process that fetches and some that refine, watched by this one."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.context import SpawnProcess

from headwater.app import App
from headwater.liveness import owner_name
from headwater.logs import configure_logs
from headwater.model.errors import MovedAway, Refused, Temporary
from headwater.ops.installation_lock import check_not_moved, release_dead_owners, worker_lock
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.worker_loop import StopSignal, is_nothing_due, run_local_loop, run_network_loop
from headwater.settings.settings import Settings

LOOK_EVERY = 0.2
STOP_GRACE = 50.0
RESTART_DELAY = 1.0
MAX_DEATHS_PER_MINUTE = 10
MOVE_CHECK_SECONDS = 2.0
# A row that is due within this time is waited for before a run counts as idle: short retries, polite pauses.
HORIZON = timedelta(seconds=15)


def _run_network(settings: Settings, recipes: Sequence[str]) -> None:
    bell = StopSignal()
    run_network_loop(App(settings).context(owner_name("network"), fetching=True), recipes, lambda: bool(bell))


def run_local_worker(settings: Settings, recipes: Sequence[str]) -> None:
    bell, app = StopSignal(), App(settings)
    context = app.context(owner_name("desk"), fetching=False)
    run_local_loop(context, recipes, lambda: bool(bell), between=Maintenance(app).run_due)


ProcessTarget = Callable[[Settings, Sequence[str]], None]


def _live(role: ProcessTarget, settings: Settings, recipes: Sequence[str]) -> None:
    """In a process of its own. That the installation moved is told by whoever started it."""
    with suppress(MovedAway):
        role(settings, recipes)


@dataclass
class WorkerPool:
    """The processes of one machine. A process that dies is replaced; what it held is given back at once. Without `roles`
    of its own it has one process on the network and as many desks as the settings say."""

    app: App
    recipes: Sequence[str] = ()
    roles: Mapping[str, ProcessTarget] | None = None
    members: dict[str, SpawnProcess] = field(default_factory=dict)
    born: dict[str, float] = field(default_factory=dict)
    deaths: list[float] = field(default_factory=list)
    looked_out: float = field(default_factory=time.monotonic)

    def start(self) -> None:
        release_dead_owners(self.app)
        for name, target in self._roles():
            self._start_process(name, target)

    def _roles(self) -> list[tuple[str, ProcessTarget]]:
        if self.roles is not None:
            return list(self.roles.items())
        desks = [(f"desk-{i + 1}", run_local_worker) for i in range(self.app.settings.workers)]
        return [("network", _run_network), *desks]

    def _start_process(self, name: str, target: ProcessTarget) -> None:
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(
            target=_live, args=(target, self.app.settings, tuple(self.recipes)), name=name
        )
        process.start()
        self.members[name], self.born[name] = process, time.monotonic()

    def replace_dead(self) -> None:
        """Replace the dead; MovedAway when the installation has gone elsewhere."""
        if time.monotonic() - self.looked_out > MOVE_CHECK_SECONDS:
            self._check_not_moved()
        for name, target in self._roles():
            process = self.members[name]
            if not process.is_alive() and time.monotonic() - self.born[name] > RESTART_DELAY:
                self._check_not_moved()
                if process.exitcode != 0:
                    self._reap(name, process.exitcode)
                self._free()
                self._start_process(name, target)

    def _check_not_moved(self) -> None:
        check_not_moved(self.app)
        self.looked_out = time.monotonic()

    def _reap(self, name: str, exitcode: int | None) -> None:
        log = configure_logs(self.app.settings.log, self.app.settings.log_level)
        log.error("worker died", process=name, exit=exitcode)
        now = time.monotonic()
        self.deaths = [*(death for death in self.deaths if now - death < 60), now]
        if len(self.deaths) > MAX_DEATHS_PER_MINUTE:
            raise Refused(
                "workers_keep_dying", "worker processes die as soon as they start: see the log above"
            )

    def stop(self) -> None:
        """Ask everybody to finish; end those who do not."""
        for process in self.members.values():
            if process.is_alive():
                process.terminate()
        until = time.monotonic() + STOP_GRACE
        for process in self.members.values():
            process.join(max(0.1, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._free()

    def _free(self) -> None:
        """A database that is away is no reason to end: the next who starts frees what is left."""
        with suppress(Temporary, MovedAway):
            release_dead_owners(self.app)


def work(
    app: App, recipes: Sequence[str], *, until_idle: bool, watch: Callable[[], None] = lambda: None
) -> None:
    """Run the crew until told to stop, or until nothing is due soon. `watch` is called several times a second."""
    app.archive.ready()
    bell = StopSignal(child=False)  # it may outlive the shell that started it
    crew = WorkerPool(app, recipes)
    with worker_lock(app):
        run_pool(crew, bell, lambda: until_idle and is_installation_idle(app, recipes), watch)


def run_pool(crew: WorkerPool, bell: StopSignal, done: Callable[[], bool], watch: Callable[[], None]) -> None:
    """Start the crew and look after it until the bell rings or it is done; then stop it, whatever happened."""
    crew.start()
    try:
        while not bell and not done():
            crew.replace_dead()
            watch()
            time.sleep(LOOK_EVERY)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        crew.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        watch()


def is_installation_idle(app: App, recipes: Sequence[str]) -> bool:
    """A replay holds nobody up: it goes on when there are workers again."""
    return is_nothing_due(app.store, recipes, app.clock() + HORIZON)
