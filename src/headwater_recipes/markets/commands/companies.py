"""`headwater companies`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from headwater.cli.environment import settings_from
from headwater.cli.options import Json, OptionalLimit, command_group, global_options
from headwater.cli.render.console import cell, console, print_json_lines, print_result, table
from headwater.model.errors import Refused
from headwater.settings.recipes import BUNDLED
from headwater.settings.yaml_edit import append_entry, remove_entry, replace_entry, write_checked
from headwater.settings.yaml_file import load_yaml
from headwater_recipes.markets.watch_list import (
    RECIPE,
    WatchedCompany,
    WatchListFile,
    load_watch_list,
)

app = command_group("List and change the companies of the watch list. Running workers follow within seconds.")
Ticker = Annotated[str, typer.Argument(metavar="TICKER", help="The ticker of a company.")]
ENTITIES = "entities"


@app.command("list")
def list_companies(context: typer.Context, limit: OptionalLimit = None, as_json: Json = False) -> None:
    """List the companies with their names."""
    companies = load_yaml(_file(context), WatchListFile).entities[:limit]
    if as_json:
        print_json_lines(msgspec.structs.asdict(company) for company in companies)
        return
    listing = table(
        "ticker",
        "name",
        "sector",
        "active",
        "other names",
        flexible="other names",
        widths={"name": 24, "sector": 20},
    )
    for company in companies:
        names = ", ".join([*company.aliases, *company.brands])
        active = "yes" if company.active else "no"
        listing.add_row(
            cell(company.ticker, "cyan"), cell(company.name), cell(company.sector), cell(active), cell(names)
        )
    console().print(listing)


@app.command("add")
def add_company(
    context: typer.Context,
    ticker: Ticker,
    *,
    name: Annotated[str, typer.Option(help="The name by which texts call it.")],
    sector: Annotated[str, typer.Option(help="Its sector.")],
    legal_name: Annotated[str, typer.Option(help="Its legal name.")] = "",
    cik: Annotated[str, typer.Option(help="Its number with the regulator.")] = "",
    alias: Annotated[list[str] | None, typer.Option(help="Another name; can be repeated.")] = None,
    brand: Annotated[list[str] | None, typer.Option(help="A brand; can be repeated.")] = None,
    as_json: Json = False,
) -> None:
    """Add a company. Sources with `per_company: true` follow it, too."""
    company = WatchedCompany(
        ticker=ticker,
        name=name,
        sector=sector,
        legal_name=legal_name,
        cik=cik,
        aliases=alias or [],
        brands=brand or [],
    )
    _change(context, lambda text, _: append_entry(text, ENTITIES, _entry(company)))
    print_result({"ticker": ticker}, f"Added {ticker}.", as_json=as_json)


@app.command("remove")
def remove_company(context: typer.Context, ticker: Ticker, as_json: Json = False) -> None:
    """Remove a company. Its sources are paused; its documents stay."""
    _change(context, lambda text, companies: remove_entry(text, ENTITIES, _position(companies, ticker)))
    print_result({"ticker": ticker}, f"Removed {ticker}.", as_json=as_json)


@app.command("pause")
def pause_company(context: typer.Context, ticker: Ticker, as_json: Json = False) -> None:
    """Follow a company no longer, until it is resumed."""
    _update(context, ticker, lambda company: msgspec.structs.replace(company, active=False))
    print_result({"ticker": ticker, "active": False}, f"Paused {ticker}.", as_json=as_json)


@app.command("resume")
def resume_company(context: typer.Context, ticker: Ticker, as_json: Json = False) -> None:
    """Follow a paused company again."""
    _update(context, ticker, lambda company: msgspec.structs.replace(company, active=True))
    print_result({"ticker": ticker, "active": True}, f"Resumed {ticker}.", as_json=as_json)


@app.command("alias")
def change_alias(
    context: typer.Context,
    ticker: Ticker,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name by which texts call the company.")],
    *,
    brand: Annotated[bool, typer.Option("--brand", help="It is the name of a brand.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the name instead of adding it.")] = False,
    as_json: Json = False,
) -> None:
    """Add a name of a company, or remove it. `headwater mentions rerun markets` finds it in older documents."""
    field = "brands" if brand else "aliases"

    def with_names(company: WatchedCompany) -> WatchedCompany:
        others = [other for other in getattr(company, field) if other != name]
        if remove and len(others) == len(getattr(company, field)):
            raise Refused("unknown_name", f"'{name}' is not among the {field} of {ticker}")
        return msgspec.structs.replace(company, **{field: others if remove else [*others, name]})

    _update(context, ticker, with_names)
    done = "no longer a name" if remove else "a name"
    print_result({"ticker": ticker, "name": name}, f"'{name}' is {done} of {ticker}.", as_json=as_json)


def _update(context: typer.Context, ticker: str, change: Callable[[WatchedCompany], WatchedCompany]) -> None:
    def edit(text: str, companies: list[WatchedCompany]) -> str:
        position = _position(companies, ticker)
        return replace_entry(text, ENTITIES, position, _entry(change(companies[position])))

    _change(context, edit)


def _change(context: typer.Context, edit: Callable[[str, list[WatchedCompany]], str]) -> None:
    """Changes the file, unless the list would then be wrong."""
    path = _file(context)
    changed = edit(path.read_text(encoding="utf-8"), load_yaml(path, WatchListFile).entities)
    write_checked(path, changed, load_watch_list)


def _position(companies: list[WatchedCompany], ticker: str) -> int:
    for position, company in enumerate(companies):
        if company.ticker == ticker:
            return position
    raise Refused("unknown_company", f"no company has the ticker '{ticker}'; see `headwater companies list`")


def _entry(company: WatchedCompany) -> Mapping[str, Any]:
    """Without what is the default anyway."""
    defaults = msgspec.structs.asdict(WatchedCompany(ticker="", name="", sector=""))
    fields = msgspec.structs.asdict(company)
    return {
        name: value
        for name, value in fields.items()
        if name in ("ticker", "name", "sector") or value != defaults[name]
    }


def _file(context: typer.Context) -> Path:
    settings = settings_from(global_options(context)).recipes.get(RECIPE)
    if settings is None or settings.sources in (None, BUNDLED):
        raise Refused(
            "no_watch_list", "name your own watch list in the settings first: recipes.markets.sources: FILE"
        )
    path = Path(settings.sources)
    load_watch_list(path)  # Refused, with file, line and field, if it is wrong already
    return path
