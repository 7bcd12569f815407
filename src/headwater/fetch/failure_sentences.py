"""Why a request had no response, in words for people."""

from typing import NamedTuple

UNREACHED = frozenset({"dns", "refused", "timeout", "tls"})
"""Failures to connect. After all others, the host was reached."""
SILENT = frozenset({"dns", "timeout"})
"""Those where nothing came back at all, unless a connection stood."""
NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "wrong version number", "record layer failure")


class FailureText(NamedTuple):
    """What happened, and what the reader can do about it; "" if nothing."""

    cause: str
    advice: str = ""


FAILURE_TEXTS = {
    "dns": FailureText("its host is not found", "check the spelling, and that this machine has a network"),
    "refused": FailureText("no server answers there", "check the address and the port"),
    "timeout": FailureText("it does not answer in time", "try again"),
    "tls": FailureText("its certificate is not valid", "check the address, and the clock of this machine"),
    "reset": FailureText("the server closed the connection", "try again later"),
    "offline": FailureText("no host can be reached", "check the network of this machine"),
    "bad_url": FailureText("its address, or one it leads to, is not a plain http(s) address"),
    "breaker_open": FailureText("its host is paused after many failures"),
    "robots": FailureText("its robots.txt does not allow it, or cannot be read"),
    "too_large": FailureText("it is larger than what is read"),
}


def failure_words(reason: str, detail: str = "") -> str:
    """A sentence about the failure; "" for one that needs its own words."""
    if reason == "tls" and any(sign in detail for sign in NO_TLS):
        return "the server does not speak https on this port; try http://, or another port"
    return "; ".join(filter(None, FAILURE_TEXTS.get(reason, ())))
