"""The words of a pipeline's runs: their names, and the dates they are for."""

from datetime import date, datetime
from hashlib import blake2b

FORMS = ("%Y-%m-%d", "%Y%m%d")


def run_name(now: datetime, chance: bytes) -> str:
    """`run_YYYYmmdd_HHMMSS_` and eight hexadecimal digits."""
    return f"run_{now:%Y%m%d_%H%M%S}_{blake2b(chance, digest_size=4).hexdigest()}"


def target_day(told: str | None, now: datetime) -> date | None:
    """The day that was meant; today where none is given, None for what is no day."""
    if not told:
        return now.date()
    for form in FORMS:
        try:
            return datetime.strptime(told, form).replace(tzinfo=now.tzinfo).date()
        except ValueError:
            continue
    return None
