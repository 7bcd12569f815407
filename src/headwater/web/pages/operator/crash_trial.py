"""The crash trial of the demo: start it, kill its workers, and see that nothing is lost or stored twice."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.web.context import WebContext
from headwater.web.crash_trial import CrashTrial
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page


def load_trial(request: Request, context: WebContext) -> dict[str, Any]:
    del request
    trial = _trial(context)
    return {
        "is_running": trial.is_running,
        "was_started": trial.child is not None,
        "exit_code": None if trial.child is None else trial.child.poll(),
        "killed": len(trial.killed),
        "workers": [{"role": worker.role, "pid": worker.pid} for worker in trial.workers()],
        "figures": trial.figures(),
    }


def _trial(context: WebContext) -> CrashTrial:
    if context.crash_trial is None:
        raise Refused("unknown_page", "only the demo has a crash trial: `headwater serve --demo`")
    return context.crash_trial


def start(request: Request, context: WebContext, fields: FormData) -> Done:
    del request, fields
    _trial(context).start()
    return Done(message="The trial has begun. Kill its workers.", location="/operate/crash-trial")


def kill(request: Request, context: WebContext, fields: FormData) -> Done:
    del request, fields
    victim = _trial(context).kill()
    return Done(
        message="Process {pid} is dead. The others go on, and a new one takes its place.",
        values={"pid": victim.pid},
        location="/operate/crash-trial",
    )


def stop(request: Request, context: WebContext, fields: FormData) -> Done:
    del request, fields
    _trial(context).stop()
    return Done(message="The trial is stopped.", location="/operate/crash-trial")


PAGES = (
    Page(
        path="/operate/crash-trial",
        template="operator/crash_trial.html",
        fragment="operator/crash_trial_live.html",
        load=load_trial,
    ),
)
ACTIONS = (
    Action(path="/operate/crash-trial/start", perform=start),
    Action(path="/operate/crash-trial/kill", perform=kill),
    Action(path="/operate/crash-trial/stop", perform=stop),
)
