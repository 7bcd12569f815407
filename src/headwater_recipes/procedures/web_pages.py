"""The pages of this recipe: editors review procedures, one after the other, by keyboard."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from headwater.model.web_page import WebPage
from headwater_recipes.procedures.endpoints import Key, Rejection

PACKAGE = "headwater_recipes.procedures.pages"
HANDLERS = "headwater_recipes.procedures.commands.review_pages"


class ReviewList(msgspec.Struct, frozen=True):
    """Those that wait, or those that a person accepted or rejected."""

    state: Literal["waiting", "accepted", "rejected"] = "waiting"


class ReviewKey(msgspec.Struct, frozen=True):
    """`id` is the procedure to review, or one that was decided; without one, the first that waits."""

    id: Annotated[str, Meta(max_length=300)] = ""


class ReviewedKey(msgspec.Struct, frozen=True):
    id: Key


WEB_PAGES: Mapping[str, WebPage] = {
    "reviews": WebPage(
        handler=f"{HANDLERS}:list_reviews",
        package=PACKAGE,
        parameters=ReviewList,
        template="reviews.html",
        label="Review",
        is_for_operators=True,
    ),
    "review": WebPage(
        handler=f"{HANDLERS}:show_item", package=PACKAGE, parameters=ReviewKey, template="review.html"
    ),
    "review/accept": WebPage(
        handler=f"{HANDLERS}:accept", package=PACKAGE, parameters=ReviewedKey, changes=True
    ),
    "review/reject": WebPage(
        handler=f"{HANDLERS}:reject", package=PACKAGE, parameters=Rejection, changes=True
    ),
    "review/undo": WebPage(handler=f"{HANDLERS}:undo", package=PACKAGE, parameters=ReviewedKey, changes=True),
}
