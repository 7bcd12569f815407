"""Whether a text contains the body of an article: connected prose, not words that merely stand side by side."""

import re

from headwater.documents.language.codes import primary_code
from headwater.documents.language.lexicon import STOPWORDS
from headwater.text.sentences import SENTENCE_END
from headwater.text.words import BLOCK_BREAK, split_words

BODY_WORDS = 20  # fewer are a caption, not a body
PARAGRAPH_WORDS = 6
WITH_LONG_LIST = frozenset(code for code, words in STOPWORDS.items() if len(words) >= 50)
FUNCTION_WORDS = frozenset().union(*STOPWORDS.values())
MIN_FUNCTION_SHARE = 0.12
"""Prose has three to five times as many function words; a menu or a list of keywords has hardly any."""

# Scripts that end sentences with a space.
WITHOUT_MARKS = re.compile("[\u0e00-\u0eff\u1780-\u17ff]")


def has_article_body(text: str, language: str = "") -> bool:
    """Whether at least 20 words stand in paragraphs of prose. Reads no further than that."""
    words = 0
    for paragraph in BLOCK_BREAK.split(text):
        words += _prose_words(paragraph, primary_code(language))
        if words >= BODY_WORDS:
            return True
    return False


def _prose_words(paragraph: str, language: str) -> int:
    """The number of words if they form sentences, else 0."""
    words = split_words(paragraph)
    if len(words) < PARAGRAPH_WORDS:
        return 0
    if not SENTENCE_END.search(paragraph) and not WITHOUT_MARKS.search(paragraph):
        return 0
    return len(words) if _is_connected(words, language) else 0


def _is_connected(words: list[str], language: str) -> bool:
    """Whether function words connect the words. Taken for granted in languages without a long list of them."""
    if language and language not in WITH_LONG_LIST:
        return True
    if not any(word.isascii() and word.isalpha() for word in words):
        return True  # another script
    share = sum(word.casefold() in FUNCTION_WORDS for word in words) / len(words)
    return share >= MIN_FUNCTION_SHARE
