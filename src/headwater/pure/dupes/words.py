"""Small closed classes of words that carry the facts of a report: counts, directions, the calendar."""


def _words(text: str) -> list[str]:
    return text.split()


_CARDINALS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ORDINALS = _words("zeroth first second third fourth fifth sixth seventh eighth ninth tenth")
_OTHER = [
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "half",
    "quarter",
    "dozen",
    "once",
    "twice",
]
_UP = _words(
    "rose rise rises rising risen up higher gain gains gained increase increases increased increasing advanced "
    "advance climbed raised raises raise above buy buys bought profit profits more"
)
_DOWN = _words(
    "fell fall falls falling fallen down lower lost loss losses lose decrease decreases decreased decline declines "
    "declined dropped drop cut cuts below sell sells sold less"
)
_CALENDAR = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
)

DIRECTION = dict.fromkeys(_UP, "up") | dict.fromkeys(_DOWN, "down")
DIGITS = {word: str(value) for words in (_CARDINALS, _ORDINALS) for value, word in enumerate(words)}
COUNTS = frozenset((*DIGITS, *_OTHER))
CALENDAR = frozenset(_CALENDAR)


def is_number(word: str) -> bool:
    return not word.isalpha() and 2 * sum(map(str.isdigit, word)) >= len(word)


def is_figure(word: str) -> bool:
    """True for what states a quantity or where it went."""
    return is_number(word) or word.lower() in COUNTS or word.lower() in DIRECTION


def fact(word: str) -> str:
    """What the word says: `rose` and `gained` say the same, and so do `three` and `3`."""
    word = word.lower()
    return DIRECTION.get(word) or DIGITS.get(word) or word
