"""The reference of the settings, generated from their types: descriptions, defaults and a commented file."""

from collections.abc import Mapping
from typing import Any, get_type_hints

import msgspec

from headwater.settings.settings import SETTING_VARIABLES, Settings

HEAD = """\
# Settings of Headwater. Every line is optional; a commented line shows the default or an example.
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
    """Returns the description of each setting, from its type."""
    hints = get_type_hints(Settings, include_extras=True)
    return {field.name: _description(hints[field.name]) for field in msgspec.structs.fields(Settings)}


def _description(hint: Any) -> str:
    metas = [meta for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
    return next((meta.description for meta in metas if meta.description), "")


def setting_default(name: str) -> Any:
    return getattr(Settings(), name)


def setting_variable(name: str) -> str | None:
    """Returns the environment variable that overrides the file."""
    return {**SETTING_VARIABLES, "archive": "HEADWATER_ARCHIVE", "environments": "HEADWATER_ENV"}.get(name)


def commented_settings(data: str) -> str:
    """Returns a settings file with every setting as a comment; only the data folder is set."""
    parts = [HEAD]
    for name, description in setting_descriptions().items():
        value = SETTING_EXAMPLES.get(name) or _yaml(setting_default(name))
        line = f"data: {_yaml(data)}" if name == "data" else f"# {name}: {value}"
        parts.append(f"\n# {description}\n{line}\n")
    return "".join(parts)


def _yaml(value: Any) -> str:
    return msgspec.json.encode(value).decode()
