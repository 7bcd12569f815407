"""The kinds of source that any recipe can use, with their options."""

from collections.abc import Mapping

from headwater.model.errors import Permanent
from headwater.model.source import Source
from headwater.model.source_kind import SourceKind
from headwater.sources.crawl.poll import discover_crawl
from headwater.sources.crawl.settings import read_crawl_settings
from headwater.sources.feeds.poll import discover_feed, fallback_urls
from headwater.sources.json_items import check_json_items, discover_json_items
from headwater.sources.newsletters import check_newsletters, discover_newsletters
from headwater.sources.options import bad_option, bool_option, duration_option, list_option
from headwater.sources.page_section import discover_page_section
from headwater.sources.seeds import discover_seeds, parse_seed_entries
from headwater.sources.sitemaps.poll import discover_sitemap, read_sitemap_options

FULL_TEXT = (True, False, "auto")


def _check_feed(source: Source) -> None:
    if source.options.get("full_text", "auto") not in FULL_TEXT:
        raise bad_option("full_text", f"true, false or auto is needed, not {source.options['full_text']!r}")
    list_option(source.options, "fallback")
    for address in fallback_urls(source):
        if not address.startswith(("http://", "https://")):
            raise bad_option("fallback", f"'{address}' is not an http(s) address")
    bool_option(source.options, "adaptive_interval")


def _check_seeds(source: Source) -> None:
    duration_option(source.options, "recheck_every")
    if "urls" not in source.options and "file" not in source.options and not source.url:
        raise bad_option(
            "urls", "give a list of addresses, a file that holds one, or the address of the source"
        )


def _seed_addresses(source: Source) -> list[str]:
    try:
        return [seed.url for seed in parse_seed_entries(source.options.get("urls", ()))]
    except Permanent as error:
        raise bad_option("urls", error.detail) from error


def _check_page(source: Source) -> None:
    selector = source.options.get("selector", "body")
    if not isinstance(selector, str) or not selector.strip():
        raise bad_option("selector", "a CSS selector such as main or #news is needed")


def _check_crawl(source: Source) -> None:
    """A poll lowers a value that is too high, so that a source of an earlier version goes on; whoever writes one hears it."""
    settings = read_crawl_settings(source)
    for name, limit in (("depth", settings.depth), ("pages", settings.pages)):
        if source.options.get(name, limit) > limit:
            further = "" if source.options.get("beyond_limits") else "; more needs `beyond_limits: true`"
            raise bad_option(name, f"at most {limit}{further}")


FEED = SourceKind(
    discover=discover_feed,
    help="An RSS, Atom or JSON feed, however broken.",
    options={
        "full_text": "Whether entries carry the whole article: true, false, or auto (the default), which decides per entry.",
        "fallback": "An address, or several, to read when the feed cannot be read.",
        "adaptive_interval": "False keeps the configured schedule, however often the feed publishes.",
    },
    check=_check_feed,
    addresses=fallback_urls,
)
SITEMAP = SourceKind(
    discover=discover_sitemap,
    help="The sitemaps of a site, or one sitemap.",
    options={
        "include": "Parts of an address, or patterns that begin with `re:` (the syntax of RE2: no look-around); only such addresses are "
        "taken.",
        "exclude": "Parts of an address, or patterns; such addresses are left out.",
        "hosts": "Further hosts whose addresses are taken; `*` for any.",
        "most": "The most leads per poll; 500,000 by default.",
        "files": "The most sitemap files per poll; 1,000 by default.",
        "depth": "How deep indexes may be nested; at most 3.",
        "trust_lastmod": "True skips a file whose date in the index has not changed.",
    },
    check=read_sitemap_options,
)
CRAWL = SourceKind(
    discover=discover_crawl,
    help="A site without feed or sitemap: its pages are followed from one or more starts.",
    options={
        "starts": "Further pages to start from, besides the address.",
        "subdomains": "True follows links to subdomains.",
        "include": "Parts of an address, or patterns that begin with `re:` (the syntax of RE2: no look-around); only such pages are "
        "followed.",
        "exclude": "Parts of an address, or patterns; such pages are not followed.",
        "page_patterns": "Only pages whose address matches one of these become documents.",
        "markers": "Only pages whose text holds these words become documents.",
        "least_markers": "How many of the markers a page must hold; 1 by default.",
        "depth": "How many links from a start; 3 by default and at most.",
        "pages": "The most pages per poll; 500 by default and at most.",
        "per_shape": "The most pages whose addresses have the same shape; 100 by default.",
        "beyond_limits": "True allows a depth of 20 and 50,000 pages.",
    },
    check=_check_crawl,
    addresses=lambda source: list_option(source.options, "starts"),
)
SEEDS = SourceKind(
    discover=discover_seeds,
    help="A list of addresses, in the source itself or in a file.",
    options={
        "urls": "Addresses, or mappings with `url`, `title`, `version`, `published`, `subject` and further values.",
        "file": "A file with one address per line, or a .csv or .yaml file.",
        "recheck_every": "How often each address is fetched again: 12h, 7d.",
    },
    check=_check_seeds,
    places=("file",),
    addresses=_seed_addresses,
    needs_url=False,
)
PAGE = SourceKind(
    discover=discover_page_section,
    help="One page that is watched: a new revision whenever its text changes.",
    options={"selector": "The part of the page that counts, as a CSS selector; the whole page by default."},
    check=_check_page,
)
JSON_ITEMS = SourceKind(
    discover=discover_json_items,
    help="A JSON API: a list of items, whose fields a map names.",
    options={
        "items": "The path to the list of items, such as `data.articles`; without it the answer itself is the list.",
        "fields": "Field to path within an item: `id`, `url`, `title`, `published`, `updated`, `text`, `subject`, `authors`, "
        "`summary`, `categories`, `image`, `language`, `publisher`. Other names become attributes.",
        "next_page": "The path to the address of the next page.",
        "max_pages": "The most pages per poll; 10 by default.",
        "key": "The key of the API: `{header: X-Api-Key, variable: NAME}` reads it from an environment variable; `scheme` "
        "precedes it.",
    },
    check=check_json_items,
    variables=("key",),
)
NEWSLETTERS = SourceKind(
    discover=discover_newsletters,
    help="Newsletters in a mail folder: a Maildir, or a folder of .eml files.",
    options={
        "folder": "The folder. It is only read.",
        "senders": "Parts of addresses; only messages from such senders are taken.",
    },
    check=check_newsletters,
    places=("folder",),
    needs_url=False,
)

STANDARD_KINDS: Mapping[str, SourceKind] = {
    "feed": FEED,
    "sitemap": SITEMAP,
    "crawl": CRAWL,
    "seeds": SEEDS,
    "page": PAGE,
    "json": JSON_ITEMS,
    "mail": NEWSLETTERS,
}
