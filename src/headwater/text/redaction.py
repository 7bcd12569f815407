"""Text that may stand in a log, an error or a list: URLs without user names and without the values of secret parameters."""

import re
from urllib.parse import unquote_plus, urlsplit, urlunsplit

HIDDEN = "***"
UNREADABLE = "(not a URL)"
MAX_URL_LENGTH = 500

# Secret wherever it stands in a name: `accesstoken`, `client_secret`, `X-Amz-Credential`.
_ANYWHERE = re.compile(r"token|secret|passw|passphrase|pwd|credential|session|signature|hmac|jwt")
# Secret as a whole word of a name: `key`, `api_key`, `X-Api-Key`, `apikey`; not `monkey`, `keyword` or `encoding`.
_WORD = re.compile(
    r"(?:(?:api|access|account|app|auth|client|consumer|licen[cs]e|master|private|secret|shared|signing|subscription|user)?keys?"
    r"|(?:auth|access|pass|otp|verification)?code"
    r"|auth[a-z]*|pass|sign?|t?otp|sas|ticket)"
)
# Words that begin like a secret but are not one.
_HARMLESS = re.compile(r"author(?:s|ed|ing|ship|name|id|ity|ities)?")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_URL_IN_TEXT = re.compile(r"\b[a-z][a-z0-9+.-]{0,40}://[^\s\"'<>]+", re.IGNORECASE)


def redact_url(url: str) -> str:
    """Returns the URL without user information and fragment, with `***` for the values of secret parameters."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return UNREADABLE
    host = parts.netloc.rpartition("@")[2]
    query = "&".join(_redact_field(field) for field in parts.query.split("&") if field)
    return urlunsplit((parts.scheme, host, parts.path, query, ""))[:MAX_URL_LENGTH]


def redact_text(text: str) -> str:
    """Returns the text with every URL in it redacted."""
    return _URL_IN_TEXT.sub(lambda match: redact_url(match[0]), text) if "://" in text else text


def is_secret_name(name: str) -> bool:
    """True for the name of a parameter whose value must not be shown."""
    words = _SEPARATORS.split(_CAMEL_CASE.sub("_", name).lower())
    return any(
        _ANYWHERE.search(word) or (_WORD.fullmatch(word) and not _HARMLESS.fullmatch(word)) for word in words
    )


def _redact_field(field: str) -> str:
    name, equals, _ = field.partition("=")
    return f"{name}={HIDDEN}" if equals and is_secret_name(unquote_plus(name)) else field
