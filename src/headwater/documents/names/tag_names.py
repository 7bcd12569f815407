"""The names step: persons, organisations and countries without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.documents.mentions.entities import META, count_entities
from headwater.documents.names.recognise import recognise_names
from headwater.model.document import Document
from headwater.model.recipe import Outcome, StepContext

METHOD = "words and capitals"


@dataclass(frozen=True)
class TagNames:
    """Sets `attributes.entities`: by kind the twenty most frequent names. Documents of one batch are read together."""

    name: str = "names"
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        del context
        texts = [f"{document.title}\n{document.text}" for document in batch]
        names = recognise_names(texts, [document.language for document in batch])
        return [
            document.with_changes(
                attributes={
                    **document.attributes,
                    "entities": {**count_entities(entities), META: {"method": METHOD}},
                },
                origins={**document.origins, "entities": METHOD},
            ).with_notes(names=len(entities))
            for document, entities in zip(batch, names, strict=True)
        ]
