"""Lines of a sitemap as leads."""

from datetime import datetime, timedelta

from headwater.model.lead import Lead
from headwater.pure.feeds.dates import read_date
from headwater.pure.feeds.notes import Note
from headwater.pure.sitemaps import Listed

LEEWAY = timedelta(days=1)
LONGEST_VERSION = 64


def lead_of(line: Listed, now: datetime, note: Note) -> Lead:
    """`lastmod` is the version: whatever it says, a change of it is worth a conditional request. As a date it is a
    hint only, and none at all when it lies in the future."""
    modified = _believable(line.lastmod, now, note)
    published = _believable(line.published, now, note)
    version = line.lastmod if modified is None else modified.isoformat()
    hints = {"lastmod": modified and modified.isoformat(), "language": line.language}
    return Lead(
        identity=line.url,
        url=line.url,
        version=version[:LONGEST_VERSION],
        title=" ".join(line.title.replace("\x00", " ").split()) or None,
        published=published or modified,
        hints={name: value for name, value in hints.items() if value},
    )


def _believable(text: str, now: datetime, note: Note) -> datetime | None:
    found = read_date(text, note)
    if found is not None and found > now + LEEWAY:
        note("future_date", text)
        return None
    return found
