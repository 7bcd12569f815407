"""What a page states for programs (JSON-LD) about its procedure: the responsible organism and its telephone number."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from headwater.extract.html.metadata.jsonld import by_id, names_of, parse_linked_data, types_of
from headwater.text.letters import to_one_line

SERVICES = frozenset({"GovernmentService", "PublicService", "GovernmentPermit", "Service", "Permit"})
ORGANISATIONS = frozenset(
    {"GovernmentOrganization", "GovernmentOffice", "PublicOrganization", "CityHall", "Organization"}
)
# The roles of organisations in a service, the responsible one first.
ROLES = ("serviceOperator", "provider", "issuedBy", "broker", "serviceLocation", "publisher")
CONTACTS = ("contactPoint", "availableChannel", "servicePhone", "address")
DEEPEST_CONTACT, LONGEST, MOST_SCRIPTS = 3, 200, 20
Entry = Mapping[str, Any]


def service_facts(tree: LexborHTMLParser) -> dict[str, dict[str, str]]:
    """`organism` and `telephone`, each with its text and the key under which the page states it."""
    scripts = tree.css('script[type="application/ld+json"]')[:MOST_SCRIPTS]
    entries = [entry for script in scripts for entry in parse_linked_data(script.text(deep=True) or "")]
    entries_by_id = by_id(entries)
    facts: dict[str, dict[str, str]] = {}
    for key, entry in _organisations(entries, entries_by_id):
        for name, text, path in (
            ("organism", _name(entry, entries_by_id), "name"),
            ("telephone", *_telephone(entry)),
        ):
            if text:
                facts.setdefault(name, {"text": text, "key": f"{key}.{path}"})
    return facts


def _organisations(entries: Sequence[Entry], entries_by_id: Mapping[str, Entry]) -> Iterator[tuple[str, Any]]:
    """Organisations of services before others; a service itself may have the telephone number."""
    services = [(kind, entry) for entry in entries for kind in types_of(entry) if kind in SERVICES]
    for kind, service in services:
        for role in ROLES:
            for value in _as_list(service.get(role)):
                target = entries_by_id.get(str(value.get("@id")), value) if isinstance(value, dict) else value
                yield f"{kind}.{role}", {**value, **target} if isinstance(value, dict) else target
    for kind, service in services:
        yield kind, {name: value for name, value in service.items() if name != "name"}
    for entry in entries:
        kind = next((kind for kind in types_of(entry) if kind in ORGANISATIONS), "")
        if kind:
            yield kind, entry


def _name(entry: Any, entries_by_id: Mapping[str, Entry]) -> str:
    return to_one_line(next(iter(names_of(entry, entries_by_id)), ""))[:LONGEST]


def _telephone(entry: Any, path: str = "", depth: int = 0) -> tuple[str, str]:
    """The number and its key, of the organisation or of its contact."""
    if not isinstance(entry, dict) or depth > DEEPEST_CONTACT:
        return "", ""
    number = next((text for text in _as_list(entry.get("telephone")) if isinstance(text, str)), "")
    if number:
        return to_one_line(number)[:LONGEST], f"{path}telephone"
    inner = (
        _telephone(value, f"{path}{name}.", depth + 1)
        for name in CONTACTS
        for value in _as_list(entry.get(name))
    )
    return next((pair for pair in inner if pair[0]), ("", ""))


def _as_list(value: Any) -> list[Any]:
    return value[:MOST_SCRIPTS] if isinstance(value, list) else [] if value is None else [value]
