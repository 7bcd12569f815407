"""Pages for people who read: stories, search, documents, the map."""

from collections.abc import Sequence

from starlette.routing import Route

from headwater.web.pages.analyst.stories import FRONT_PAGE
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page

PAGES: Sequence[Page] = (FRONT_PAGE,)
ACTIONS: Sequence[Action] = ()
ROUTES: Sequence[Route] = ()
