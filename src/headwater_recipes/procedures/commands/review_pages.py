"""The review page: every field with its current and its proposed value beside the passage of the source."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from headwater.app import App
from headwater.model.errors import Refused
from headwater_recipes.procedures import NAME
from headwater_recipes.procedures.commands.review import review_queue
from headwater_recipes.procedures.endpoints import Rejection
from headwater_recipes.procedures.field_places import line_without_marks
from headwater_recipes.procedures.knowledge_base.layout import KnowledgeBaseLayout, read_json
from headwater_recipes.procedures.knowledge_base.review import ReviewDecision, ReviewItem, ReviewQueue
from headwater_recipes.procedures.web_pages import ReviewedKey, ReviewKey, ReviewList

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
MOST_DECISIONS = 200
UNDO_BY_KEY = timedelta(days=1)


def list_reviews(app: App, parameters: ReviewList) -> dict[str, Any]:
    queue = review_queue(app)
    items, decisions = queue.items(), queue.decisions()
    chosen = [decision for decision in decisions if decision.verdict == parameters.state]
    records = [item_record(decision.item) | decision_record(decision) for decision in chosen[:MOST_DECISIONS]]
    counts = Counter(decision.verdict for decision in decisions)
    return {
        "state": parameters.state,
        "counts": {"waiting": len(items), "accepted": counts["accepted"], "rejected": counts["rejected"]},
        "items": [item_record(item) for item in items] if parameters.state == "waiting" else records,
        "undoable": undoable_record(decisions, app.clock()),
    }


def item_record(item: ReviewItem) -> dict[str, Any]:
    return {
        "id": item.key,
        "name": _name(item),
        "organism": item.proposed.get("organismo") or "",
        "url": item.url,
        "reasons": list(item.reasons),
        "is_proposal": item.is_proposal,
        "completeness": item.proposed.get("completeness_score"),
    }


def decision_record(decision: ReviewDecision) -> dict[str, Any]:
    at = datetime.fromisoformat(decision.at) if decision.at else None
    return {"verdict": decision.verdict, "reason": decision.reason, "at": at}


def undoable_record(decisions: Sequence[ReviewDecision], now: datetime) -> dict[str, Any] | None:
    """The newest decision of the last day, which one key takes back; then the one before it, and so on."""
    newest = next((decision for decision in decisions if decision.at), None)
    if newest is None or now - datetime.fromisoformat(newest.at) > UNDO_BY_KEY:
        return None
    return {"id": newest.item.key, "name": _name(newest.item)} | decision_record(newest)


def show_item(app: App, parameters: ReviewKey) -> dict[str, Any]:
    queue, now = review_queue(app), app.clock()
    items, decisions = queue.items(), queue.decisions()
    keys = [item.key for item in items]
    decision = None if parameters.id in keys else _find_decision(queue, parameters.id, keys)
    place = keys.index(parameters.id) if parameters.id in keys else 0
    item = decision.item if decision else items[place]
    return {
        **item_record(item),
        "document": _archived_document(app, item.url),
        "fields": describe_fields(item, _extraction(app, item.key)),
        "decision": decision_record(decision) if decision else None,
        "place": place + 1,
        "total": len(keys),
        "previous": keys[place - 1] if place and not decision else None,
        "next": keys[place + 1] if place + 1 < len(keys) and not decision else None,
        "undoable": undoable_record(decisions, now),
    }


def _find_decision(queue: ReviewQueue, key: str, waiting: Sequence[str]) -> ReviewDecision | None:
    """The decision about a procedure that does not wait any more; None for the first that waits."""
    if not key and waiting:
        return None
    if not key:
        raise Refused("unknown_review", "nothing waits for review")
    if (decision := queue.decision(key)) is None:
        raise Refused("unknown_review", f"'{key}' does not wait for review")
    return decision


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


def accept(app: App, parameters: ReviewedKey) -> dict[str, Any]:
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
        return {"message": "This procedure was decided already.", "location": _next_page(_first(app))}
    app.close_run(NAME)
    return {"message": message, "values": {"name": name}, "location": _next_page(following)}


def undo(app: App, parameters: ReviewedKey) -> dict[str, Any]:
    queue = review_queue(app)
    queue.undo(parameters.id)
    app.close_run(NAME)
    return {
        "message": "{name} waits for review again.",
        "values": {"name": _name(queue.item(parameters.id))},
        "location": f"{PAGE}?id={quote(parameters.id)}",
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


def _next_page(following: str | None) -> str:
    return f"{PAGE}?id={quote(following)}" if following else LIST
