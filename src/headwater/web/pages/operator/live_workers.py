"""Whether anything an operator decides is carried out soon."""

from headwater.app import App


def has_live_workers(app: App) -> bool:
    return any(heartbeat.is_live for heartbeat in app.workers.heartbeats(app.clock()))
