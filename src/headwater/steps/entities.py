"""Names of people, places and organisations, by whatever model is plugged in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from headwater.model.document import Document
from headwater.model.recipe import Context, Outcome
from headwater.pure.entities import Entity, counted

LONGEST = 20_000
Recognise = Callable[[Sequence[str]], Sequence[Sequence[Entity]]]
"""The names in each text, in order."""


@dataclass(frozen=True)
class TagEntities:
    """Sets `attributes.entities`: by kind the twenty names found most often, with `meta` about who found them."""

    recognise: Recognise = field(compare=False)
    model: str
    name: str = "entities"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: Context) -> Sequence[Outcome]:
        del context
        texts = [f"{document.title}\n{document.text}"[:LONGEST] for document in batch]
        found = self.recognise(texts)
        return [
            self._tag(document, len(text), names)
            for document, text, names in zip(batch, texts, found, strict=True)
        ]

    def _tag(self, document: Document, size: int, names: Sequence[Entity]) -> Document:
        sure = sum(one.score for one in names) / len(names) if names else 0.0
        meta = {"model": self.model, "chars": size, "score": round(sure, 4)}
        attributes = {**document.attributes, "entities": {**counted(names), "meta": meta}}
        origins = {**document.origins, "entities": f"model {self.model}"}
        return document.but(attributes=attributes, origins=origins).noting(names=len(names), model=self.model)
