"""robots.txt in its usual variants."""

from headwater_demo.publishers import Publisher
from headwater_demo.site import SiteResponse, page, plain

_RULES = {
    "open": "User-agent: *\nDisallow:\n",
    "disallow": "User-agent: *\nDisallow: /private/\nDisallow: /search\nDisallow: /*.pdf$\nAllow: /private/press\n",
    "delay": "User-agent: *\nCrawl-delay: 2\nDisallow: /cart\n",
    "groups": "\ufeffUser-agent: grabber\r\nDisallow: /\r\n\r\nUser-agent: headwater\r\nDisallow: /intern/\r\nCrawl-delay: 0.5\r\n\r\nUser-agent: *\r\nDisallow: /suche\r\n",
}


def robots(publisher: Publisher) -> SiteResponse:
    if publisher.robots == "missing":
        return page("<h1>Not found</h1>", status=404)
    if publisher.robots == "failing":
        return page("<h1>Service unavailable</h1>", status=503)
    return plain(f"{_RULES[publisher.robots]}\nSitemap: http://{publisher.host}{sitemap_path(publisher)}\n")


def sitemap_path(publisher: Publisher) -> str:
    return {
        "index": "/sitemap_index.xml",
        "packed": "/sitemap.xml.gz",
        "text": "/sitemap.txt",
        "plain": "/sitemap.xml",
    }[publisher.sitemap]
