"""Deduplication on texts of a different kind than those that the thresholds were chosen with.

    python -m benchmarks.dedupe_robust [--seed N] [--rounds N] [--errors N]

Reports and stories are generated from forms in nine languages: series that recur daily, weekly and monthly, copies that
were edited as in syndication, also late ones, and notices that repeat word for word on another occasion. The last line is one JSON object.
"""

import argparse
import collections
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.wire.edits import Edit, all_edits, gentle
from benchmarks.wire.forms import RECURRING, STORIES, Form
from benchmarks.wire.words import Filling
from headwater.documents.dedupe.articles import Article, Decision
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import DEFAULT

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
PUBLISHERS = (
    "Estuary Wire",
    "Morning Ledger",
    "The Lantern",
    "Valley Courier",
    "Diario del Puerto",
    "Quay Post",
)
REPORTS, TALES = 40, 24
COPIED = 0.35
LATE = 0.15


@dataclass(frozen=True, slots=True)
class Sample:
    """An article, the story that it reports, and its kind: `of` names the form or the edit."""

    article: Article
    group: str
    copy: bool
    of: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="newsrooms to generate, each with its own seed")
    parser.add_argument("--errors", type=int, default=0, help="number of errors to show in full")
    options = parser.parse_args()
    tally = Tally(options.errors)
    for number in range(options.rounds):
        samples = newsroom(random.Random(options.seed + number))
        deduplicator = Deduplicator(DEFAULT, MemoryIndex())
        tally.add(samples, [deduplicator.add(item.article) for item in samples])
    print(json.dumps(tally.report()))


def newsroom(chance: random.Random) -> list[Sample]:
    """Everything in the order in which it was published."""
    samples = [sample for name, form in RECURRING.items() for sample in series(name, form, chance)]
    samples += [sample for name, form in STORIES.items() for sample in tales(name, form, chance)]
    samples += list(occasions(chance))
    return sorted(samples, key=lambda item: (item.article.published_at, item.article.id))


def series(name: str, form: Form, chance: random.Random) -> Iterator[Sample]:
    """Consecutive reports of one or two publishers; other publishers copy some of them."""
    filling = Filling(chance, form.language)
    publishers = chance.sample(PUBLISHERS, chance.choice((1, 1, 2)))
    moment = START + timedelta(hours=chance.uniform(0, 24))
    for number in range(REPORTS):
        text = filling.fill(form)
        group = f"{name} {number}"
        original = sample(text, group, chance.choice(publishers), moment)
        yield Sample(original, group, copy=False, of=name)
        if chance.random() < COPIED:
            kind, edit = chance.choice(list(gentle(form.language).items()))
            yield copy_of(
                original, group, kind, edit, after=timedelta(hours=chance.uniform(0.1, 8)), chance=chance
            )
        moment += timedelta(hours=form.hours * chance.uniform(0.9, 1.1))


def tales(name: str, form: Form, chance: random.Random) -> Iterator[Sample]:
    """Stories of one form; each has copies, by one edit or by several, soon or late."""
    filling = Filling(chance, form.language)
    moment = START + timedelta(hours=chance.uniform(0, 24))
    edits = all_edits(form.language)
    for number in range(TALES):
        group = f"{name} {number}"
        original = sample(filling.fill(form), group, chance.choice(PUBLISHERS), moment)
        yield Sample(original, group, copy=False, of=name)
        for kind in chance.sample(sorted(edits), 4):
            further_edits = chance.sample(sorted(edits), chance.choice((0, 0, 1, 2)))
            late = chance.random() < LATE and not {kind, *further_edits} & {
                "corrected",
                "abridged",
                "mistyped",
            }
            after = (
                timedelta(days=chance.uniform(2.5, 20)) if late else timedelta(hours=chance.uniform(0.2, 30))
            )
            yield copy_of(
                original,
                group,
                label(kind, further_edits, late=late),
                chain(edits, [kind, *further_edits]),
                after=after,
                chance=chance,
            )
        moment += timedelta(hours=form.hours * chance.uniform(0.5, 1.5))


def occasions(chance: random.Random) -> Iterator[Sample]:
    """The same words weeks later: the notice of another occasion."""
    for name, text in NOTICES.items():
        moment, publisher = START + timedelta(hours=chance.uniform(0, 24)), chance.choice(PUBLISHERS)
        for number in range(12):
            group = f"{name} {number}"
            yield Sample(sample((name, text), group, publisher, moment), group, copy=False, of="same words")
            moment += timedelta(days=chance.uniform(6, 35))


NOTICES = {
    "Blood donors wanted": "The blood service will be in the parish hall from ten until four on the first Saturday of the month. Donors should eat beforehand and bring identification. First-time donors are welcome.",
    "Bank leaves rate alone": "The central bank left its main rate unchanged on Thursday, as economists had expected. It gave no reasons and will publish the minutes in two weeks.",
    "Corte de agua": "El servicio de aguas informa de un corte del suministro esta noche en el casco antiguo por trabajos de mantenimiento en la red.",
    "Flohmarkt": "Am Sonntag findet auf dem Rathausplatz wieder der Flohmarkt statt. Aufbau ist ab sieben Uhr, Standgeld wird vor Ort erhoben.",
}  # fmt: skip


def label(kind: str, further_edits: list[str], *, late: bool) -> str:
    if further_edits:
        return f"{1 + len(further_edits)} edits"
    return f"{kind}, late" if late else kind


def chain(edits: dict[str, Edit], kinds: list[str]) -> Edit:
    order = [kind for kind in edits if kind in kinds]
    # Additions around a text come last.
    order.sort(key=lambda kind: kind in {"dateline", "byline", "boilerplate", "markup"})

    def edit(text: tuple[str, str], chance: random.Random) -> tuple[str, str]:
        for kind in order:
            text = edits[kind](text, chance)
        return text

    return edit


def sample(text: tuple[str, str], group: str, publisher: str, moment: datetime, suffix: str = "") -> Article:
    key = f"{group}{suffix}".replace(" ", "-")
    return Article(
        id=key,
        title=text[0],
        body=text[1],
        publisher=publisher,
        url=f"https://{publisher.lower().replace(' ', '-')}.example/{key}",
        published_at=moment,
    )


def copy_of(
    original: Article, group: str, kind: str, edit: Edit, *, after: timedelta, chance: random.Random
) -> Sample:
    publisher = chance.choice([name for name in PUBLISHERS if name != original.publisher])
    moment = (original.published_at or START) + after
    text = edit((original.title, original.body), chance)
    suffix = f"-{kind.replace(',', '')}-{chance.randrange(10**6)}"
    return Sample(sample(text, group, publisher, moment, suffix), group, copy=True, of=kind)


class Tally:
    """Copies found and originals blocked, by what they are."""

    def __init__(self, errors: int) -> None:
        self.errors = errors
        self.copies: collections.Counter[str] = collections.Counter()
        self.missed: collections.Counter[str] = collections.Counter()
        self.originals: collections.Counter[str] = collections.Counter()
        self.blocked: collections.Counter[str] = collections.Counter()

    def add(self, samples: list[Sample], decisions: list[Decision]) -> None:
        group = {item.article.id: item for item in samples}
        for item, decision in zip(samples, decisions, strict=True):
            answer = decision.duplicate_of
            right = answer is not None and group[answer].group == item.group
            if item.copy:
                self.copies[item.of] += 1
                self.missed[item.of] += not right
            else:
                self.originals[item.of] += 1
                self.blocked[item.of] += answer is not None
            if right != item.copy:
                self._show(item, decision, group.get(answer or decision.evidence.get("compared_with", "")))

    def _show(self, item: Sample, decision: Decision, other: Sample | None) -> None:
        if self.errors <= 0:
            return
        self.errors -= 1
        print(
            f"\n{'MISSED' if item.copy else 'BLOCKED'} {item.article.id} ({decision.rule} {decision.score})"
        )
        print(f"  {item.article.published_at} {item.article.title}\n  {item.article.body!r}")
        if other:
            print(f"  {other.article.published_at} {other.article.title}\n  {other.article.body!r}")
        print(f"  {decision.evidence}")

    def report(self) -> dict[str, object]:
        self._table("Copies found", self.copies, self.missed)
        self._table("Originals let through", self.originals, self.blocked)
        return {
            "copies": self.copies.total(),
            "recall": round(1 - self.missed.total() / self.copies.total(), 6),
            "originals": self.originals.total(),
            "unique_blocked": round(self.blocked.total() / self.originals.total(), 6),
            "missed": dict(+self.missed),
            "blocked": dict(+self.blocked),
        }

    @staticmethod
    def _table(title: str, totals: collections.Counter[str], errors: collections.Counter[str]) -> None:
        print(f"\n{title}")
        for name, count in sorted(totals.items()):
            print(f"  {name:<24} {count - errors[name]:>6} of {count:>6}")


if __name__ == "__main__":
    main()
