"""The ten rules for addresses, in their order; what each did is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from headwater.pure.urls import SEED_P, canonical, link_type

PAGE_NAMES = ("page", "pagina", "p")


@dataclass(frozen=True, slots=True)
class Address:
    """`url` is canonical; `notes` say what was done or seen: fragment, variant, page, and the kind of link."""

    url: str
    link_type: str
    notes: tuple[str, ...] = ()


def address_of(url: str, variants: Mapping[str, str] | None = None) -> Address:
    """1 parse, 2 https, 3 host in lower case, 4 session parameters, 5 tracking parameters, 6 fragment, 7 trailing
    slash, 8 redirects (followed by the fetcher: `url` is where they ended), 9 www mapping; then 10 the Spanish
    variant where the page names one, a note on paging, and the kind of link. An address that cannot be read is kept.

    `variants` are the addresses of the same page by language.
    """
    notes = []
    split = _parts(url)
    if split is None:
        return Address(url, "section", ("unreadable",))
    if split.fragment and not split.fragment.startswith("!"):
        notes.append(f"fragment:{split.fragment[:80]}")
    chosen = (variants or {}).get("es", "")
    if chosen and canonical(chosen, SEED_P) != canonical(url, SEED_P):
        notes.append("variant:es")
        url = chosen
    found = canonical(url, SEED_P)
    if any(f"&{name}=" in f"&{urlsplit(found).query}" for name in PAGE_NAMES):
        notes.append("paged")
    kind = link_type(found)
    if kind == "homepage":
        notes.append("homepage")
    return Address(found, kind, tuple(notes))


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None
