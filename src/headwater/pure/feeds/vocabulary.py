"""The element names that mean something in a feed, by their role in a document read loosely."""

from headwater.pure.feeds import bodies, entry

ENTRIES = frozenset(("item", "entry"))
ROOTS = frozenset(("rss", "rdf:rdf", "feed", "channel"))
CONTENTS = frozenset((*bodies.CONTENTS, *bodies.SUMMARIES))
_PERSON = frozenset(("name", "email", "uri", "url", "homepage", "itunes:name", "itunes:email"))
_PICTURE = frozenset(("title", "link", "description", "url", "width", "height"))
_SOURCE = frozenset(
    (
        "title",
        "link",
        "id",
        "updated",
        "subtitle",
        "rights",
        "category",
        "generator",
        "icon",
        "logo",
        "author",
    ),
)
_MEDIA = frozenset(
    (
        "media:content",
        "media:thumbnail",
        "media:title",
        "media:description",
        "media:keywords",
        "media:category",
    ),
)
# Elements that hold others, each with what may stand inside it.
HOLDERS = {
    "author": _PERSON,
    "contributor": _PERSON,
    "itunes:owner": _PERSON,
    "source": _SOURCE | _PERSON,
    "image": _PICTURE,
    "textinput": _PICTURE | {"name"},
    "media:group": _MEDIA,
}
LEAVES = frozenset(
    (
        *CONTENTS,
        *entry.TITLES,
        *entry.SUBTITLES,
        *entry.IDENTITIES,
        *entry.PUBLISHED,
        *entry.UPDATED,
        *entry.LISTS,
        *entry.SUBJECTS,
        *(name for name in entry.AUTHORS if name not in HOLDERS),
        *_PERSON,
        *_PICTURE,
        *_MEDIA,
        *(
            "enclosure",
            "comments",
            "itunes:image",
            "dc:language",
            "language",
            "slash:comments",
            "feedburner:origlink",
        ),
        *(
            "ttl",
            "subtitle",
            "tagline",
            "generator",
            "copyright",
            "rights",
            "managingeditor",
            "webmaster",
            "docs",
        ),
        *("sy:updateperiod", "sy:updatefrequency", "icon", "logo", "cloud", "rating", "wfw:commentrss"),
    ),
)
# An element with one of these attributes says everything in it and needs no closing tag.
VOID = {
    "link": ("href",),
    "category": ("term",),
    "enclosure": ("url", "href"),
    "media:content": ("url",),
    "media:thumbnail": ("url",),
    "itunes:image": ("href",),
    "cloud": ("domain",),
}
