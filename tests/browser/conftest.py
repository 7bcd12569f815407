"""One server with rows, and one Chromium, for all tests of the web pages in a process."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from tests.support.api_installation import installation
from tests.support.browser import Visitor, running_chromium, running_site
from tests.support.page_rows import PageRows, fill_pages

from headwater.app import App


@pytest.fixture(scope="session")
def filled_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, PageRows]]:
    with installation(tmp_path_factory.mktemp("site")) as app:
        yield app, fill_pages(app)


@pytest.fixture(scope="session")
def rows(filled_app: tuple[App, PageRows]) -> PageRows:
    """The ids of what the pages show."""
    return filled_app[1]


@pytest.fixture(scope="session")
def site(filled_app: tuple[App, PageRows]) -> Iterator[str]:
    with running_site(filled_app[0]) as url:
        yield url


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """For a module, not longer: it has an event loop in this thread, and other tests start one of their own."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def visitor(site: str, chromium: Browser) -> Iterator[Visitor]:
    """A test fails when a page of its visitor had an error on the console or broke the content security policy."""
    visitor = Visitor(site, chromium)
    yield visitor
    visitor.close()
    assert visitor.problems == []
