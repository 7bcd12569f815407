"""Which form a caller wants: by the extension of the address, or else by the Accept header."""

from collections.abc import Iterator

from headwater.web.problems import HttpProblem

MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "atom": "application/atom+xml; charset=utf-8",
    "rss": "application/rss+xml; charset=utf-8",
    "jsonfeed": "application/feed+json",
}
FORMATS_BY_TYPE = {media.partition(";")[0]: name for name, media in MEDIA_TYPES.items()}


def choose_format(extension: str | None, accept: str) -> str:
    if extension is not None:
        if extension not in MEDIA_TYPES:
            raise HttpProblem(
                404, "unknown_format", f"there is no such form; there are: {', '.join(MEDIA_TYPES)}"
            )
        return extension
    for media in accepted_types(accept):
        if media in FORMATS_BY_TYPE:
            return FORMATS_BY_TYPE[media]
    return "json"


def accepted_types(accept: str) -> Iterator[str]:
    """Media types, the preferred first."""
    weighted = []
    for place, part in enumerate(accept[:1_000].split(",")):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = next((text[2:] for text in parameters if text.startswith("q=")), "1")
        try:
            weighted.append((-float(quality), place, media))
        except ValueError:
            continue
    yield from (media for weight, _, media in sorted(weighted) if weight < 0)
