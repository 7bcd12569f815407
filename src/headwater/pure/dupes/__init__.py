"""Near and exact duplicates: signatures, verification and the ladder that uses them."""

from headwater.pure.dupes.articles import Answer, Article, Decision, Verdict
from headwater.pure.dupes.compare import Repeated, compare
from headwater.pure.dupes.exact import Fingerprint, payload_hash
from headwater.pure.dupes.index import Entry, Index, MemoryIndex
from headwater.pure.dupes.ladder import Ladder, Profile
from headwater.pure.dupes.profiles import PROFILES
from headwater.pure.dupes.signature import SCHEME, Signature, signature
from headwater.pure.dupes.stream import dedupe_batch, dedupe_stream

__all__ = [
    "PROFILES",
    "SCHEME",
    "Answer",
    "Article",
    "Decision",
    "Entry",
    "Fingerprint",
    "Index",
    "Ladder",
    "MemoryIndex",
    "Profile",
    "Repeated",
    "Signature",
    "Verdict",
    "compare",
    "dedupe_batch",
    "dedupe_stream",
    "payload_hash",
    "signature",
]
