"""How records look in a notebook: small HTML, every value escaped, no scripts."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

LONGEST_VALUE = 600
FIRST = ("title", "publisher", "published_at", "language", "url", "summary", "description", "text")
LEFT_OUT = frozenset(
    {"trail", "origins", "attributes", "revision", "capture_id", "lead_id", "source_id", "group_id"}
)


def record_html(record: Mapping[str, Any]) -> str:
    """The fields that have a value, the important ones first; a document's fields with their origins."""
    origins = record.get("origins") or {}
    names = [*(name for name in FIRST if name in record), *(name for name in record if name not in FIRST)]
    rows = (
        (name, record[name], str(origins.get(name.removesuffix("_at"), "")))
        for name in names
        if record[name] not in (None, "", [], {}) and name not in LEFT_OUT
    )
    return rows_html(rows, with_origin=bool(origins))


def rows_html(rows: Iterable[tuple[str, Any, str]], *, with_origin: bool) -> str:
    body = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(_short(value))}</td>"
        + (f"<td><small>{escape(origin)}</small></td>" if with_origin else "")
        + "</tr>"
        for name, value, origin in rows
    )
    return f"<table><tbody>{body}</tbody></table>"


def explanation_html(history: Mapping[str, Any]) -> str:
    """The document with its evidence: origins, source, captures and steps."""
    document, source = history.get("document") or {}, history.get("source") or {}
    parts = [f"<h4>{escape(str(document.get('title') or 'no title'))}</h4>", record_html(document)]
    parts.append(f"<p>Source: {escape(str(source.get('name', '')))}</p>")
    captures = [
        (str(capture.get("fetched_at", "")), f"{capture.get('status')} {capture.get('url')}", "")
        for capture in history.get("captures") or ()
    ]
    if captures:
        parts.append(f"<p>Captures</p>{rows_html(captures, with_origin=False)}")
    steps = [
        (
            str(step.get("step", "")),
            ", ".join(step.get("changed") or ()) or "nothing changed",
            str(step.get("version", "")),
        )
        for step in document.get("trail") or ()
        if isinstance(step, Mapping)
    ]
    if steps:
        parts.append(f"<p>Steps</p>{rows_html(steps, with_origin=True)}")
    return "".join(parts)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
