"""The history of one document as a tree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from headwater.cli.render.console import cell, format_duration, format_size, format_time, short_id
from headwater.fetch.politeness.rights_reservations import SIGNAL_FIELDS
from headwater.model.document import FIELD_PLACES
from headwater.model.page import PageState

Record = Mapping[str, Any]
HEADERS = (
    "content-type",
    "content-encoding",
    "etag",
    "last-modified",
    "cache-control",
    "retry-after",
    "link",
)
REPLACED = {"figures": "figure replaced", "slips": "figure corrected", "names": "name replaced"}
"""Labels of differences between two texts, by kind."""

FACTS_FOUND = (
    "{novelty:.0%} new: {figures_new} of {figures_of} figures, {names_new} of {names_of} names, "
    "{words_new} of {words_of} words, {sentences_new} sentences"
)


def history_tree(history: Record, sources: Mapping[str, str], title: Callable[[str], str]) -> Tree:
    """`history` is the result of `explain`; `sources` are names by id; `title` finds another document's title."""
    document, lead = history["document"], history["lead"]
    tree = Tree(cell((document or lead)["title"] or lead["url"], "bold"), guide_style="dim")
    _state(tree, document, lead)
    _source(tree, history)
    _captures(tree, history["captures"])
    if document:
        _branch(tree, "made by", (_trail_entry(entry) for entry in document["trail"] or ()))
        _branch(tree, "fields", _origins(document))
        _branch(tree, "fields of the recipe", _field_places(document))
    _branch(tree, "facts", (_fact(fact) for fact in history["facts"]))
    _branch(tree, "mentions", (f"{m['subject_id']} x{m['count']} {m['kind']}" for m in history["mentions"]))
    _branch(tree, "recognised by", (f"{f['kind']}  {f['value']}" for f in history["fingerprints"]))
    record = document["id"] if document else lead["id"]
    _edges(tree, history["edges"], record, title)
    _branch(tree, "also listed by", (_also(other, sources) for other in history["also_seen"]))
    _branch(tree, "stories", (_membership(member) for member in history["stories"]))
    _branch(tree, "delivered", (_delivery(delivery) for delivery in history["deliveries"]))
    _branch(tree, "earlier revisions", (_revision(revision) for revision in history["revisions"]))
    _branch(tree, "quarantine", (_quarantine(row) for row in history["quarantine"]))
    return tree


def _branch(tree: Tree, label: str, lines: Iterable[str]) -> None:
    shown = [line for line in lines if line]
    if shown:
        branch = tree.add(Text(label, style="cyan"))
        for line in shown:
            branch.add(cell(line))


def _state(tree: Tree, document: Record | None, lead: Record) -> None:
    if document is None:
        tree.add(cell(f"no document yet: lead {lead['id']} is {lead['state']} {lead['reason'] or ''}"))
        return
    why = f" because {document['reason']}" if document["reason"] else ""
    tree.add(cell(f"{document['id']}  revision {document['revision']}: {document['state']}{why}"))
    if document["detail"]:
        tree.add(cell(document["detail"], "dim"))
    tree.add(cell(document["url"]))
    if document["page"] not in {"", PageState.READ}:
        tree.add(cell(f"page: {document['page']}{_page_reason(lead)}"))


def _page_reason(lead: Record) -> str:
    return f" because {lead['page_reason']}" if lead["page_reason"] else ""


def _source(tree: Tree, history: Record) -> None:
    lead, source, poll = history["lead"], history["source"], history["poll"]
    lines = [f"{source['name']} ({source['kind']}) {source['url']}"] if source else []
    if poll:
        outcome = f"http {poll['http_status']}" if poll["http_status"] else poll["error"] or "no answer"
        lines.append(
            f"poll of {format_time(poll['started_at'])}: {outcome} in {poll['elapsed_ms']} ms, {poll['item_count']} found, "
            f"{poll['new_count']} new"
        )
    lines.append(
        f"lead {short_id(lead['id'])}, named {lead['identity']}, first seen {format_time(lead['first_seen_at'])}"
    )
    if lead["body"] is not None:
        text = f"({lead['body_type']}, {format_size(len(lead['body']))})"
        lines.append(
            f"brought the beginning of its text {text}"
            if lead["teaser"]
            else f"brought its own text {text}: not fetched"
        )
    _branch(tree, "listed by", lines)


def _captures(tree: Tree, captures: Sequence[Record]) -> None:
    for capture in captures:
        branch = tree.add(Text("captured", style="cyan"))
        branch.add(cell(capture["url"]))
        if capture["final_url"] != capture["url"]:
            branch.add(cell(f"answered from {capture['final_url']}"))
        branch.add(
            cell(
                f"{format_time(capture['fetched_at'])}  status {capture['status']}  {capture['media_type']}  "
                f"{format_size(capture['size'])} in {capture['elapsed_ms']} ms"
            )
        )
        branch.add(cell(f"sha256 {capture['sha256']}"))
        policy = _pairs(
            {name: value for name, value in capture["policy"].items() if name not in SIGNAL_FIELDS}
        )
        branch.add(cell(f"allowed by {policy}" if policy else "allowed by the usual rules"))
        signals = _pairs({name: capture["policy"].get(name) for name in SIGNAL_FIELDS})
        if signals:
            branch.add(cell(f"reservations of the publisher: {signals}"))
        headers = {name: capture["headers"][name] for name in HEADERS if name in capture["headers"]}
        for name, value in headers.items():
            branch.add(cell(f"{name}: {value}", "dim"))


def _trail_entry(entry: Record) -> str:
    changed = ", ".join(entry["changed"]) or "nothing"
    notes = _pairs(_without_measures(entry["notes"]))
    return f"{entry['step']} (version {entry['version']}) changed {changed}" + (f"; {notes}" if notes else "")


def _without_measures(notes: Record | None) -> Record | None:
    """Without the measurements of a duplicate, which are shown with its edge."""
    if not notes or "compared_with" not in notes:
        return notes
    return {name: value for name, value in notes.items() if name in {"ended", "of"}}


def _pairs(record: Mapping[str, Any] | None) -> str:
    return ", ".join(
        f"{name}={value}" for name, value in (record or {}).items() if value not in (None, "", {}, [])
    )


def _origins(document: Record) -> Iterable[str]:
    origins = document["origins"] or {}
    width = max((len(name) for name in origins), default=0)
    return (f"{name:{width}} from {origin}" for name, origin in sorted(origins.items()))


def _field_places(document: Record) -> Iterable[str]:
    """The fields that the recipe found in the text: where each stands in the captured bytes, and its passage."""
    entries = (document["attributes"] or {}).get(FIELD_PLACES) or ()
    width = max((len(entry["field"]) for entry in entries), default=0)
    for entry in entries:
        model = " (by the model)" if entry["by"] == "model" else ""
        passage = f": {entry['passage']}" if entry["passage"] else ""
        yield f"{entry['field']:{width}} at {entry['place']}{model}{passage}"


def _fact(fact: Record) -> str:
    return f"{fact['name']} = {fact['value']} set by {fact['step']} (version {fact['version']})"


def _edges(tree: Tree, edges: Sequence[Record], record: str, title: Callable[[str], str]) -> None:
    if not edges:
        return
    branch = tree.add(Text("linked with", style="cyan"))
    for edge in edges:
        measured = "earlier_coverage" in edge["evidence"]
        below = branch.add(cell(_edge(edge, record, title, _pairs(None if measured else edge["evidence"]))))
        if measured:
            below.add(_compared(edge, title))


def _edge(edge: Record, record: str, title: Callable[[str], str], evidence: str) -> str:
    outward = edge["from_id"] == record
    other = edge["to_id"] if outward else edge["from_id"]
    relation = f"is a {edge['relation']} of" if outward else f"has the {edge['relation']}"
    text = f"{relation} {short_id(other)} {title(other)} by {edge['rule']}, score {edge['score']:g}"
    return f"{text}; {evidence}" if evidence else text


def _compared(edge: Record, title: Callable[[str], str]) -> Table:
    """The measurements of two texts side by side. The earlier one may be another copy of the same original."""
    evidence, later = edge["evidence"], edge["from_id"]
    earlier = evidence.get("compared_with") or edge["to_id"]
    sides = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "earlier", "later"):
        sides.add_column(name, overflow="fold")
    for row in (
        ("document", short_id(earlier), short_id(later)),
        ("title", title(earlier), title(later)),
        ("words of the story", evidence["earlier_length"], evidence["later_length"]),
        ("also in the other", f"{evidence['earlier_coverage']:.0%}", f"{evidence['later_coverage']:.0%}"),
        *((words, old, new) for kind, words in REPLACED.items() for old, new in evidence[kind]),
        ("first difference", *evidence["passages"]),
    ):
        sides.add_row(*map(cell, row))
    for name, value in _besides(evidence):
        sides.add_row(cell(name), cell(value))
    return sides


def _besides(evidence: Record) -> Iterable[tuple[str, str]]:
    gap = evidence["gap"]
    yield (
        "time between",
        format_duration(msgspec.convert(gap, timedelta).total_seconds()) if gap else "unknown",
    )
    yield "publisher", "the same" if evidence["same_publisher"] else "another"
    yield "figures", f"{evidence['figures_kept']} kept, {evidence['figures_unknown']} new"
    if "novelty" in evidence:
        yield "facts", FACTS_FOUND.format(**evidence)
    labels = {"title_changed": "title changed", "correction": "announces a correction"}
    if notes := [words for name, words in labels.items() if evidence[name]]:
        yield "besides", ", ".join(notes)


def _also(lead: Record, sources: Mapping[str, str]) -> str:
    name = sources.get(lead["source_id"], lead["source_id"])
    return (
        f"{name} at {format_time(lead['first_seen_at'])}: {lead['url']} ({lead['reason'] or lead['state']})"
    )


def _membership(member: Record) -> str:
    return f"{short_id(member['id'])} {member['title']} ({member['size']} documents, {member['similarity']:.2f} alike)"


def _delivery(delivery: Record) -> str:
    sent = (
        f"revision {delivery['sent_revision']} at {format_time(delivery['sent_at'])}"
        if delivery["sent_at"]
        else ""
    )
    receipt = f", receipt {delivery['receipt']}" if delivery["receipt"] else ""
    return f"{delivery['route']}: {delivery['state']} {delivery['reason'] or ''} {sent}{receipt}"


def _revision(revision: Record) -> str:
    why = f" because {revision['reason']}" if revision["reason"] else ""
    why += f", page {revision['page']}" if revision["page"] not in {"", PageState.READ} else ""
    return f"{revision['revision']} of {format_time(revision['created_at'])}: {revision['state']}{why}: {revision['title']}"


def _quarantine(row: Record) -> str:
    return f"{row['task']}: {row['reason']} {row['detail']} (tried {row['attempts']} times) {_pairs(row['evidence'])}"
