"""Pages of recipes: what people see of a recipe in the browser, beside the pages of Headwater."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A page of a recipe, at `/recipes/RECIPE/NAME`, and in JSON at the same address with `.json`.

    `handler` is `module:function`; it is imported when it is first called, gets the open installation and the parameters, and
    returns the record that `template` shows. `package` has the folders `templates` and `catalogues`. One that `changes`
    something is the target of a form: its parameters are the form's fields, it needs a reader who may operate, and its handler
    returns `message` (a text of the catalogue, with `values`) and `location`, the next page; both may be missing. With a `label` the page stands in the navigation.
    """

    handler: str
    package: str
    parameters: type[msgspec.Struct]
    template: str = ""
    label: str = ""
    is_for_operators: bool = False
    changes: bool = False
