"""The Python API: documents of one's own, and an installation that was filled by a run of its own."""

import asyncio
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from tests.servers.browser_site import Site, serving

import headwater
from headwater.model.errors import Permanent, Refused

STORY = (
    "The harbour council of Vellmar voted on Tuesday to move the fish market to the north quay before winter. "
    "Traders had asked for the move for years, because the old halls flood with every storm from the west. "
    "Work begins in March and will cost four million, the council said after the vote."
)
OTHER = (
    "A library in Ostrand lends telescopes to anyone with a card, and the waiting list for clear nights is long. "
    "The idea came from a retired teacher who gave the first six. Schools now book whole evenings in advance."
)
DAY = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)


def page(title: str, text: str) -> str:
    return (
        f'<html lang="en"><head><title>{title}</title><meta property="article:published_time" '
        f'content="{DAY.isoformat()}"></head><body><article><h1>{title}</h1><p>{text}</p></article></body></html>'
    )


FEED = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>Vellmar Post</title>'
    "<item><title>Market moves</title><link>http://post.example/market</link><guid>1</guid></item>"
    "<item><title>Telescopes</title><link>http://post.example/telescopes</link><guid>2</guid></item>"
    "</channel></rss>"
)
PAGES = {
    "/feed": FEED,
    "/market": page("Market moves", STORY),
    "/telescopes": page("Telescopes", OTHER),
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[headwater.Installation]:
    folder = tmp_path_factory.mktemp("python-api")
    sources = {"sources": [{"name": "Vellmar Post", "url": "http://post.example/feed"}]}
    (folder / "sources.yaml").write_text(yaml.safe_dump(sources))
    settings = {
        "data": str(folder / "data"),
        "hosts": {"*.example": site.base},
        "requests_per_second": 0,
        "recipes": {
            "news": {"sources": str(folder / "sources.yaml"), "group": {"cluster": "words", "settle": "1s"}}
        },
    }
    (folder / "headwater.yaml").write_text(yaml.safe_dump(settings))
    with headwater.open(config=folder / "headwater.yaml", writable=True) as opened:
        status = opened.run("news")
        assert status["documents"]["kept"] == 2
        yield opened


def test_documents_are_filtered_and_become_tables(installation: headwater.Installation):
    assert {row.title for row in installation.documents("news")} == {"Market moves", "Telescopes"}
    assert len(installation.documents(source="Vellmar Post", language="en", since="1d", limit=1)) == 1
    assert not installation.documents(language="xx")
    assert not installation.documents(since=datetime.now(UTC))
    documents = installation.documents("news")
    assert documents.to_arrow().num_rows == 2
    assert documents.to_dicts()[0]["source"] == "Vellmar Post"
    with pytest.raises(Refused, match="there is no state 'lost'"):
        installation.documents(state="lost")


def test_search_stories_sources_and_evidence(installation: headwater.Installation):
    (best,) = installation.search("fish market")
    assert best.title == "Market moves"
    assert {story.title for story in installation.stories("news")} == {"Market moves", "Telescopes"}
    assert [source.name for source in installation.sources()] == ["Vellmar Post"]
    history = installation.explain(best.id)
    assert history["document"]["origins"]["text"]
    capture = installation.capture(best.id)
    assert capture.about.status == 200
    assert b"fish market" in capture.body


def test_a_notebook_shows_documents_evidence_and_stories_and_nothing_can_break_out(
    installation: headwater.Installation,
):
    (best,) = installation.search("fish market")
    document = installation.document(best.id)
    document["title"] = "<script>alert(1)</script>"
    shown = (
        document._repr_html_(),
        installation.explain(best.id)._repr_html_(),
        installation.stories("news")._repr_html_(),
    )
    assert all("<table>" in html for html in shown)
    assert "<script>" not in shown[0]
    assert "normalise" in shown[1]


def test_it_works_in_threads_in_an_event_loop_and_after_a_fork(installation: headwater.Installation):
    counts: list[int] = []

    def count() -> None:
        counts.append(len(installation.documents("news")))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def main() -> int:
        return len(installation.documents("news"))

    assert [*counts, asyncio.run(main())] == [2] * 5
    child = os.fork()
    if child == 0:
        os._exit(0 if len(installation.documents("news")) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(installation.documents("news")) == 2


def test_an_installation_is_opened_for_reading_and_never_created_by_that(
    installation: headwater.Installation, tmp_path: Path
):
    with pytest.raises(Refused, match="there is no installation"):
        headwater.open(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    with (
        headwater.open(installation._app.settings.data) as reader,
        pytest.raises(Refused, match="writable=True"),
    ):
        reader.run("news")


def test_a_document_is_read_from_bytes_text_and_files(tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text(page("Market moves", STORY))
    for data in (path, path.read_bytes(), path.read_text()):
        document = headwater.read(data, url="https://post.example/market")
        assert document.title == "Market moves"
        assert document.origins["title"]
    with pytest.raises(Permanent, match="no_text"):
        headwater.read("   ")


def test_a_text_that_is_a_place_is_refused_with_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README").write_text(STORY)
    with pytest.raises(Refused, match=r"pathlib\.Path\('README'\)"):
        headwater.read("README")
    with pytest.raises(Refused, match=r"pathlib\.Path\('page\.html'\)"):
        headwater.read("page.html")
    with pytest.raises(Refused, match=r"url='https://post\.example/market'"):
        headwater.read("https://post.example/market")
    with pytest.raises(Refused, match="pathlib"):
        headwater.feed("feed.xml")


def test_a_name_that_cannot_be_is_refused_with_the_one_that_was_meant(installation: headwater.Installation):
    for call in (installation.documents, installation.stories, installation.sources, installation.status):
        with pytest.raises(Refused, match="did you mean 'news'"):
            call("nwes")
    with pytest.raises(Refused, match="did you mean 'news'"):
        installation.search("harbour", recipe="nwes")
    with pytest.raises(Refused, match="there is no method 'nope'"):
        installation.search("harbour", method="nope")  # type: ignore[arg-type]
    with pytest.raises(Refused, match="from 0 to 1"):
        installation.search("harbour", quality=5)
    with pytest.raises(Refused, match="did you mean 'Vellmar Post'"):
        installation.documents("news", source="Velmar Post")
    with pytest.raises(Refused, match="write en"):
        installation.documents(language="english")
    with pytest.raises(ValueError, match=r"language: give one text, not \['en', 'es'\]"):
        installation.search("market", language=["en", "es"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit: it must be 1 or more, not 0"):
        installation.search("market", limit=0)
    assert list(installation.documents("crypto")) == []


def test_a_feed_is_read_from_an_address_and_from_data(site: Site):
    entries = headwater.feed(f"{site.base}/feed", allow=[site.base.removeprefix("http://")])
    assert [entry.title for entry in entries] == ["Market moves", "Telescopes"]
    assert entries.about.title == "Vellmar Post"
    assert headwater.feed(FEED) == entries
    with pytest.raises(Permanent, match="forbidden_address"):
        headwater.feed(f"{site.base}/feed")
    with pytest.raises(Permanent, match="not_a_feed"):
        headwater.feed("<html><body>no</body></html>")


def test_duplicates_and_stories_of_ones_own_articles():
    rewritten = STORY.replace("voted on Tuesday to move", "decided on Tuesday that it will move")
    articles = [
        {"id": "a", "title": "Market moves", "text": STORY, "published_at": "2026-11-01"},
        {"id": "b", "title": "Market moves", "text": STORY, "published_at": "2026-11-02"},
        {"id": "c", "title": "Telescopes", "text": OTHER},
        {"id": "d", "title": "Fish market to move", "text": rewritten, "published_at": "2026-11-01"},
    ]
    verdicts = headwater.dedupe(articles)
    assert [verdict.duplicate_of for verdict in verdicts][:3] == [None, "a", None]
    assert verdicts[1].rule
    stories = headwater.cluster(articles, meaning=False)
    assert set(stories[0].articles) == {"a", "b", "d"}
    assert [story.size for story in stories] == [3, 1]
    with pytest.raises(Refused, match="two articles have the id 'a'"):
        headwater.dedupe([{"id": "a"}, {"id": "a"}])
