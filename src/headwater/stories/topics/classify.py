"""Topics of items: from their vectors and words, or from their words alone."""

from collections.abc import Sequence
from dataclasses import replace

from headwater.stories.clustering.similarity import Matrix, StoryItem
from headwater.stories.topics.classifier import Topic, hashed_words, topic_features
from headwater.stories.topics.media_topics import UNKNOWN_TOPIC
from headwater.stories.topics.model_file import load_classifier, load_word_classifier


def classify_by_words(items: Sequence[StoryItem]) -> list[Topic]:
    """Learnt from English: a text in another language has few words that it knows, so it abstains there."""
    if not items:
        return []
    return _abstaining(items, load_word_classifier()(hashed_words([item.encoder_text for item in items])))


def classify_by_vectors(items: Sequence[StoryItem], vectors: Matrix, encoder: str) -> list[Topic]:
    """The items need their languages. Only vectors of the encoder that the classifier was trained for are accepted."""
    if not items:
        return []
    texts, languages = [item.encoder_text for item in items], [item.language for item in items]
    return _abstaining(items, load_classifier(encoder)(topic_features(texts, vectors, languages)))


def _abstaining(items: Sequence[StoryItem], topics: Sequence[Topic]) -> list[Topic]:
    """A text without a word, of pictures or signs alone, has no topic, whatever its vector resembles."""
    return [
        topic if item.has_words else replace(topic, code=UNKNOWN_TOPIC)
        for item, topic in zip(items, topics, strict=True)
    ]
