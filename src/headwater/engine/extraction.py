"""The readings of a job's drafts: each is extracted once, in batches where the extractor reads batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headwater.engine.context import LeaseRenewer
from headwater.model.errors import Permanent
from headwater.model.jobs import Draft
from headwater.model.outcomes import Extract, ExtractHints, Reading, Unreadable
from headwater.model.recipe import BatchExtract

Readings = dict[str, Reading | Unreadable | Permanent]


@dataclass(frozen=True)
class DraftExtractor:
    """Extracts drafts, and remembers the readings: a batch that is decided again in halves is not extracted again."""

    extractors: Mapping[str, Extract]
    bodies: Mapping[str, bytes]
    lease_renewer: LeaseRenewer
    readings: Readings = field(default_factory=dict)

    def read_ahead(self, drafts: Sequence[Draft]) -> None:
        """Extracts in batches what can be. One draft that fails has its own error; the others have their readings."""
        batches: dict[str, list[Draft]] = {}
        for draft in drafts:
            if draft.id not in self.readings and self._has_bytes(draft):
                batches.setdefault(media_type_of(draft), []).append(draft)
        for media_type, batch in batches.items():
            extract = self.extractor_of(media_type)
            if not isinstance(extract, BatchExtract):
                continue
            results = extract.read_batch([self._input(draft) for draft in batch])
            for draft, result in zip(batch, results, strict=True):
                self.lease_renewer.renew_if_due()
                self.readings[draft.id] = result

    def extractor_for(self, draft: Draft) -> Extract | None:
        return self.extractor_of(media_type_of(draft))

    def extractor_of(self, media_type: str) -> Extract | None:
        return self.extractors.get(media_type) or self.extractors.get("*")

    def reading(self, draft: Draft, extract: Extract) -> Reading | Unreadable:
        """Raises the error of a draft that cannot be extracted."""
        self.lease_renewer.renew_if_due()
        result = self.readings.get(draft.id)
        if result is None:
            result = extract(*self._input(draft))
        if isinstance(result, Permanent):
            raise Permanent(result.reason, result.detail)
        return result

    def check_bytes(self, draft: Draft) -> None:
        if not self._has_bytes(draft):
            raise Permanent(
                "capture_damaged", "its bytes are missing from the archive or do not match their hash"
            )

    def _has_bytes(self, draft: Draft) -> bool:
        if draft.lead.lead.is_complete:
            return True
        return draft.capture is not None and draft.reads_page and draft.capture.sha256 in self.bodies

    def _input(self, draft: Draft) -> tuple[bytes, ExtractHints]:
        lead, capture = draft.lead.lead, draft.capture
        if lead.is_complete:
            data, url = (lead.body or "").encode("utf-8", "replace"), lead.url
        else:
            assert capture is not None
            data, url = self.bodies[capture.sha256], capture.final_url
        return data, ExtractHints(url=url, media_type=media_type_of(draft))


def media_type_of(draft: Draft) -> str:
    lead = draft.lead.lead
    if lead.is_complete or draft.capture is None:
        return lead.body_type
    return draft.capture.media_type
