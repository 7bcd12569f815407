"""A line of a page as it grows: words, which of them are bold, and where links lead."""

import re
from dataclasses import dataclass, field

from headwater.extract.letters import one_line
from headwater_recipes.procedures.labels.recognise import recognise_plain

LONGEST_LABEL = 14
END_OF_LABEL = "\x1f"  # after a label whose value may be bold as well; never part of the text
_BULLET = re.compile(r"^\s*(?:[•·▪◦‣●○■□➢✓✔–—*]|-(?=\s)|o(?=\s{2}))\s*")
_COUNTED = re.compile(r"^\s*(?:[a-zA-Z]|\d{1,2}|[ivx]{1,4})\s?[.)º]-?\s+(?=\S)")
_LABELLED = re.compile(r"^[A-ZÁÉÍÓÚÀÈÒÜÇÑ¿][^:.;]{2,60}:\s")
_ENDED, _BEGINS = re.compile(r"[a-zà-ÿ)»][.;]$"), re.compile(r"[A-ZÁÉÍÓÚÀÈÒÜÇÑ¿«]")
_STREET = re.compile(
    r"[cC]\. (?:d\w{0,2}[ '’]\S|[A-ZÀ-Ý])[^.]{1,60}, ?\d"
)  # a street's abbreviation, not a third item
FEWEST_LABELLED = 2
_ENDS = re.compile(r"[.;,]$")


@dataclass(slots=True)
class Run:
    text: str
    bold: bool = False


@dataclass(slots=True)
class Writing:
    """Runs of text up to the next line break; `lines` are finished ones."""

    runs: list[Run] = field(default_factory=list)
    lines: list[list[Run]] = field(default_factory=list)

    def write(self, text: str, *, bold: bool) -> None:
        if text:
            self.runs.append(Run(text, bold))

    def end_line(self) -> None:
        if any(run.text.strip() for run in self.runs):
            self.lines.append(self.runs)
        self.runs = []

    def take(self) -> list[list[Run]]:
        """The lines, of which those that only go on with the one before are joined to it."""
        self.end_line()
        lines, self.lines = self.lines, []
        joined: list[list[Run]] = []
        labelled = [_LABELLED.match(flat(line)) is not None for line in lines]
        listed = sum(labelled) >= FEWEST_LABELLED
        for line, has_label in zip(lines, labelled, strict=True):
            ended = bool(joined) and _ENDED.search(flat(joined[-1])) and _BEGINS.match(flat(line))
            if joined and not ended and not begins_anew(line) and not (listed and has_label):
                joined[-1] = [*joined[-1], Run(" "), *line]
            else:
                joined.append(line)
        return joined


def begins_anew(line: list[Run]) -> bool:
    first = next((run for run in line if run.text.strip()), None)
    text = flat(line)
    return (
        first is None
        or first.bold
        or bullet_of(text) is not None
        or (text.endswith(":") and recognise_plain(text) is not None)
    )


def flat(line: list[Run]) -> str:
    return one_line("".join(run.text for run in line))


def bullet_of(text: str) -> str | None:
    """What follows the bullet that somebody typed; None where there is none."""
    found = _BULLET.match(text)
    if _STREET.match(text):
        return None
    if found is None and (found := _COUNTED.match(text)) and recognise_plain(text) is not None:
        return None  # a numbered heading
    return text[found.end() :] if found and found.end() < len(text) else None


def is_heading(line: list[Run]) -> bool:
    """Bold from beginning to end, and short: a heading that nobody marked as one."""
    words = [run for run in line if run.text.strip(" :.\u00a0\n\t\x1f")]
    ends = [place for place, run in enumerate(line) if END_OF_LABEL in run.text]
    if ends and any(run.text.strip() for run in line[ends[0] :]):
        return False
    text = flat(line)
    return (
        bool(words)
        and all(run.bold for run in words)
        and len(text.split()) <= LONGEST_LABEL
        and not _ENDS.search(text)
        and "](" not in text
    )


def marked(line: list[Run]) -> str:
    """Its words; a bold beginning that is not the whole keeps its marks."""
    lead: list[str] = []
    rest: list[str] = []
    closed = False
    for run in line:
        goes_on = (run.bold or not run.text.strip()) and not rest and not closed
        (lead if goes_on else rest).append(run.text)
        closed = closed or END_OF_LABEL in run.text
    head, tail = one_line("".join(lead)), one_line("".join(rest))
    if head and tail and len(head.split()) <= LONGEST_LABEL and "](" not in head:
        return f"**{head}** {tail}"
    return flat(line)
