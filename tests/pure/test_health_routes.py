"""What a server says about itself while the other parts are away."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from headwater.model.errors import Temporary
from headwater.web.contract.runs import HealthCheck


class WithoutDatabase:
    """An installation whose database is away."""

    def clock(self) -> datetime:
        return datetime(2026, 11, 16, tzinfo=UTC)

    @property
    def catalogue(self) -> Any:
        raise Temporary("database_unavailable")


def test_a_server_without_a_database_is_alive_and_not_healthy():
    handlers = {route.path: route.endpoint for route in HealthCheck(WithoutDatabase()).routes()}
    assert asyncio.run(handlers["/healthz"](None)).status_code == 200
    assert asyncio.run(handlers["/health"](None)).status_code == 503
