"""Topics of documents: from their stored vectors, or from their words."""

from collections.abc import Sequence

from headwater.model.document import Document
from headwater.stories.clustering.groupings import to_story_item
from headwater.stories.document_vectors import DocumentEncoder
from headwater.stories.item_vectors import with_languages
from headwater.stories.topics.classifier import Topic
from headwater.stories.topics.classify import classify_by_vectors, classify_by_words
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater_recipes.geopolitics.steps import Classify


def topic_classifier(encoder: DocumentEncoder | None) -> Classify:
    """A classifier by the stored vectors, or by words if there is no encoder. The model itself reports unknown topics."""

    def classify(documents: Sequence[Document]) -> Sequence[tuple[str, float] | None]:
        items = [to_story_item(document) for document in documents]
        if encoder is None:
            return _guesses(classify_by_words(items))
        vectors = encoder.vectors(documents)
        return _guesses(classify_by_vectors(with_languages(items), vectors, encoder.model_name))

    return classify


def _guesses(topics: Sequence[Topic]) -> list[tuple[str, float] | None]:
    return [None if topic.code == UNKNOWN_TOPIC else (topic.code, topic.confidence) for topic in topics]
