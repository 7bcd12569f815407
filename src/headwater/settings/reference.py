"""What each setting means, taken from the settings themselves, so that no page can tell otherwise."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from headwater.settings.settings import SETTING_VARIABLES, RecipeSettings, Settings

HEAD = """\
# Settings of Headwater. Every line is optional; what is commented out is the default.
"""
SETTING_EXAMPLES = {
    "contact": "you@example.org",
    "database": "postgresql://user@host/headwater",
    "connections": "{pool_size: 4, max_overflow: 4, statement_timeout: 120, lock_timeout: 30, idle_timeout: 300, pooler: false}",
    "archive": '{place: "s3://headwater/raw", endpoint: "https://objects.example", key: "env:S3_KEY", secret: "env:S3_SECRET"}',
    "redis": "redis://host:6379/0",
    "environments": '{cluster: {database: "env:CLUSTER_DATABASE", archive: "s3://headwater/raw", redis: "redis://host:6379/0"}}',
    "hosts": '{"*.example": "http://127.0.0.1:8080"}',
    "rate_limits": '{"*.example": {rate: 0.5, concurrency: 1}}',
    "reservations": "[tdm, noai]",
    "allow": '["127.0.0.1:8080"]',
    "notify": '{ops: {kind: slack, url: "env:SLACK_URL"}}',
    "agent": '{endpoint: "https://models.example/v1", model: some-model, key: "env:MODEL_KEY"}',
    "summaries": '{endpoint: "https://models.example/v1", model: some-model, key: "env:MODEL_KEY", mode: batch}',
    "retention": "{polls: 14, documents: 0}",
    "recipes": "{crypto: {sources: my-feeds.yaml}}",
}


def setting_descriptions() -> Mapping[str, str]:
    """A sentence per setting, from the docstring of `Settings`: "name: what it means."."""
    names = [field.name for field in msgspec.structs.fields(Settings)]
    told = " ".join((inspect.getdoc(Settings) or "").split())
    parts = re.split(rf"\b({'|'.join(names)}): ", told)
    found = {name: text.strip().rstrip(".;") for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    own = (inspect.getdoc(RecipeSettings) or "").replace("\n", " ").strip().rstrip(".;")
    return {name: found.get(name, f"by the name of a recipe; {own}") for name in names}


def setting_default(name: str) -> Any:
    return getattr(Settings(), name)


def setting_variable(name: str) -> str | None:
    """The environment variable that overrides the file."""
    return {**SETTING_VARIABLES, "archive": "HEADWATER_ARCHIVE", "environments": "HEADWATER_ENV"}.get(name)


def commented_settings(data: str) -> str:
    """A settings file that says everything and sets only where the data lies."""
    parts = [HEAD]
    for name, meaning in setting_descriptions().items():
        value = SETTING_EXAMPLES.get(name) or _yaml(setting_default(name))
        line = f"data: {_yaml(data)}" if name == "data" else f"# {name}: {value}"
        parts.append(f"\n# {meaning}.\n{line}\n")
    return "".join(parts)


def _yaml(value: Any) -> str:
    return msgspec.json.encode(value).decode()
