"""What is known of words: a language has few, so that most of a text have been looked at before."""

import sys
from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

share_word = sys.intern
"""The one copy of a word that all who remember it have in common."""


class KnownWords(dict[str, Answer], Generic[Answer]):
    """The answers of a function by word. Full, it starts again: a plain dictionary answers in a third of the time of a cache that
    remembers the order of its use, and takes half the memory. All such dictionaries of a process share their words."""

    def __init__(self, answer: Callable[[str], Answer], most: int) -> None:
        super().__init__()
        self.answer, self.most = answer, most

    def __missing__(self, word: str) -> Answer:
        if len(self) >= self.most:
            self.clear()
        answer = self[share_word(word)] = self.answer(word)
        return answer
