"""The quality gate: what was parsed badly is set aside with its score, and can be sent again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.model.document import Document
from headwater.model.outcome import SetAside
from headwater.model.recipe import Context, Outcome
from headwater.pure.enrichment import PAYLOAD
from headwater.pure.quality import Score, score_parse_quality
from headwater.pure.quality.scoring import VERSION


@dataclass(frozen=True)
class ScoreQuality:
    """Sets `quality` and keeps the parts. Documents with one of these labels are set aside as `low_quality`."""

    set_aside: tuple[str, ...] = ("low",)
    name: str = "quality"
    version: str = VERSION

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        return [self._judge(document) for document in batch]

    def _judge(self, document: Document) -> Outcome:
        score = score_document(document)
        record = {
            "score": score.value,
            "label": score.label,
            "components": dict(score.components),
            "reasons": list(score.reasons),
        }
        if score.label in self.set_aside:
            return SetAside("low_quality", record)
        return replace(document, quality=score.value).noting(**record)


def score_document(document: Document) -> Score:
    return score_parse_quality(
        document.text,
        title=bool(document.title),
        author=bool(document.authors),
        publisher=bool(document.publisher),
        date=document.published is not None,
        body_found=document.origins.get("text", "") != PAYLOAD,
    )
