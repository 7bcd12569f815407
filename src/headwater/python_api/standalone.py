"""Functions over data of your own: read documents, find duplicates, group articles into stories."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from headwater.documents.dedupe.articles import Article, Decision
from headwater.documents.dedupe.deduplicator import Deduplicator
from headwater.documents.dedupe.index import MemoryIndex
from headwater.documents.dedupe.rules import DEFAULT
from headwater.documents.embedding.models import nlp_installed
from headwater.extract.reader import read as read_document
from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.suggestion import suggest
from headwater.python_api.records import RecordList
from headwater.stories.clustering.build_stories import build_stories
from headwater.stories.clustering.similarity import StoryItem
from headwater.stories.item_vectors import item_vectors, open_item_encoder, with_languages
from headwater.text.dates import parse_iso_date

TEXT_FIELDS = ("text", "body", "content")
DATE_FIELDS = ("published_at", "published", "date")
LONGEST_PLACE = 4_096
FILE_ENDINGS = (
    ".html",
    ".htm",
    ".xhtml",
    ".xml",
    ".rss",
    ".atom",
    ".json",
    ".pdf",
    ".docx",
    ".odt",
    ".rtf",
    ".eml",
    ".txt",
    ".md",
)
Item = Document | Mapping[str, Any]


def read(data: bytes | str | Path, *, url: str | None = None, media_type: str | None = None) -> Document:
    """Returns the document in bytes, in a text or in a file: its text and metadata, each field with its origin.

    A text is never taken for a place: one that is an address, or that names a file, is refused, so that a text from outside
    cannot make a program read a file. The data is parsed in a separate process within limits of time and memory, so hostile data does no harm. Raises
    Permanent, with a reason such as `no_text`, when there is nothing to read.
    """
    if not isinstance(data, bytes | bytearray | memoryview | str | Path):
        raise Refused("not_a_text", f"give bytes, a text or a pathlib.Path, not {type(data).__name__}")
    if isinstance(data, Path):
        data = data.read_bytes()
    elif isinstance(data, str):
        if problem := place_problem(data):
            raise Refused("not_a_text", problem)
        data = data.encode("utf-8", "replace")
    return read_document(data, url=url, media_type=media_type)


def place_problem(text: str) -> str:
    """What to write instead of a text that is an address or the name of a file; "" for every other text."""
    if len(text) > LONGEST_PLACE or len(text.split()) != 1:
        return ""
    if text.startswith(("http://", "https://")):
        return (
            f"'{text}' is an address, and this function requests nothing: give the bytes of the page with url='{text}'; "
            "`headwater try` shows what Headwater reads there"
        )
    if text.lower().endswith(FILE_ENDINGS) or Path(text).is_file():
        return f"'{text}' is the name of a file: use pathlib.Path('{text}') to read it"
    return ""


@dataclass(frozen=True, slots=True)
class NewsStory:
    """Articles about one event: their ids, the most typical first, and the title of that one."""

    id: str
    title: str
    articles: tuple[str, ...]
    similarities: tuple[float, ...]

    @property
    def size(self) -> int:
        return len(self.articles)


def dedupe(articles: Iterable[Item]) -> RecordList[Decision]:
    """Returns a verdict per article, in order: what it duplicates or is related to, by which rule, and the evidence.

    An article is a document or a mapping with `text` (or `body`), `title`, `url`, `published_at`, `publisher`, `guid` and
    `id`, each optional. Without ids, positions count: "0", "1", …
    """
    deduplicator = Deduplicator(DEFAULT, MemoryIndex())
    return RecordList([deduplicator.add(_article(item)) for item in _with_ids(articles)])


def cluster(articles: Iterable[Item], *, meaning: bool | None = None) -> RecordList[NewsStory]:
    """Returns the stories of these articles, the largest first. Each article is in exactly one story.

    By meaning and words if headwater[nlp] is installed, else by words alone. `meaning=True` refuses to do without the
    extra; `meaning=False` compares words in any case.
    """
    if meaning and not nlp_installed():
        raise Refused(
            "missing_extra", "to compare by meaning, install the extra: `pip install 'headwater[nlp]'`"
        )
    items = [_story_item(item) for item in _with_ids(articles)]
    vectors = None
    if meaning is not False and nlp_installed() and items:
        items = with_languages(items)
        vectors = item_vectors(items, open_item_encoder(items, _cache_folder(), None))
    stories = [
        NewsStory(
            id=story.id,
            title=story.title,
            articles=tuple(member.document for member in members),
            similarities=tuple(member.similarity for member in members),
        )
        for story in build_stories(items, vectors)
        if (members := sorted(story.members, key=lambda member: (-member.similarity, member.document)))
    ]
    return RecordList(sorted(stories, key=lambda story: (-story.size, story.id)))


def _cache_folder() -> Path:
    """Where the encoder is built once, for programs without an installation."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "headwater"


def _with_ids(articles: Iterable[Item]) -> list[tuple[str, Item]]:
    pairs = [(_id_of(item, number), item) for number, item in enumerate(articles)]
    ids = [key for key, _ in pairs]
    if len(set(ids)) < len(ids):
        repeated = next(key for key in ids if ids.count(key) > 1)
        raise Refused("repeated_id", f"two articles have the id '{repeated}'")
    return pairs


def _id_of(item: Item, number: int) -> str:
    if isinstance(item, Document):
        return item.id or blake2b(item.text.encode("utf-8", "replace"), digest_size=12).hexdigest()
    if not isinstance(item, Mapping):
        raise Refused(
            "bad_article", f"article {number} is neither a document nor a mapping but {type(item).__name__}"
        )
    _check_fields(item, number)
    return str(item.get("id", number))


def _check_fields(item: Mapping[str, Any], number: int) -> None:
    """An article may have further fields; one without any text was most likely written with a typo."""
    has_content = any(name in item for name in (*TEXT_FIELDS, "title", "url", "guid"))
    if has_content or set(item) <= {"id", *DATE_FIELDS}:
        return
    fields = ", ".join(str(name) for name in item) or "none"
    hint = next((hint for name in item if (hint := suggest(str(name), [*TEXT_FIELDS, "title"]))), "")
    raise Refused(
        "bad_article", f"article {number} has no field `text` or `title`; its fields: {fields}{hint}"
    )


def _article(pair: tuple[str, Item]) -> Article:
    key, item = pair
    if isinstance(item, Document):
        return Article(
            id=key,
            body=item.text,
            title=item.title,
            url=item.canonical_url or item.url,
            guid=item.guid,
            publisher=item.publisher,
            published_at=item.published,
        )
    return Article(
        id=key,
        body=_text(item, *TEXT_FIELDS),
        title=_text(item, "title"),
        url=_text(item, "url"),
        guid=_text(item, "guid"),
        publisher=_text(item, "publisher"),
        published_at=_date(item),
    )


def _story_item(pair: tuple[str, Item]) -> StoryItem:
    key, item = pair
    if isinstance(item, Document):
        return StoryItem(
            id=key, title=item.title, text=item.text, published_at=item.published, language=item.language
        )
    return StoryItem(
        id=key,
        title=_text(item, "title"),
        text=_text(item, *TEXT_FIELDS),
        published_at=_date(item),
        group=_text(item, "group"),
        language=_text(item, "language"),
    )


def _text(item: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that has a value. A data frame writes a missing text as a number that is not one."""
    return next((value for name in names if isinstance(value := item.get(name), str) and value), "")


def _date(item: Mapping[str, Any]) -> datetime | None:
    for name in DATE_FIELDS:
        value = item.get(name)
        if isinstance(value, datetime):
            return value if value.tzinfo else value.astimezone()
        if isinstance(value, str) and (moment := parse_iso_date(value)):
            return moment
    return None
