"""Templates and their filters. Everything is escaped; times, numbers and links have one form in all pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import BaseLoader, Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from headwater.model.api_key import ApiKey, KeyScope
from headwater.text.language_names import language_name
from headwater.web.pages.outlines import outlines
from headwater.web.pages.plain_values import plain_value
from headwater.web.pages.reasons import reason_words
from headwater.web.pages.static_files import static_path
from headwater.web.pages.table_labels import label_cells
from headwater.web.pages.translations import OWN_PACKAGE, translate, translate_refusal

MONTHS = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "es": ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
}
AGES = (
    (86_400 * 2, 86_400, "{count} days ago"),
    (3_600 * 2, 3_600, "{count} hours ago"),
    (3_600, 3_600, "1 hour ago"),
    (60 * 2, 60, "{count} minutes ago"),
)
SIZES = ("bytes", "KB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every page shows around its content, and how: for whom, in which language, at which time. `here` is the address to
    which a choice of theme or language, or signing in, leads back. `machine_scope` is what the reader may do here without a key. `is_answer`: the page is the answer to a form and cannot be
    opened again, so it offers nothing that would leave it by accident."""

    path: str
    here: str = "/"
    is_answer: bool = False
    now: datetime
    language: str = "en"
    theme: str = "system"
    reader: ApiKey | None = None
    scope: KeyScope | None = None
    machine_scope: KeyScope | None = None
    prefix: str = ""
    query: str = ""
    twin: str = ""
    notice: tuple[str, str] | None = None
    navigation: tuple[Mapping[str, str], ...] = ()
    package: str = OWN_PACKAGE
    more: Mapping[str, Any] = field(default_factory=dict)

    def may(self, scope: str) -> bool:
        """Whether the reader may do what needs this scope: read, operate or admin."""
        return self.scope is not None and self.scope >= KeyScope[scope.upper()]


@cache
def environment() -> Environment:
    loader: BaseLoader = FunctionLoader(_load_template)
    templates = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.globals.update(
        t=_translate, plural=_plural, to=_address, static=_static, query=change_query, outlines=outlines
    )
    templates.filters.update(
        moment=_moment,
        day=_day,
        age=_age,
        number=_number,
        size=_size,
        percent=_percent,
        link=safe_link,
        language_name=_language_name,
        reason=_reason,
        plain=_plain,
        refusal=_refusal,
    )
    return templates


def render(template: str, frame: Frame, model: Mapping[str, Any]) -> str:
    return label_cells(environment().get_template(template).render(frame=frame, **model))


def _load_template(name: str) -> tuple[str, str, Callable[[], bool]]:
    """`folder/file.html` is one of ours; `package:file.html` stands in the folder `templates` of a recipe's package."""
    package, _, path = name.rpartition(":")
    file = files(package or OWN_PACKAGE) / "templates" / path
    return file.read_text(encoding="utf-8"), str(file), lambda: True


def _frame(context: Context) -> Frame:
    frame: Frame = context["frame"]
    return frame


@pass_context
def _translate(context: Context, text: str, *, package: str = "", **values: Any) -> str:
    """By the catalogue of the page's package, or of another one."""
    return translate(_frame(context).language, text, package or _frame(context).package, **values)


@pass_context
def _plural(context: Context, count: int, one: str, many: str) -> str:
    return _translate(context, one if count == 1 else many, count=_number(context, count))


@pass_context
def _address(context: Context, path: str, **parameters: Any) -> str:
    """An address of ours, under the prefix of the server."""
    query = urlencode([(name, value) for name, value in parameters.items() if value not in (None, "")])
    return f"{_frame(context).prefix}{quote(path, safe='/:@,;+~!*()$.-_')}" + (f"?{query}" if query else "")


@pass_context
def _static(context: Context, name: str) -> str:
    return _frame(context).prefix + static_path(name)


def change_query(pairs: Any, **changes: Any) -> str:
    """The query with other values for some parameters; None removes one."""
    remaining = [(name, value) for name, value in pairs if name not in changes]
    for name, value in changes.items():
        values = value if isinstance(value, list | tuple) else [value]
        remaining += [(name, item) for item in values if item not in (None, "")]
    return "?" + urlencode(remaining)


def safe_link(url: Any) -> str:
    """The URL if a browser may follow it; otherwise nothing: an item may name `javascript:` as its address."""
    try:
        parts = urlsplit(str(url or ""))
    except ValueError:
        return ""
    return str(url) if parts.scheme in {"http", "https"} and parts.netloc else ""


@pass_context
def _reason(context: Context, code: str | None) -> Markup:
    """A reason in words, with its code for those who ask."""
    if not code:
        return Markup("")
    words = ": ".join(_translate(context, part) for part in reason_words(code))
    return Markup('<span class="reason" title="{}">{}</span>').format(code, words)


@pass_context
def _language_name(context: Context, code: str) -> str:
    return _translate(context, language_name(code), package=OWN_PACKAGE)


@pass_context
def _refusal(context: Context, sentence: str) -> str:
    """Why the engine refuses something, in the language of the page."""
    frame = _frame(context)
    return translate_refusal(frame.language, sentence, frame.package)


@pass_context
def _moment(context: Context, value: datetime | None) -> Markup:
    """A time in UTC, which the script of the page turns into the reader's zone."""
    return _time_element(context, value, has_clock=True)


@pass_context
def _day(context: Context, value: datetime | None) -> Markup:
    return _time_element(context, value, has_clock=False)


def _time_element(context: Context, value: datetime | None, *, has_clock: bool) -> Markup:
    if value is None:
        return Markup("–")
    day = f"{value.day} {MONTHS[_frame(context).language][value.month - 1]} {value.year}"
    text = f"{day}, {value:%H:%M} UTC" if has_clock else day
    form = "full" if has_clock else "day"
    return Markup('<time datetime="{}" data-form="{}">{}</time>').format(
        value.isoformat(timespec="seconds"), form, text
    )


@pass_context
def _plain(context: Context, value: Any) -> str:
    return plain_value(value, lambda text, **values: _translate(context, text, **values))


@pass_context
def _age(context: Context, value: datetime | None) -> Markup:
    """How long ago, with the time itself for those who ask."""
    if value is None:
        return Markup("–")
    seconds = max(0, int((_frame(context).now - value).total_seconds()))
    text = next(
        (
            _translate(context, words, count=_number(context, seconds // unit))
            for least, unit, words in AGES
            if seconds >= least
        ),
        _translate(context, "just now") if seconds < 60 else _translate(context, "1 minute ago"),
    )
    return Markup('<time datetime="{}" data-form="title">{}</time>').format(
        value.isoformat(timespec="seconds"), escape(text)
    )


@pass_context
def _number(context: Context, value: float | None, digits: int = 0) -> str:
    if value is None:
        return "–"
    text = f"{value:,.{digits}f}"
    if _frame(context).language == "es":
        text = text.replace(",", "\N{NARROW NO-BREAK SPACE}").replace(".", ",")
    return text


@pass_context
def _percent(context: Context, value: float | None, digits: int = 0) -> str:
    """English writes the sign without a space."""
    if value is None:
        return "–"
    space = "" if _frame(context).language == "en" else "\N{NO-BREAK SPACE}"
    return f"{_number(context, value * 100, digits)}{space}%"


@pass_context
def _size(context: Context, value: int | None) -> str:
    if value is None:
        return "–"
    amount, place = float(value), 0
    while amount >= 1_000 and place < len(SIZES) - 1:
        amount, place = amount / 1_000, place + 1
    return f"{_number(context, amount, 1 if place > 0 and amount < 100 else 0)} {SIZES[place]}"
