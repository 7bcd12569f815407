"""URLs that may stand in logs and errors."""

import re
from urllib.parse import unquote_plus, urlsplit, urlunsplit

_SECRET = re.compile(
    r"(?:^|[_\-.])(?:key|apikey|token|auth|authorization|secret|password|passwd|pwd|pass|signature|sig|sign|credential|"
    r"credentials|session|sessionid|jwt|code|hmac|otp|ticket|sas)(?:$|[_\-.])|apikey|accesstoken|privatekey|clientsecret",
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def redact_url(url: str) -> str:
    """The URL without user information, fragment and parameters whose names look like secrets. Never raises."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return "(unreadable url)"
    netloc = parts.netloc.rpartition("@")[2]
    fields = [field for field in parts.query.split("&") if field and not _is_secret(field)]
    return urlunsplit((parts.scheme, netloc, parts.path, "&".join(fields), ""))


def _is_secret(field: str) -> bool:
    name = _CAMEL.sub("_", unquote_plus(field.partition("=")[0])).lower()
    return _SECRET.search(name) is not None
