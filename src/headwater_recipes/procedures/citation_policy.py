"""Which addresses may be cited: official ones, in canonical form. Sites that only write about the administration are blocked."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from headwater.text.urls import canonical_url, host_of
from headwater_recipes.procedures.link_type import link_type
from headwater_recipes.procedures.registry.portals import PortalRegistry
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

_BLOCKED_BY_KIND: Mapping[str, str] = {
    "forum": "forocoches.com burbuja.info rankia.com reddit.com quora.com",
    "social": "facebook.com instagram.com twitter.com x.com tiktok.com youtube.com linkedin.com t.me whatsapp.com pinterest.com",
    "encyclopedia": "wikipedia.org wikihow.com",
    "news": "elpais.com elmundo.es abc.es lavanguardia.com 20minutos.es elconfidencial.com eldiario.es larazon.es publico.es",
    "aggregator": "citapreviainem.es todotramites.com tramitesygestiones.com buscooposiciones.com",
    "commercial_law": "legalitas.com abogados365.com iberley.es",
    "agency": "gestoria.com gestorias.es tugestor.es",
    "assistant": "chatgpt.com openai.com perplexity.ai gemini.google.com copilot.microsoft.com",
    "content_farm": "scribd.com slideshare.net coursehero.com",
}
BLOCKED: Mapping[str, str] = {
    domain: kind for kind, domains in _BLOCKED_BY_KIND.items() for domain in domains.split()
}
BLOCKED_PATTERNS = ("*.wordpress.com", "*.blogspot.com", "*.medium.com", "*.notion.site")

# Reserved top-level names: only tests and the demo internet use them.
PAGE_PARAMETERS = ("page", "pagina", "p")
RESERVED = ("example", "test", "localhost", "invalid")


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    allowed: bool
    rule: str


def judge_citation(url: str, registry: PortalRegistry) -> CitationVerdict:
    """The first rule that applies: blocked domain, blocked pattern, *.gob.es, a registered domain or its subdomain; all other
    addresses are refused."""
    host = host_of(url).removeprefix("www.")
    labels = host.split(".")
    domains = {".".join(labels[start:]) for start in range(len(labels))}
    if kind := next((BLOCKED[name] for name in domains if name in BLOCKED), ""):
        return CitationVerdict(False, f"blocked:{kind}")
    if any(_matches_pattern(host, pattern) for pattern in BLOCKED_PATTERNS):
        return CitationVerdict(False, "blocked:pattern")
    if host.endswith(".gob.es"):
        return CitationVerdict(True, "gob.es")
    if (owner := registry.owner(url)) is not None:
        return CitationVerdict(True, f"registry:{owner.id}")
    if labels[-1] in RESERVED:
        return CitationVerdict(True, "reserved")
    return CitationVerdict(False, "not_registered")


def _matches_pattern(host: str, pattern: str) -> bool:
    """`*` stands for one label."""
    parts, labels = pattern.split("."), host.split(".")
    return len(parts) == len(labels) and all(
        part in ("*", label) for part, label in zip(parts, labels, strict=True)
    )


@dataclass(frozen=True, slots=True)
class CitationAddress:
    """`url` is canonical. `notes` record what was changed or seen: fragment, variant, paging, homepage."""

    url: str
    link_type: str
    notes: tuple[str, ...] = ()


def citation_address(url: str, variants: Mapping[str, str] | None = None) -> CitationAddress:
    """Apply the ten rules in order: 1 parse, 2 https, 3 lower-case host, 4 session parameters, 5 tracking parameters,
    6 fragment, 7 trailing slash, 8 redirects (`url` is already their target), 9 www mapping, 10 the Spanish variant where
    the page names one. An unreadable address stays as it is.

    `variants`: the addresses of the same page by language.
    """
    notes = []
    split = _split_address(url)
    if split is None:
        return CitationAddress(url, "section", ("unreadable",))
    route = f"#{split.fragment}" if split.fragment.startswith("/") else ""  # of a page that a script draws
    if split.fragment and not route and not split.fragment.startswith("!"):
        notes.append(f"fragment:{split.fragment[:80]}")
    spanish = (variants or {}).get("es", "")
    if spanish and canonical_url(spanish, PROCEDURE_URL_RULES) != canonical_url(url, PROCEDURE_URL_RULES):
        notes.append("variant:es")
        url, route = spanish, ""
    canonical = f"{canonical_url(url, PROCEDURE_URL_RULES)}{route}"
    if any(f"&{name}=" in f"&{urlsplit(canonical).query}" for name in PAGE_PARAMETERS):
        notes.append("paged")
    kind: str = "informative" if route else link_type(canonical)
    if kind == "homepage":
        notes.append("homepage")
    return CitationAddress(canonical, kind, tuple(notes))


def _split_address(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None
