"""The key of a subject: a company, a person, whatever documents are found for."""

from headwater.model.errors import Refused

LONGEST_SUBJECT = 64


def fitting(subject: str | None) -> str | None:
    """The key, if a database can hold it. One of them would cut nothing and take it, the other refuse the whole batch."""
    if subject is not None and not 0 < len(subject) <= LONGEST_SUBJECT:
        raise Refused(
            "bad_subject",
            f"the subject '{subject[:20]}…' has {len(subject)} characters; give it 1 to {LONGEST_SUBJECT}",
        )
    return subject
