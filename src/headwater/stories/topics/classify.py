"""Topics of items: from their vectors and words, or from their words alone."""

from collections.abc import Sequence

from headwater.stories.clustering.similarity import Matrix, StoryItem
from headwater.stories.topics.classifier import Topic, hashed_words, topic_features
from headwater.stories.topics.model_file import load_classifier, load_word_classifier


def classify_by_words(items: Sequence[StoryItem]) -> list[Topic]:
    """Learnt from English: a text in another language has few words that it knows, so it abstains there."""
    return load_word_classifier()(hashed_words([item.encoder_text for item in items])) if items else []


def classify_by_vectors(items: Sequence[StoryItem], vectors: Matrix, encoder: str) -> list[Topic]:
    """The items need their languages. Only vectors of the encoder that the classifier was trained for are accepted."""
    if not items:
        return []
    texts, languages = [item.encoder_text for item in items], [item.language for item in items]
    return load_classifier(encoder)(topic_features(texts, vectors, languages))
