"""Errors as one sentence that names the cause and what to do."""

import errno

from headwater.model.errors import HeadwaterError, Refused
from headwater.text.printable import printable_text
from headwater.text.redaction import redact_record

ADVICE = {
    "database_unavailable": "the database is unavailable ({detail}). {remedy} No data is lost.",
    "database_locked": "{detail}. No data is lost.",
    "disk_full": "the disk is full ({detail}). Free some space and start again: stored data is safe, "
    "and the remaining work continues.",
    "archive_unavailable": "the archive is unavailable ({detail}). Check that its folder can be read and written, "
    "or that its server answers. No data is lost.",
    "archive_denied": "{detail}. No data is lost.",
    "archive_no_bucket": "{detail}. No data is lost.",
    "folder_unwritable": "the folder cannot be written ({detail}). Check that it exists and that you may write "
    "to it.",
    "redis_unavailable": "the Redis server cannot be reached ({detail}). Check that it runs and that its address in the "
    "settings is correct. No data is lost.",
    "redis_refused": "the Redis server refuses the command ({detail}). Check the password and the permissions of the user in its "
    "address. No data is lost.",
    "database_damaged": "the database is damaged ({detail}). The captures in the archive are not affected.",
}


SYSTEM_REMEDIES = {
    errno.EACCES: "Your user may not do that: check the owner and the permissions, or choose another place.",
    errno.EPERM: "Your user may not do that: check the owner and the permissions, or choose another place.",
    errno.EROFS: "The disk is read-only: choose a folder on another one with --data, or mount it for writing.",
    errno.ENOSPC: "Free some space and start again: stored data is safe.",
    errno.EADDRINUSE: "Another program uses this port: stop it, or choose another with --port.",
    errno.EISDIR: "Name a file, not a folder.",
    errno.ENOTDIR: "A part of the path is a file, not a folder.",
    errno.ENOENT: "Check the path: a folder in it does not exist.",
}
# The first one whose words are in the detail; the last holds for everything else.
DATABASE_REMEDIES = (
    (("locked", "busy"), "Another process is using it: wait and try again, or stop that process."),
    (("disk i/o", "disk is full", "no space"), "Check that its disk has free space and works."),
    (("readonly", "read-only"), "It is read-only: check the permissions of the file and of its folder, and that the disk is writable."),
    (("unable to open", "permission denied"), "Check that your user may read and write the file and its folder, or choose another with --data."),
    (("password", "authentication", "role"), "Check the user and the password in the setting `database`."),
    (("does not exist",), "Create it on the server, or correct its name in the setting `database`."),
    (("ssl",), "The server must offer encryption, or the address must end with `?sslmode=disable`."),
    (("refused", "resolve", "translate", "timeout", "timed out", "unreachable"), "Check that the server runs, and its address in the setting `database`."),
    (("",), "Check the setting `database`."),
)  # fmt: skip


def error_message(error: HeadwaterError) -> str:
    """The advice for a known reason, or the message of the error."""
    detail = printable_text(redact_record(error.detail)).strip().rstrip(".")
    if error.reason in ADVICE:
        return ADVICE[error.reason].format(detail=detail or error.reason, remedy=_remedy(detail))
    if isinstance(error, Refused):
        return _sentence(detail) if detail else error.reason
    return _sentence(f"{error.reason}: {detail}" if detail else error.reason)


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _remedy(detail: str) -> str:
    words = detail.lower()
    return next(remedy for signs, remedy in DATABASE_REMEDIES if any(sign in words for sign in signs))


def system_error_message(error: OSError) -> str:
    """An error of the system that no command expects: what it is about, and what helps."""
    path = f" ({error.filename})" if error.filename else ""
    text = printable_text(error.strerror or str(error))
    remedy = SYSTEM_REMEDIES.get(error.errno or 0, "")
    return f"the system reports: {text}{path}.{f' {remedy}' if remedy else ''}"
