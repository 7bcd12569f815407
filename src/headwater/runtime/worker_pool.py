"""Worker processes on one machine: one for the network and several for local tasks, supervised by this process."""

import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from multiprocessing.context import ForkServerProcess

from headwater.app import App
from headwater.liveness import owner_name
from headwater.logs import configure_logs
from headwater.model.errors import MovedAway, Refused, Temporary
from headwater.model.http import RATE_LIMITED
from headwater.model.jobs import RUN_TASKS, Task
from headwater.ops.installation_lock import check_not_moved, release_dead_owners, worker_lock
from headwater.ops.system_rules import LOCAL_ROLE, NETWORK_ROLE
from headwater.runtime.fork_server import fork_server
from headwater.runtime.heartbeat import heartbeat
from headwater.runtime.maintenance import Maintenance
from headwater.runtime.registration import ListWatch, register_changes
from headwater.runtime.silence_watch import SilenceWatch
from headwater.runtime.worker_loop import StopSignal, is_nothing_due, run_local_loop, run_network_loop
from headwater.settings.settings import Settings

CHECK_SECONDS = 0.2
STOP_GRACE = 50.0
KILL_SECONDS = 1.0
RESTART_DELAY = 1.0
MAX_DEATHS_PER_MINUTE = 10
MOVE_CHECK_SECONDS = 2.0
# A run is idle only if nothing is due within this time: short retries and crawl delays are part of it.
IDLE_HORIZON = timedelta(seconds=15)
# A run of everything waits for budgets and busy hosts, unless they are further off than this.
LIMIT_HORIZON = timedelta(minutes=10)

# A start frees what processes of other machines held if they were silent for so long; living workers do it much earlier, but
# only they can tell a dead process from a database that was away.
LONG_SILENT = timedelta(minutes=10)

ProcessTarget = Callable[[Settings, Sequence[str]], None]


def _run_network_worker(
    settings: Settings, recipes: Sequence[str], pass_began: datetime | None = None
) -> None:
    stop, app = StopSignal(), App(settings)
    with heartbeat(app, NETWORK_ROLE):
        context = replace(app.context(owner_name("network"), fetching=True), pass_began=pass_began)
        run_network_loop(context, recipes, stop.is_set)


def run_local_worker(settings: Settings, recipes: Sequence[str]) -> None:
    stop, app = StopSignal(), App(settings)
    with heartbeat(app, LOCAL_ROLE):
        context = app.context(owner_name("local"), fetching=False)
        run_local_loop(context, recipes, stop.is_set, between=Maintenance(app).run_due)


def _run_child(
    target: ProcessTarget, settings: Settings, recipes: Sequence[str], environment: Mapping[str, str]
) -> None:
    """The environment is the supervisor's; that of the fork server may be older. The supervisor reports that the installation
    has moved."""
    os.environ.clear()
    os.environ.update(environment)
    with suppress(MovedAway):
        target(settings, recipes)


@dataclass
class WorkerPool:
    """Replaces processes that die and releases their leases at once. Without `targets` it has one network process and as
    many local ones as the settings say. With `pass_began`, each source is polled once since then."""

    app: App
    recipes: Sequence[str] = ()
    targets: Mapping[str, ProcessTarget] | None = None
    pass_began: datetime | None = None
    processes: dict[str, ForkServerProcess] = field(default_factory=dict)
    started_at: dict[str, float] = field(default_factory=dict)
    deaths: list[float] = field(default_factory=list)
    move_checked_at: float = field(default_factory=time.monotonic)
    silence: SilenceWatch = field(default_factory=SilenceWatch)

    def start(self) -> None:
        release_dead_owners(self.app)
        self.app.workers.release_silent(self.app.clock(), LONG_SILENT)
        for name, target in self._targets():
            self._start_process(name, target)

    def _targets(self) -> list[tuple[str, ProcessTarget]]:
        if self.targets is not None:
            return list(self.targets.items())
        count = self.app.settings.workers
        local = [(f"local-{number + 1}", run_local_worker) for number in range(count)]
        return [("network", partial(_run_network_worker, pass_began=self.pass_began)), *local]

    def _start_process(self, name: str, target: ProcessTarget) -> None:
        arguments = (target, self.app.settings, tuple(self.recipes), dict(os.environ))
        process = fork_server().Process(target=_run_child, args=arguments, name=name)
        process.start()
        self.processes[name], self.started_at[name] = process, time.monotonic()

    def replace_dead(self) -> None:
        """Restart dead processes; MovedAway if the installation has moved."""
        if time.monotonic() - self.move_checked_at > MOVE_CHECK_SECONDS:
            self._check_not_moved()
        self._kill_silent()
        for name, target in self._targets():
            process = self.processes[name]
            if not process.is_alive() and time.monotonic() - self.started_at[name] > RESTART_DELAY:
                self._check_not_moved()
                if process.exitcode != 0:
                    self._record_death(name, process.exitcode)
                self._release_dead_owners()
                self._start_process(name, target)

    def _kill_silent(self) -> None:
        """A process without heartbeats hangs, and its rows are free for others: it ends, and another one takes its place. One
        that the system cannot end yet is killed again at the next check."""
        now = time.monotonic()
        if not self.silence.is_due(now):
            return
        pids = {name: process.pid or 0 for name, process in self.processes.items() if process.is_alive()}
        live_pids: Collection[int] | None = None  # without the database nobody can be heard
        with suppress(Temporary):
            live_pids = self._live_pids()
        for name in self.silence.silent_names(pids, live_pids, now):
            log = configure_logs(self.app.settings.log, self.app.settings.log_level)
            log.error("worker hangs", process=name, pid=pids[name])
            self.processes[name].kill()
            self.processes[name].join(KILL_SECONDS)

    def _live_pids(self) -> Collection[int]:
        here = socket.gethostname()
        heartbeats = self.app.workers.heartbeats(self.app.clock())
        return {beat.process.pid for beat in heartbeats if beat.is_live and beat.process.host == here}

    def _check_not_moved(self) -> None:
        check_not_moved(self.app)
        self.move_checked_at = time.monotonic()

    def _record_death(self, name: str, exitcode: int | None) -> None:
        log = configure_logs(self.app.settings.log, self.app.settings.log_level)
        log.error("worker died", process=name, exit=exitcode)
        now = time.monotonic()
        self.deaths = [*(death for death in self.deaths if now - death < 60), now]
        if len(self.deaths) > MAX_DEATHS_PER_MINUTE:
            raise Refused(
                "workers_keep_dying", "worker processes die right after their start: see the log above"
            )

    def restart(self) -> None:
        """Ask all processes to finish; `replace_dead` starts others, which read the lists anew."""
        for process in self.processes.values():
            if process.is_alive():
                process.terminate()

    def stop(self) -> None:
        """Ask all processes to finish, and kill those that do not."""
        for process in self.processes.values():
            if process.is_alive():
                process.terminate()
        deadline = time.monotonic() + STOP_GRACE
        for process in self.processes.values():
            process.join(max(0.1, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._release_dead_owners()

    def _release_dead_owners(self) -> None:
        """If the database is unavailable, the next worker that starts releases them."""
        with suppress(Temporary, MovedAway):
            release_dead_owners(self.app)


def run_workers(
    app: App,
    recipes: Sequence[str],
    *,
    until_idle: bool,
    pass_began: datetime | None = None,
    on_tick: Callable[[], None] = lambda: None,
) -> bool:
    """Run workers until told to stop or, with `until_idle`, until nothing is due soon; returns False if told to stop. With
    `pass_began`, each source is polled once since then, and work that a rate limit postponed is awaited. `on_tick` is called
    several times a second."""
    app.archive.ready()
    # A server that the settings do not describe is refused here, in one sentence, and not in every worker. A channel or a table
    # that cannot be used is not refused: what goes there waits.
    _ = (app.sinks, app.markers)
    stop = StopSignal(child=False)  # it may outlive the shell that started it

    def is_done() -> bool:
        return until_idle and is_installation_idle(app, recipes, pass_began=pass_began)

    pool, watch = WorkerPool(app, recipes, pass_began=pass_began), ListWatch(app.settings)
    log = configure_logs(app.settings.log, app.settings.log_level)

    def tick() -> None:
        if register_changes(app, recipes, watch, log):
            pool.restart()
        on_tick()

    with worker_lock(app):
        run_pool(pool, stop, is_done, tick)
    return not stop.is_set()


def run_pool(
    pool: WorkerPool, stop: StopSignal, is_done: Callable[[], bool], on_tick: Callable[[], None]
) -> None:
    """Start the pool and supervise it until told to stop or done; then stop it in any case."""
    pool.start()
    try:
        while not stop.is_set() and not is_done():
            pool.replace_dead()
            on_tick()
            time.sleep(CHECK_SECONDS)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        pool.stop()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        on_tick()


def is_installation_idle(
    app: App, recipes: Sequence[str], *, pass_began: datetime | None = None, tasks: Sequence[Task] = RUN_TASKS
) -> bool:
    """Whether nothing is due soon. With `pass_began`, the pass is over: each source was polled since then, and nothing waits
    for a rate limit that ends soon. A replay does not count: it continues when workers run again."""
    now = app.clock()
    if not is_nothing_due(app.store, recipes, now + IDLE_HORIZON, tasks=tasks, pass_began=pass_began):
        return False
    return pass_began is None or is_nothing_due(
        app.store, recipes, now + LIMIT_HORIZON, reason=RATE_LIMITED, tasks=tasks
    )
