"""The whole API against its own description: every operation with many inputs, none of which may break it or surprise."""

from collections.abc import Mapping

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import checks
from starlette.testclient import TestClient
from tests.support.api_installation import WITH_KEY, fill, installation

from headwater.web.application import build_application
from headwater.web.security.token_bucket import TokenBuckets
from headwater.web.serving import make_context

NOWHERE = "http://127.0.0.1:9"
EXAMPLES, MANY_EXAMPLES = 6, 60
# It never ends; tests/flow/test_events_metrics.py reads it.
LEFT_OUT = {"/api/v1/events"}
CHECKS = (
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
)


async def end_at_once(recipe: str, run: str, options: Mapping[str, str]) -> int:
    del recipe, run, options
    return 0


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("openapi")
    with installation(folder, hosts={"*": NOWHERE}) as app:
        fill(app)
        context = make_context(app, end_at_once, settings_key=WITH_KEY["X-Api-Key"])
        context.access.requests = TokenBuckets(1e6, 1e6)
        application = build_application(context)

        async def without_lifespan(scope, receive, send):
            """Every call would start and stop the application again."""
            if scope["type"] != "lifespan":
                await application(scope, receive, send)
                return
            for kind in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{kind}.complete"})

        client = TestClient(without_lifespan, base_url="http://127.0.0.1", client=("127.0.0.1", 1))
        yield without_lifespan, client.get("/api/v1/openapi.json").json()


def test_the_whole_api_keeps_its_own_description(described):
    check_all(described, EXAMPLES, derandomize=True)


@pytest.mark.long
def test_the_whole_api_keeps_its_own_description_with_many_inputs(described):
    check_all(described, MANY_EXAMPLES, derandomize=False)


def test_every_operation_has_a_name_of_its_own(described):
    _, description = described
    operations = [part for path in description["paths"].values() for part in path.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


def check_all(described, examples: int, *, derandomize: bool) -> None:
    application, description = described
    schema = schemathesis.openapi.from_dict(description)
    schema.app = application
    names = []
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path in LEFT_OUT:
            continue
        names.append(operation.label)
        check_operation(operation, examples, derandomize=derandomize)
    assert len(names) > 60


def check_operation(operation, examples: int, *, derandomize: bool) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=derandomize,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def run(case) -> None:
        case.call_and_validate(headers=WITH_KEY, base_url="http://127.0.0.1", checks=CHECKS)

    run()
