"""What went wrong, in one sentence that says what to do."""

from headwater.model.errors import HeadwaterError, Refused

ADVICE = {
    "database_unavailable": "the database cannot be used now ({detail}). If another process is busy with it, wait "
    "and try again; otherwise check the setting `database`. Nothing is lost.",
    "disk_full": "there is no space left on the disk ({detail}). Make room and start again: what was stored is safe, "
    "and the rest will be done then.",
    "archive_unavailable": "the archive cannot be used now ({detail}). Check that its folder can be read and written, "
    "or that its server answers. Nothing is lost.",
    "archive_denied": "{detail}. Nothing is lost.",
    "archive_no_bucket": "{detail}. Nothing is lost.",
    "folder_unwritable": "it cannot be written there ({detail}). Check that the folder exists and that you may write "
    "into it.",
    "redis_unavailable": "the Redis server cannot be reached ({detail}). Check that it runs and that its address in the "
    "settings is right. Nothing is lost.",
    "redis_refused": "the Redis server refuses to do this ({detail}). Check the password and the rights of the user in its "
    "address. Nothing is lost.",
    "database_damaged": "the database is damaged ({detail}). The captures in the archive are not affected.",
}


def error_message(error: HeadwaterError) -> str:
    """The advice for a known reason, else the error's own words."""
    detail = printable_text(error.detail).strip().rstrip(".")
    if error.reason in ADVICE:
        return ADVICE[error.reason].format(detail=detail or error.reason)
    if isinstance(error, Refused):
        return f"{detail}." if detail else error.reason
    return f"{error.reason}: {detail}." if detail else f"{error.reason}."


def printable_text(text: object) -> str:
    """Text from outside, without what could steer a terminal: control characters and direction overrides."""
    return "".join(letter if _is_printable(letter) else "\N{REPLACEMENT CHARACTER}" for letter in str(text))


def _is_printable(letter: str) -> bool:
    code = ord(letter)
    if letter in "\n\t":
        return True
    return not (code < 0x20 or 0x7F <= code < 0xA0 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069)
