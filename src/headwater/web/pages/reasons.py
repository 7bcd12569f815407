"""Reasons in words: why something was not kept, not fetched or not sent. Rows and the API have the codes."""

import re

from headwater.fetch.failure_sentences import FAILURE_TEXTS

# Codes whose own words do not say it. The others are read as they are: `too_few_words` is "too few words".
REASON_WORDS = {code: text.cause for code, text in FAILURE_TEXTS.items()} | {
    "bad_completion": "the language model gave no usable answer",
    "browser_failed": "the browser failed",
    "continues": "the last poll was cut short, the next one continues it",
    "contested": "another document claims to be the original",
    "credential_host": "the key may not be sent to this host",
    "empty": "the answer was empty",
    "encoding": "the compression cannot be read",
    "extractor_died": "the reader crashed on it",
    "forbidden": "its server forbids it",
    "forbidden_address": "its address leads into a private network",
    "gone": "the page is gone for good",
    "internal": "a mistake in the program",
    "js_required": "the page needs JavaScript",
    "missing": "the page does not exist",
    "moved_on": "it changed again before it was processed",
    "no_layout": "no layout fits the page",
    "nothing_selected": "the selector matches nothing",
    "protocol": "the server broke the rules of HTTP",
    "rate_limited": "waits for a rate limit",
    "redirects": "too many redirects",
    "reserved": "its publisher reserves text and data mining",
    "structure_missing": "the expected parts of the page are missing",
    "worker_died": "the worker crashed while processing it",
}
_CODE = re.compile(r"[a-z][a-z0-9_-]*+")
_STATUS = re.compile(r"http_(\d{3})")


def reason_words(code: str) -> list[str]:
    """The English words for a reason, in parts: `duplicate:same-text` is "duplicate" and "same text". What is no code is shown
    as it is, and so is an address."""
    first, _, rest = code.partition(":")
    if not _CODE.fullmatch(first) or rest.startswith("//"):
        return [code]
    return [_words(part) for part in code.split(":", 1)]


def _words(part: str) -> str:
    if status := _STATUS.fullmatch(part):
        return f"status {status[1]}"
    if not _CODE.fullmatch(part):
        return part
    return REASON_WORDS.get(part) or part.replace("_", " ").replace("-", " ")
