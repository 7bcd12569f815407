"""Deduplication on a real agency stream with pairs that people labelled.

    python -m benchmarks.newswire --data DIR [--from DAY] [--until DAY] [--decisions FILE] [--unlabelled FILE] [--errors FILE]

DIR/newswire holds `stream.jsonl.xz` (articles in time order), `labels.tsv` (pairs: dup, update, distinct, unsure, with a reason)
and `sampling.tsv`. The stream runs through the rules of `headwater dedupe`; `--from` and `--until` choose the days whose articles are counted, so
that constants are chosen on one part and confirmed on another. The last line is one JSON object.
"""

import argparse
import csv
import json
import lzma
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.dedupe import article
from headwater.documents.dedupe.articles import Decision
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import DEFAULT

RECURRING = "identical_recurring"
"""The same words about another event: counted neither for nor against, because the words cannot decide."""

Pair = tuple[str, str]
Row = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--from", dest="first_day", default="", help="count articles from this day on")
    parser.add_argument("--until", dest="last_day", default="", help="count articles before this day")
    parser.add_argument("--decisions", type=Path, help="write one decision per line")
    parser.add_argument("--unlabelled", type=Path, help="write the blocked pairs that have no label")
    parser.add_argument(
        "--errors", type=Path, help="write the labelled pairs that were decided wrongly, with texts"
    )
    options = parser.parse_args()
    stream, labels = read(options.data / "newswire")
    start = time.process_time()
    deduplicator = Deduplicator(DEFAULT, MemoryIndex())
    decisions = [
        deduplicator.add(article(row))
        for row in stream
        if not options.last_day or row["published_at"] < options.last_day
    ]
    seconds = time.process_time() - start
    days = {row["id"]: row["published_at"] for row in stream}
    chosen = {decision.id for decision in decisions if days[decision.id] >= options.first_day}
    score = Score(decisions, labels, chosen)
    if options.decisions:
        options.decisions.write_text("".join(line(decision) for decision in decisions), encoding="utf-8")
    if options.unlabelled:
        pairs = score.blocked_by_verdict()["unlabelled"]
        options.unlabelled.write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    if options.errors:
        options.errors.write_text(
            "\n".join(shown(score, {row["id"]: row for row in stream})), encoding="utf-8"
        )
    print(json.dumps(score.report() | {"ms_per_article": round(1000 * seconds / len(decisions), 3)}))


def read(folder: Path) -> tuple[list[Row], list[Row]]:
    with lzma.open(folder / "stream.jsonl.xz", "rt", encoding="utf-8") as lines:
        stream = [json.loads(one) for one in lines]
    with (folder / "labels.tsv").open(encoding="utf-8", newline="") as rows:
        return stream, list(csv.DictReader(rows, delimiter="\t"))


def line(decision: Decision) -> str:
    record = {
        "id": decision.id,
        "duplicate_of": decision.duplicate_of,
        "related_to": decision.related_to,
        "rule": decision.rule,
    }
    return json.dumps(record) + "\n"


@dataclass
class Score:
    """The rules of the labelled data: a pair's own label wins; else labels spread through groups of duplicates."""

    decisions: Iterable[Decision]
    labels: Iterable[Row]
    chosen: set[str]
    """Ids of the articles that are counted."""
    label: dict[Pair, Row] = field(init=False)
    groups: "Groups" = field(init=False)

    def __post_init__(self) -> None:
        self.by_id = {decision.id: decision for decision in self.decisions}
        self.blocked = {one.id: one.duplicate_of for one in self.by_id.values() if one.duplicate_of}
        everything = {
            (row["id_a"], row["id_b"]): row
            for row in self.labels
            if {row["id_a"], row["id_b"]} <= self.by_id.keys()
        }
        self.groups = Groups(pair for pair, row in everything.items() if is_duplicate(row))
        self.all_labels = everything
        self.label = {pair: row for pair, row in everything.items() if pair[1] in self.chosen}

    def is_blocked_by(self, document: str, partner: str) -> bool:
        """Whether the document was blocked by the partner or a duplicate of the partner; a target whose own label with the
        document differs does not count, except for duplicates."""
        pair_label = self.all_labels[partner, document]["label"]
        target = document
        while target in self.blocked:
            target = self.blocked[target]
            own = self.all_labels.get((target, document))
            if target == partner or (pair_label == "dup" and own and own["reason"] == RECURRING):
                return True
            if target in self.groups.of(partner) and (
                pair_label == "dup" or not own or own["label"] == pair_label
            ):
                return True
        return False

    def partners(self, label: str) -> Mapping[str, list[str]]:
        partners = defaultdict(list)
        for (earlier, later), row in self.label.items():
            if row["label"] == label and row["reason"] != RECURRING:
                partners[later].append(earlier)
        return partners

    def treatment(self, pair: Pair) -> str:
        """What happened to an update."""
        earlier, later = pair
        if self.is_blocked_by(later, earlier):
            return "blocked"
        if later in self.blocked:
            return "blocked by another"
        return "linked" if self.groups.of(earlier) & set(self.by_id[later].related_to) else "not linked"

    def blocked_by_verdict(self) -> Mapping[str, list[Pair]]:
        """Every blocked article with its target, by what the labels say about that."""
        duplicates = {pair[1] for pair, row in self.all_labels.items() if is_duplicate(row)}
        pairs = defaultdict(list)
        for document, target in self.blocked.items():
            if document in self.chosen:
                verdict = self._verdict(document, target, is_known=document in duplicates)
                pairs[verdict].append((target, document))
        return pairs

    def _verdict(self, document: str, target: str, *, is_known: bool) -> str:
        own = self.all_labels.get((target, document))
        if own:
            verdict = RECURRING if own["reason"] == RECURRING else own["label"]
        elif is_known and target in self.groups.of(document):
            verdict = "dup"
        else:
            spread = {
                self.all_labels[one, document]["label"]
                for one in self.groups.of(target)
                if (one, document) in self.all_labels
            }
            verdict = next(
                (label for label in ("distinct", "update", "unsure") if label in spread), "unlabelled"
            )
        return "dup, other partner" if is_known and verdict not in {"dup", RECURRING} else verdict

    def report(self) -> dict[str, object]:
        duplicates = self.partners("dup")
        reasons = {pair: row["reason"] for pair, row in self.label.items() if is_duplicate(row)}
        identical = {later for (_, later), reason in reasons.items() if reason == "identical"}
        hits = {
            later
            for later, earlier in duplicates.items()
            if any(self.is_blocked_by(later, one) for one in earlier)
        }
        near = duplicates.keys() - identical
        by_reason: dict[str, list[bool]] = defaultdict(list)
        for (earlier, later), reason in reasons.items():
            by_reason[reason].append(self.is_blocked_by(later, earlier))
        updates = Counter(
            self.treatment(pair) for pair, row in self.label.items() if row["label"] == "update"
        )
        # An update of one dispatch may repeat another one: nobody can both block and keep it.
        repeated = sum(row["label"] == "update" and pair[1] in duplicates for pair, row in self.label.items())
        verdicts = {name: len(pairs) for name, pairs in self.blocked_by_verdict().items()}
        unique = len(self.chosen) - len(duplicates)
        return {
            "articles": len(self.chosen),
            "blocked": sum(verdicts.values()),
            "recall_not_identical": rate(len(hits & near), len(near)),
            **{
                f"recall_{name}": rate(sum(values), len(values)) for name, values in sorted(by_reason.items())
            },
            "updates": dict(updates),
            "updates_kept": rate(updates["linked"] + updates["not linked"], updates.total()),
            "updates_linked": rate(updates["linked"], updates.total()),
            "updates_that_repeat_another": repeated,
            "recurring_blocked": rate(
                sum(
                    pair[1] in self.blocked for pair, row in self.label.items() if row["reason"] == RECURRING
                ),
                sum(row["reason"] == RECURRING for row in self.label.values()),
            ),
            "blocked_by_label": verdicts,
            "unique": unique,
            "false_blocks_percent": round(100 * verdicts.get("distinct", 0) / unique, 4),
            "false_blocks_percent_with_unlabelled": round(
                100 * (verdicts.get("distinct", 0) + verdicts.get("unlabelled", 0)) / unique, 4
            ),
        }


def is_duplicate(row: Row) -> bool:
    return row["label"] == "dup" and row["reason"] != RECURRING


def rate(hits: int, total: int) -> list[float]:
    """Percent, hits and total."""
    return [round(100 * hits / total, 2) if total else 0.0, hits, total]


class Groups:
    """Sets of articles that duplicate one another."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.members: dict[str, set[str]] = {}
        for first, second in pairs:
            joined = self.of(first) | self.of(second)
            for one in joined:
                self.members[one] = joined

    def of(self, document: str) -> set[str]:
        return self.members.get(document, {document})


def shown(score: Score, texts: Mapping[str, Row]) -> Iterable[str]:
    """The pairs that were decided wrongly, with both texts."""
    for (earlier, later), row in score.label.items():
        if row["reason"] == RECURRING or row["label"] == "unsure":
            continue
        if row["label"] == "update":
            outcome = score.treatment((earlier, later))
            wrong = outcome != "linked"
        else:
            blocked = score.is_blocked_by(later, earlier)
            outcome, wrong = "blocked" if blocked else "kept", blocked != (row["label"] == "dup")
        if wrong:
            decision = score.by_id[later]
            yield f"\n======== {row['label']} {row['reason']} {earlier} {later} similarity {row['similarity']} after {row['gap_hours']} h: {outcome}"
            yield f"decision: {decision.rule} {decision.duplicate_of} related {decision.related_to} {dict(decision.evidence)}"
            yield from (
                f"-- {one['published_at']} {one['title']}\n{one['body']}"
                for one in (texts[earlier], texts[later])
            )


if __name__ == "__main__":
    main()
