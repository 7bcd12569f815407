"""Topics of texts, for those who installed the extra `nlp`."""

from headwater.stories.topics.model_file import load_classifier, pack_classifier, unpack_classifier

__all__ = ["load_classifier", "pack_classifier", "unpack_classifier"]
