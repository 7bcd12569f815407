"""Errors as one sentence that names the cause and what to do."""

from headwater.model.errors import HeadwaterError, Refused
from headwater.text.printable import printable_text
from headwater.text.redaction import redact_record

ADVICE = {
    "database_unavailable": "the database is unavailable ({detail}). If another process is using it, wait "
    "and try again; otherwise check the setting `database`. No data is lost.",
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


def error_message(error: HeadwaterError) -> str:
    """The advice for a known reason, or the message of the error."""
    detail = printable_text(redact_record(error.detail)).strip().rstrip(".")
    if error.reason in ADVICE:
        return ADVICE[error.reason].format(detail=detail or error.reason)
    if isinstance(error, Refused):
        return f"{detail}." if detail else error.reason
    return f"{error.reason}: {detail}." if detail else f"{error.reason}."
