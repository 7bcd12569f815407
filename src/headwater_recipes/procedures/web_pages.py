"""The pages of this recipe: editors review procedures, one after the other, by keyboard."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from headwater.model.web_page import WebPage
from headwater_recipes.procedures.endpoints import Key, Rejection, Text

PACKAGE = "headwater_recipes.procedures.pages"
HANDLERS = "headwater_recipes.procedures.commands.review_pages"


class DecidedKey(msgspec.Struct, frozen=True):
    """`decided` is the procedure that was decided just before, whose decision can be undone."""

    decided: Text = ""


class ReviewKey(msgspec.Struct, frozen=True):
    """`id` is the procedure to review; without one, the first that waits."""

    id: Annotated[str, Meta(max_length=300)] = ""
    decided: Text = ""


class ReviewDecision(msgspec.Struct, frozen=True):
    id: Key


WEB_PAGES: Mapping[str, WebPage] = {
    "reviews": WebPage(
        handler=f"{HANDLERS}:list_waiting",
        package=PACKAGE,
        parameters=DecidedKey,
        template="reviews.html",
        label="Review",
        is_for_operators=True,
    ),
    "review": WebPage(
        handler=f"{HANDLERS}:show_item", package=PACKAGE, parameters=ReviewKey, template="review.html"
    ),
    "review/accept": WebPage(
        handler=f"{HANDLERS}:accept", package=PACKAGE, parameters=ReviewDecision, changes=True
    ),
    "review/reject": WebPage(
        handler=f"{HANDLERS}:reject", package=PACKAGE, parameters=Rejection, changes=True
    ),
    "review/undo": WebPage(
        handler=f"{HANDLERS}:undo", package=PACKAGE, parameters=ReviewDecision, changes=True
    ),
}
