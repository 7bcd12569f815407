"""Pages for people who read: stories, search, documents, the map."""

from collections.abc import Sequence

from starlette.routing import Route

from headwater.web.pages.analyst.archived import ARCHIVED_ROUTE
from headwater.web.pages.analyst.document import COMPARISON_PAGE, DOCUMENT_PAGE
from headwater.web.pages.analyst.documents import DOCUMENTS_PAGE
from headwater.web.pages.analyst.map import MAP_PAGE
from headwater.web.pages.analyst.search import SAVE_SEARCH, SEARCH_PAGE
from headwater.web.pages.analyst.stories import FRONT_PAGE, STORIES_PAGE
from headwater.web.pages.analyst.story import STORY_PAGE
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page

PAGES: Sequence[Page] = (
    FRONT_PAGE,
    SEARCH_PAGE,
    DOCUMENTS_PAGE,
    MAP_PAGE,
    STORIES_PAGE,
    STORY_PAGE,
    COMPARISON_PAGE,
    DOCUMENT_PAGE,
)
ACTIONS: Sequence[Action] = (SAVE_SEARCH,)
ROUTES: Sequence[Route] = (ARCHIVED_ROUTE,)
