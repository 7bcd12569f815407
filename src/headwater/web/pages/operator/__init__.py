"""Pages for people who operate an installation, and for editors."""

from collections.abc import Sequence

from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page

PAGES: Sequence[Page] = ()
ACTIONS: Sequence[Action] = ()
