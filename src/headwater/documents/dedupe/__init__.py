"""Near and exact duplicates: signatures, verification and the ladder that uses them."""

from headwater.documents.dedupe.articles import (
    Article,
    Decision,
    PairVerdict,
    Relation,
    TraceFingerprint,
    payload_hash,
)
from headwater.documents.dedupe.comparison import RepeatedSentences, compare
from headwater.documents.dedupe.deduplicator import DedupeProfile, Deduplicator
from headwater.documents.dedupe.index import DedupeIndex, IndexEntry, MemoryIndex
from headwater.documents.dedupe.minhash import SCHEME, Signature, signature
from headwater.documents.dedupe.rules import PROFILES, dedupe_batch, dedupe_stream

__all__ = [
    "PROFILES",
    "SCHEME",
    "Article",
    "Decision",
    "DedupeIndex",
    "DedupeProfile",
    "Deduplicator",
    "IndexEntry",
    "MemoryIndex",
    "PairVerdict",
    "Relation",
    "RepeatedSentences",
    "Signature",
    "TraceFingerprint",
    "compare",
    "dedupe_batch",
    "dedupe_stream",
    "payload_hash",
    "signature",
]
