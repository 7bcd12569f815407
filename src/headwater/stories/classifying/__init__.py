"""Topics of texts, for those who installed the extra `nlp`."""

from headwater.stories.classifying.head import packed, topic_head, unpacked

__all__ = ["packed", "topic_head", "unpacked"]
