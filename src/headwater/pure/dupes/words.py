"""Small closed classes of words that carry the facts of a report: counts, directions, the calendar."""

_COUNTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "half", "quarter", "dozen", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "once", "twice"]
_UP = ["rose", "rise", "rises", "rising", "risen", "up", "higher", "gain", "gains", "gained", "increase", "increases", "increased", "increasing", "advanced", "advance", "climbed", "raised", "raises", "raise", "above", "buy", "buys", "bought", "profit", "profits", "more"]
_DOWN = ["fell", "fall", "falls", "falling", "fallen", "down", "lower", "lost", "loss", "losses", "lose", "decrease", "decreases", "decreased", "decline", "declines", "declined", "dropped", "drop", "cut", "cuts", "below", "sell", "sells", "sold", "less"]
_CALENDAR = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun"]

DIRECTION = dict.fromkeys(_UP, "up") | dict.fromkeys(_DOWN, "down")
COUNTS = frozenset(_COUNTS)
CALENDAR = frozenset(_CALENDAR)


def is_number(word: str) -> bool:
    return not word.isalpha() and 2 * sum(map(str.isdigit, word)) >= len(word)


def is_figure(word: str) -> bool:
    """True for what states a quantity or where it went."""
    return is_number(word) or word.lower() in COUNTS or word.lower() in DIRECTION


def fact(word: str) -> str:
    """What the word says: `rose` and `gained` say the same."""
    word = word.lower()
    return DIRECTION.get(word, word)
