"""Topics of documents from their stored vectors."""

from collections.abc import Callable, Sequence

from headwater.model.document import Document
from headwater.stories.clustering.groupings import to_story_item
from headwater.stories.document_vectors import DocumentEncoder
from headwater.stories.item_vectors import with_languages
from headwater.stories.topics.classifier import TopicClassifier, topic_features
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater.stories.topics.model_file import load_classifier
from headwater_recipes.geopolitics.steps import Classify


def topic_classifier(
    encoder: DocumentEncoder, load: Callable[[str], TopicClassifier] = load_classifier
) -> Classify:
    """A classifier that takes topics from the stored vectors. The model itself reports unknown topics."""

    def classify(documents: Sequence[Document]) -> Sequence[tuple[str, float] | None]:
        items = with_languages([to_story_item(document) for document in documents])
        texts, languages = [item.encoder_text for item in items], [item.language for item in items]
        topics = load(encoder.model_name)(topic_features(texts, encoder.vectors(documents), languages))
        return [None if topic.code == UNKNOWN_TOPIC else (topic.code, topic.confidence) for topic in topics]

    return classify
