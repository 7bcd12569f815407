"""Why a request had no response, in words for people."""

UNREACHED = frozenset({"dns", "refused", "reset", "timeout", "tls"})
"""Failures without a single byte from the host. After all others, something had answered."""
NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "wrong version number", "record layer failure")
FAILURE_SENTENCES = {
    "dns": "its host is not found; check the spelling, and that this machine has a network",
    "refused": "no server answers there; check the address and the port",
    "timeout": "it does not answer in time; try again",
    "tls": "its certificate is not valid; check the address, and the clock of this machine",
    "reset": "the server closed the connection; try again later",
    "offline": "no host can be reached; check the network of this machine",
    "robots": "its robots.txt does not allow it, or cannot be read",
    "too_large": "it is larger than what is read of a page",
}


def failure_words(reason: str, detail: str = "") -> str:
    """A sentence about the failure; "" for one that needs its own words."""
    if reason == "tls" and any(sign in detail for sign in NO_TLS):
        return "the server does not speak https on this port; try http://, or another port"
    return FAILURE_SENTENCES.get(reason, "")
