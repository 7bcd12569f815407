"""Search over documents, best first."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.web.context import context_of
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.listing import RecipeParameter, Since, chosen_recipes, parse_moment
from headwater.web.rest.routing import api_router, described
from headwater.web.rest.schemas import NUMBER, TEXT, list_schema, object_schema
from headwater.web.search_pages import SearchRequest, search_page

router = api_router("/search", "search")
RESULT = object_schema({"id": TEXT, "title": TEXT, "url": TEXT, "snippet": TEXT, "score": NUMBER})


@router.get("", responses=described(list_schema(RESULT)))
def search(
    request: Request,
    q: Annotated[
        str, Query(min_length=1, max_length=1_000, description='Words; "quoted words" stand together.')
    ],
    *,
    recipe: RecipeParameter = "",
    language: Annotated[str, Query(max_length=20, description="Only in this language, for example es.")] = "",
    since: Since = "",
    meaning: Annotated[bool, Query(description="By meaning instead of words; needs headwater[nlp].")] = False,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
) -> Response:
    """The best documents for a query, with the matching passage. Case and accents are ignored."""
    context = context_of(request)
    selection = SearchRequest(
        text=q,
        recipes=chosen_recipes(context, recipe),
        language=language,
        since=parse_moment(context, since, "since"),
        meaning=meaning,
        limit=limit,
        cursor=cursor,
    )
    rows, next_cursor = search_page(context.app, selection)
    return json_answer_to(request, {"items": rows, "next": next_cursor})
