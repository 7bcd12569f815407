"""Sentence embeddings on the processor, for those who installed the extra `nlp`."""

from headwater.documents.embedding.encoder import Encoder, open_encoder
from headwater.documents.embedding.models import nlp_installed

__all__ = ["Encoder", "nlp_installed", "open_encoder"]
