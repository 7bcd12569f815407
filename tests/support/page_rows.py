"""Rows for the web pages: those of the API's installation, and what pages show beyond them, some of it hostile."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import insert, update
from tests.support.api_installation import HOSTILE, NOW, fill
from tests.support.scene import RECIPE, START, Scene, ended_result, kept_result

from headwater.app import App
from headwater.model.jobs import Draft, State
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, documents, leads, stories, story_members

ARTICLE = f"""<!doctype html><html lang="en"><head><title>Valley dam opens its gates</title>
<meta http-equiv="refresh" content="0;url=https://evil.example/refresh">
<link rel="stylesheet" href="https://evil.example/style.css">
<script>document.title = "ran"; parent.postMessage("ran", "*")</script></head>
<body onload="document.title='ran'"><nav>Home</nav>
<h1>Valley dam opens its gates</h1><p class="by">By <b>Ilse Varn</b>, 12 November 2026</p>
<img src="https://evil.example/pixel.png" onerror="document.title='ran'">
<p>The dam above Lemmet opened <em>two gates</em> on Thursday. The work costs 4.2 million dollars.</p>
<p>Engineers expect the water to fall by a metre. {HOSTILE.replace("<", "&lt;")}</p>
<form action="https://evil.example/form"><input name="key"></form>
<iframe src="https://evil.example/frame"></iframe><a href="javascript:alert(1)">link</a></body></html>"""
TEXT = (
    "The dam above Lemmet opened two gates on Thursday. The work costs 4.2 million dollars.\n\n"
    "Engineers expect the water to fall by a metre."
)
PUBLISHED = datetime(2026, 11, 12, 15, tzinfo=UTC)
COPY = "<p>The dam above Lemmet opened two gates on Friday. The work costs 4.2 million dollars.</p>"


@dataclass(frozen=True, slots=True)
class PageRows:
    """Ids. `article` has an archived page; `copy` is its duplicate, from a feed entry; `story` is that of two documents."""

    documents: tuple[str, ...]
    story: str
    dam_story: str
    article: str
    copy: str


def fill_pages(app: App) -> PageRows:
    document_ids = fill(app)
    scene = Scene(app.store, now=NOW - timedelta(minutes=20))
    (article,) = scene.drafts("valley-dam")
    scene.refine(
        kept_result(
            article,
            title="Valley dam opens its gates",
            text=TEXT,
            authors=("Ilse Varn",),
            publisher="Meridian Post",
            published=PUBLISHED,
            language="en",
            media_type="text/html",
            attributes={
                "amount": "4.2 million dollars",
                "topic": {"code": "06000000", "name": "environment"},
                "geo_entities": [{"alpha2": "PE", "count": 2}],
            },
            origins={
                "title": "html h1",
                "text": "block network",
                "authors": "byline",
                "amount": "sentence",
                "published": "source",
            },
        )
    )
    _archive(app, article, ARTICLE.encode())
    copy = _add_copy(app, scene, article)
    _describe_stories(app, article.id)
    return PageRows(tuple(document_ids), "5" * 40, "6" * 40, article.id, copy)


def _archive(app: App, draft: Draft, body: bytes) -> None:
    assert draft.capture is not None
    this_capture = captures.c.id == draft.capture.id
    values: dict[str, Any] = {"sha256": sha256(body).hexdigest(), "size": len(body)}
    with app.store.engine.begin() as connection:
        row = dict(connection.execute(captures.select().where(this_capture)).mappings().one())
        (stored,) = app.archive.put([(capture_from(row | values), body)])
        values |= {"pack": stored.pack, "start": stored.start, "length": stored.length}
        connection.execute(update(captures).where(this_capture).values(**values))


def _add_copy(app: App, scene: Scene, original: Draft) -> str:
    (draft,) = scene.drafts("valley-dam-copy")
    evidence = {"compared_with": original.id, "shared_words": 14, "later_coverage": 0.9}
    result = ended_result(
        draft, State.DUPLICATE, "duplicate:same-text", of=original.id, score=0.94, evidence=evidence
    )
    scene.refine(result)
    with app.store.engine.begin() as connection:
        this_lead = leads.c.id == draft.lead.id
        this_document = documents.c.id == draft.id
        connection.execute(update(documents).where(this_document).values(text="", title="Dam opens gates"))
        connection.execute(update(leads).where(this_lead).values(body=COPY, body_type="text/html"))
    return draft.id


def _describe_stories(app: App, article: str) -> None:
    """The story of the dam has all that a recipe can say about one."""
    claims = [{"text": "The dam above Lemmet opened two gates on Thursday.", "documents": [article]}]
    with app.store.engine.begin() as connection:
        group = connection.execute(stories.select()).mappings().first()["group_id"]
        row = {
            "recipe": RECIPE, "group_id": group, "state": "live", "size": 1, "revision": 1, "score": 0.7,
            "created_at": START, "updated_at": NOW, "first_at": PUBLISHED, "last_at": PUBLISHED,
            "summary": claims[0]["text"],
            "attributes": {
                "claims": claims, "countries": ["PE", "BR"], "languages": ["en"],
                "topic": {"code": "06000000", "name": "environment"},
                "score_reasons": ["Recency adds 0.2 <of> 0.25."], "alert_reasons": ["it grew to 10 reports"],
            },
        }  # fmt: skip
        connection.execute(insert(stories), [row | {"id": "6" * 40, "title": "Valley dam opens its gates"}])
        connection.execute(
            insert(story_members), [{"story_id": "6" * 40, "document_id": article, "similarity": 1.0}]
        )
