"""Questions about a document that a language model answers."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True)
class ExtractionQuestion:
    """`version` changes with the prompt and with the type: every stored answer names the version it answers. `subject` ends the
    sentence "You read one document and tell, in JSON, …". `fields` of a queue item are shown to the model."""

    version: str
    subject: str
    answer: type[msgspec.Struct]
    fields: tuple[str, ...] = ("document_id", "normalized_text")
