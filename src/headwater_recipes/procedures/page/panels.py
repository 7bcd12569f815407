"""Tabs and accordions: the title of each panel."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from headwater.text.letters import to_one_line

LONGEST = 160
TRIGGERS = "[aria-controls],[data-target],[data-bs-target],[data-tab],[data-toggle],a[href^='#'],label[for],[role=tab]"
POINTING = ("aria-controls", "data-target", "data-bs-target", "data-tab", "href", "for")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
PANELS = "[role=tabpanel],.tab-pane,.tab-panel,.tabpanel,.tabs-panel,.tab__panel,.tabs__panel,.tab-content > div,.panel-tab"
TABS = "[role=tab],.tabs > li,.tab-list > li,.tabs-nav > li,.nav-tabs > li,.tabs__tab,.tab-link,.tab-label"


@dataclass(frozen=True, slots=True)
class Panels:
    """`names`: by the node of the panel. `triggers`: nodes that only open a panel. `levels`: of triggers in headings."""

    names: dict[int, str] = field(default_factory=dict)
    triggers: frozenset[int] = frozenset()


def find_panels(tree: LexborHTMLParser) -> Panels:
    names: dict[int, str] = {}
    triggers: set[int] = set()
    by_id = {identity: node for node in tree.css("[id]") if (identity := node.attributes.get("id"))}
    for trigger in tree.css(TRIGGERS):
        text = to_one_line(trigger.text(deep=True))
        if not 0 < len(text) <= LONGEST:
            continue
        for target in _targets(trigger):
            panel = by_id.get(target)
            if panel is not None and _is_panel(panel):
                names.setdefault(panel.mem_id, text)
                triggers.add(trigger.mem_id)
    for panel in tree.css("[aria-labelledby]"):
        label_node = by_id.get(panel.attributes.get("aria-labelledby") or "")
        if (
            label_node is not None
            and _is_panel(panel)
            and (text := to_one_line(label_node.text(deep=True)))
            and len(text) <= LONGEST
        ):
            names.setdefault(panel.mem_id, text)
            triggers.add(label_node.mem_id)
    if not names:
        _pair_by_order(tree, names, triggers)
    if not names:
        _pair_siblings(tree, names, triggers)
    return Panels(names, frozenset(triggers))


def _targets(trigger: LexborNode) -> Iterator[str]:
    for name in POINTING:
        value = trigger.attributes.get(name)
        if value and len(value) < LONGEST:
            yield value.removeprefix("#")


def _is_panel(node: LexborNode) -> bool:
    """Whether the element contains text and does not begin with its own heading."""
    return node.tag in {
        "div",
        "section",
        "article",
        "li",
        "dd",
        "ul",
        "ol",
        "td",
        "fieldset",
        "table",
        "p",
    } and not (begins_with_heading(node))


def begins_with_heading(node: LexborNode) -> bool:
    """Whether the first text inside is a heading."""
    for child in node.traverse(include_text=True):
        if child.tag in HEADINGS or child.tag in {"summary", "legend", "dt"}:
            return True
        if child.tag == "-text" and (child.text(deep=False) or "").strip():
            return False
    return False


def _pair_by_order(tree: LexborHTMLParser, names: dict[int, str], triggers: set[int]) -> None:
    """Pair tabs and panels that are related only by number and order."""
    tabs = [node for node in tree.css(TABS) if 0 < len(to_one_line(node.text(deep=True))) <= LONGEST]
    panels = [node for node in tree.css(PANELS) if node.text(deep=True).strip()]
    if len(tabs) < 2 or len(tabs) != len(panels):
        return
    for tab, panel in zip(tabs, panels, strict=True):
        if not begins_with_heading(panel):
            names[panel.mem_id] = to_one_line(tab.text(deep=True))
        triggers.add(tab.mem_id)


def _pair_siblings(tree: LexborHTMLParser, names: dict[int, str], triggers: set[int]) -> None:
    """Pair names and panels that are children of one element: first all names, then as many panels."""
    for around in _tab_containers(tree):
        children = [child for child in around.iter() if child.tag not in {"input", "script", "style"}]
        labels = [child for child in children if child.tag in {"label", "button", "a"}]
        if not labels and children and children[0].tag in {"ul", "ol", "nav", "div"}:
            labels = list(children[0].css("li,button,a,label"))
            labels = [
                one
                for one in labels
                if not any(other.mem_id != one.mem_id and _contains(one, other) for other in labels)
            ]
            children = children[1:]
        panels = [child for child in children if child.tag in {"div", "section", "article"}]
        if len(panels) == 1:
            panels = [child for child in panels[0].iter() if child.tag in {"div", "section", "article"}]
        texts = [to_one_line(label.text(deep=True)) for label in labels]
        if (
            len(labels) < 2
            or len(labels) != len(panels)
            or not all(0 < len(text) <= LONGEST for text in texts)
        ):
            continue
        for label, panel, text in zip(labels, panels, texts, strict=True):
            if not begins_with_heading(panel):
                names[panel.mem_id] = text
            triggers.add(label.mem_id)


def _tab_containers(tree: LexborHTMLParser) -> list[LexborNode]:
    parents = [node.parent for node in tree.css("input[type=radio]")[:50]]
    containers = [
        *(node for node in parents if node is not None),
        *tree.css("[class*=tab],[class*=pesta],[class*=solapa]")[:50],
    ]
    return list({node.mem_id: node for node in containers}.values())


def _contains(outer: LexborNode, inner: LexborNode) -> bool:
    parent = inner.parent
    while parent is not None:
        if parent.mem_id == outer.mem_id:
            return True
        parent = parent.parent
    return False
