"""The review page: every field with its current and its proposed value beside the passage of the source."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from headwater.app import App
from headwater.model.errors import Refused
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.commands.review import review_queue
from headwater_recipes.procedures.endpoints import Rejection
from headwater_recipes.procedures.field_places import line_without_marks
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout, read_json
from headwater_recipes.procedures.knowledge_base.review import ReviewItem, ReviewQueue
from headwater_recipes.procedures.web_pages import DecidedKey, ReviewDecision, ReviewKey

LIST, PAGE = f"/recipes/{NAME}/reviews", f"/recipes/{NAME}/review"
# In the order in which an editor reads them. The others are bookkeeping, or repeat one of these.
FIELDS = {
    "nombre": "Name",
    "organismo": "Authority",
    "territorio": "Territory",
    "descripcion": "Description",
    "requisitos": "Requirements",
    "documentos_necesarios": "Documents needed",
    "plazos": "Deadlines",
    "tasas": "Fees",
    "cuantias": "Amounts",
    "como_solicitar": "How to apply",
    "donde_solicitar": "Where to apply",
    "canal": "Channel",
    "telefono": "Telephone",
    "email": "E-mail",
    "base_legal": "Legal basis",
    "datos_importantes": "Also important",
    "idioma": "Language",
    "tags": "Tags",
}
LONGEST_PASSAGE = 600
MOST_PASSAGES = 5


def list_waiting(app: App, parameters: DecidedKey) -> dict[str, Any]:
    items = review_queue(app).items()
    return {
        "items": [
            {
                "id": item.key,
                "name": item.proposed.get("nombre") or item.key,
                "organism": item.proposed.get("organismo") or "",
                "url": item.url,
                "reasons": list(item.reasons),
                "is_proposal": item.is_proposal,
                "completeness": item.proposed.get("completeness_score"),
            }
            for item in items
        ],
        "decided": parameters.decided,
    }


def show_item(app: App, parameters: ReviewKey) -> dict[str, Any]:
    items = review_queue(app).items()
    keys = [item.key for item in items]
    if not keys:
        raise Refused("unknown_review", "nothing waits for review")
    if parameters.id and parameters.id not in keys:
        raise Refused("unknown_review", f"'{parameters.id}' does not wait for review")
    place = keys.index(parameters.id) if parameters.id else 0
    item = items[place]
    return {
        "id": item.key,
        "name": item.proposed.get("nombre") or item.key,
        "url": item.url,
        "document": _archived_document(app, item.url),
        "reasons": list(item.reasons),
        "is_proposal": item.is_proposal,
        "completeness": item.proposed.get("completeness_score"),
        "fields": describe_fields(item, _extraction(app, item.key)),
        "place": place + 1,
        "total": len(keys),
        "previous": keys[place - 1] if place else None,
        "next": keys[place + 1] if place + 1 < len(keys) else None,
        "decided": parameters.decided,
    }


def _archived_document(app: App, url: str) -> str | None:
    """The document whose page the procedure came from. A procedure cites the secure address of a page."""
    for address in (url, url.replace("https://", "http://", 1)):
        if address and (document := app.catalogue.document(address)) is not None:
            return str(document["id"])
    return None


def _extraction(app: App, key: str) -> Mapping[str, Any]:
    record = read_json(KnowledgeBaseLayout(app.output(NAME)).extraction_path(key))
    return record if isinstance(record, Mapping) else {}


def describe_fields(item: ReviewItem, extraction: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fields that have a value, those that change first."""
    current = item.current or {}
    fields = [
        {
            "name": name,
            "label": label,
            "current": without_marks(current.get(name)),
            "proposed": without_marks(item.proposed.get(name)),
            "is_changed": item.current is not None and current.get(name) != item.proposed.get(name),
            "passages": passages_of(extraction, name),
        }
        for name, label in FIELDS.items()
        if item.proposed.get(name) not in (None, "", [], {}) or current.get(name) not in (None, "", [], {})
    ]
    return sorted(fields, key=lambda field: not field["is_changed"])


def without_marks(value: Any) -> Any:
    """A value as people read it: without the marks of headings, lists, emphasis and links."""
    if isinstance(value, str):
        return "\n".join(line_without_marks(line) for line in value.splitlines())
    if isinstance(value, Mapping):
        return {name: without_marks(part) for name, part in value.items()}
    return [without_marks(part) for part in value] if isinstance(value, list | tuple) else value


def passages_of(extraction: Mapping[str, Any], name: str) -> list[str]:
    """Where in the text of the page a field was found."""
    text = str(extraction.get("extracted_text") or "")
    spans: Sequence[Sequence[int]] = (extraction.get("spans") or {}).get(name) or ()
    passages = [without_marks(text[start:end]).strip() for start, end in spans[:MOST_PASSAGES]]
    return [passage[:LONGEST_PASSAGE] for passage in passages if passage]


def accept(app: App, parameters: ReviewDecision) -> dict[str, Any]:
    return _decide(
        app,
        parameters.id,
        lambda queue: queue.accept(parameters.id, app.clock().isoformat()),
        "{name} is accepted.",
    )


def reject(app: App, parameters: Rejection) -> dict[str, Any]:
    if not parameters.reason.strip():
        raise Refused("no_reason", "give a reason: others read it later")
    return _decide(
        app,
        parameters.id,
        lambda queue: queue.reject(parameters.id, parameters.reason.strip(), app.clock().isoformat()),
        "{name} is rejected.",
    )


def _decide(app: App, key: str, decide: Callable[[ReviewQueue], object], message: str) -> dict[str, Any]:
    """A key pressed twice decides once: the second time leads on, too."""
    queue, following = review_queue(app), _following(app, key)
    try:
        name = _name(queue.item(key))
        decide(queue)
    except Refused as error:
        if error.reason != "unknown_review":
            raise
        return {"message": "This procedure was decided already.", "location": _next_page(_first(app), key)}
    app.close_run(NAME)
    return {"message": message, "values": {"name": name}, "location": _next_page(following, key)}


def undo(app: App, parameters: ReviewDecision) -> dict[str, Any]:
    queue = review_queue(app)
    queue.undo(parameters.id)
    app.close_run(NAME)
    return {
        "message": "{name} waits for review again.",
        "values": {"name": _name(queue.item(parameters.id))},
        "location": f"{PAGE}?id={parameters.id}",
    }


def _name(item: ReviewItem) -> str:
    return str(item.proposed.get("nombre") or item.key)


def _following(app: App, key: str) -> str | None:
    """The one after this, or the first, before this is decided."""
    keys = [item.key for item in review_queue(app).items()]
    if key not in keys:
        return None
    later = [*keys[keys.index(key) + 1 :], *keys[: keys.index(key)]]
    return later[0] if later else None


def _first(app: App) -> str | None:
    return next((item.key for item in review_queue(app).items()), None)


def _next_page(following: str | None, decided: str) -> str:
    decided = quote(decided)
    return f"{PAGE}?id={following}&decided={decided}" if following else f"{LIST}?decided={decided}"
