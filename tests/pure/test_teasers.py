"""A sentence that a publisher puts below every teaser does not make unrelated reports one story."""

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from headwater.model.document import Document
from headwater.model.page import PageState
from headwater.stories.clustering.groupings import cluster_by_meaning
from headwater.text.words import split_words

COMMON = "Read the full story on our website, and subscribe to our newsletter for more news from your region every morning."
REPORTS = {
    "Salmon return to the Elver": "Anglers counted forty fish below the weir at Tarn.",
    "Chess club wins the cup": "Mira Oldane took the last game in the final round.",
    "Violins made of bog oak": "A workshop in Calder sells its instruments abroad.",
    "Tram line opens early": "Passengers reach the harbour in nine minutes.",
    "Bakers raise prices": "Flour costs a third more than last autumn.",
    "Library lends telescopes": "Readers may keep one for a whole week.",
    "Orchard frost damages plums": "Growers near Arden expect half a harvest.",
    "Museum finds lost map": "It shows the old harbour of Dunmore.",
}


def teaser(title: str, text: str) -> Document:
    return Document(
        id=title, recipe="news", source="source", lead=title, url="https://wire.example/", title=title, text=text,
        language="en", page=PageState.FORBIDDEN,
    )  # fmt: skip


def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """The words of each text, as alike as an encoder finds short texts with a long common sentence."""
    vectors = np.zeros((len(texts), 256), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in split_words(text.casefold()):
            vectors[row, zlib.crc32(word.encode()) % 256] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("has_own_sentence", [True, False])
def test_a_sentence_below_every_teaser_joins_no_reports(has_own_sentence: bool):
    documents = [
        teaser(title, f"{text} {COMMON}" if has_own_sentence else COMMON) for title, text in REPORTS.items()
    ]
    clusters = cluster_by_meaning(encode)(documents)
    assert [len(cluster.members) for cluster in clusters] == [1] * len(REPORTS)
