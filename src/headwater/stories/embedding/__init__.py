"""Sentence embeddings on the processor, for those who installed the extra `nlp`."""

from headwater.stories.embedding.encoder import Encoder, open_encoder
from headwater.stories.embedding.extra import installed

__all__ = ["Encoder", "installed", "open_encoder"]
