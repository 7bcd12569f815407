"""HTML forms as data: their fields, labels, options, and which fields are required."""

import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line

MOST_FORMS, MOST_FIELDS, MOST_OPTIONS = 50, 500, 500
_NOT_ASKED = frozenset({"hidden", "submit", "button", "reset", "image"})
_REQUIRED_WORD = re.compile(
    r"obligatori|requerid|mandatory|\brequired\b|obligatoire|pflichtfeld", re.IGNORECASE
)
_REQUIRED_CLASS = re.compile(
    r"(?:^|[\s_-])(?:required|obligatorio|campo-obligatorio|mandatory)(?:$|[\s_-])", re.IGNORECASE
)
_STAR = re.compile(r"\*\s*+(?::\s*+)?$|^\s*+\*")


def read_forms(markup: str) -> list[dict[str, Any]]:
    """Every form with fields to fill in: action, method, legend, and its fields in order."""
    tree = LexborHTMLParser(markup)
    labels = _labels(tree)
    forms = [_form(form, labels) for form in tree.css("form")[:MOST_FORMS]]
    return [form for form in forms if form["fields"]]


def _labels(tree: LexborHTMLParser) -> dict[str, tuple[str, str]]:
    """Field id to the label's text and class."""
    labels: dict[str, tuple[str, str]] = {}
    for label in tree.css("label[for]"):
        labels.setdefault(_attribute(label, "for"), (_text(label), _attribute(label, "class")))
    return labels


def _form(form: LexborNode, labels: dict[str, tuple[str, str]]) -> dict[str, Any]:
    legend = form.css_first("legend")
    controls = form.css("input, select, textarea")[:MOST_FIELDS]
    return {
        "action": _attribute(form, "action"),
        "method": (_attribute(form, "method") or "get").lower(),
        "id": _attribute(form, "id"),
        "legend": _text(legend) if legend is not None else "",
        "fields": list(_fields(controls, labels)),
    }


def _fields(controls: list[LexborNode], labels: dict[str, tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Radio buttons of one name are one field with several options."""
    radios: dict[str, dict[str, Any]] = {}
    for control in controls:
        kind = (_attribute(control, "type") or "text").lower() if control.tag == "input" else str(control.tag)
        if kind in _NOT_ASKED:
            continue
        field = _field(control, kind, labels)
        if kind == "radio" and field["name"]:
            option = {"value": _attribute(control, "value"), "label": field["label"]}
            if field["name"] in radios:
                first = radios[field["name"]]
                first["options"].append(option)
                first["required"] = first["required"] or field["required"]
                continue
            legend = _legend(control)
            radios[field["name"]] = field = {**field, "label": legend or field["label"], "options": [option]}
        yield field


def _field(control: LexborNode, kind: str, labels: dict[str, tuple[str, str]]) -> dict[str, Any]:
    label, classes = _label(control, labels)
    field: dict[str, Any] = {
        "type": kind,
        "name": _attribute(control, "name"),
        "id": _attribute(control, "id"),
        "label": label.strip(" *:"),
        "placeholder": to_one_line(_attribute(control, "placeholder")),
        "required": _is_required(control, label, classes),
    }
    if kind == "select":
        options = control.css("option")[:MOST_OPTIONS]
        field["options"] = [{"value": _attribute(o, "value") or _text(o), "label": _text(o)} for o in options]
    return field


def _label(control: LexborNode, labels: dict[str, tuple[str, str]]) -> tuple[str, str]:
    identity = _attribute(control, "id")
    if identity and identity in labels:
        return labels[identity]
    ancestor = _ancestor(control, "label")
    if ancestor is not None and (text := _own_text(ancestor)):
        return text, _attribute(ancestor, "class")
    return to_one_line(_attribute(control, "aria-label") or _attribute(control, "title")), ""


def _own_text(label: LexborNode) -> str:
    """The text of a label that contains its field, without the options of the field."""
    parts = [
        node.text(deep=True)
        for node in label.iter(include_text=True)
        if node.tag not in {"select", "textarea"}
    ]
    return to_one_line(" ".join(parts))


def _legend(control: LexborNode) -> str:
    ancestor = _ancestor(control, "fieldset")
    legend = ancestor.css_first("legend") if ancestor is not None else None
    return _text(legend).strip(" *:") if legend is not None else ""


def _ancestor(node: LexborNode, tag: str) -> LexborNode | None:
    parent = node.parent
    for _ in range(4):
        if parent is None or parent.tag == "form":
            return None
        if parent.tag == tag:
            return parent
        parent = parent.parent
    return None


def _is_required(control: LexborNode, label: str, label_class: str) -> bool:
    attributes = control.attributes
    if "required" in attributes or _attribute(control, "aria-required").lower() == "true":
        return True
    if _STAR.search(label) or _REQUIRED_WORD.search(label):
        return True
    parent = control.parent
    classes = [
        _attribute(control, "class"),
        label_class,
        _attribute(parent, "class") if parent is not None else "",
    ]
    return any(_REQUIRED_CLASS.search(name) for name in classes)


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def _text(node: LexborNode) -> str:
    return to_one_line(node.text(deep=True))
