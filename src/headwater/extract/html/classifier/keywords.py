"""Names of elements and phrases of boilerplate as bit masks, found in one pass per page."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from ahocorasick_rs import AhoCorasick, Implementation

Numbers = npt.NDArray[np.int64]

# Substrings of class, id, role and itemprop values. The order is the order of the bits: append, never reorder.
NAME_GROUPS: tuple[tuple[str, ...], ...] = (
    ("content", "contenido", "inhalt", "contenu"),
    ("article", "artikel", "articulo", "articolo", "story", "newsdetail", "news-detail"),
    ("body", "text", "copy", "prose", "paragraph", "richtext", "rich-text", "wysiwyg", "markdown"),
    ("main", "primary", "principal"),
    ("articlebody", "article-body", "article__body", "entry-content", "post-content", "post-body", "story-body", "role-main"),
    ("nav", "menu", "breadcrumb", "skip"),
    ("foot", "copyright", "colophon", "legal"),
    ("header", "masthead", "banner", "topbar", "hero"),
    ("side", "aside", "rail", "widget", "complementary"),
    ("share", "social", "follow", "facebook", "twitter", "whatsapp"),
    ("related", "recommend", "more-", "-more", "readmore", "trending", "popular", "also", "similar", "teaser", "upnext", "latest"),
    ("advert", "sponsor", "promo", "-ad-", "ad-", "ads", "banner-ad", "outbrain", "taboola", "affiliate", "commercial"),
    ("comment", "disqus", "respond", "reply", "kommentar", "comentario", "reacties", "yorum"),
    ("forum", "thread", "message", "post__", "topic", "answer", "question", "discussion"),
    ("byline", "author", "autor", "meta", "date", "time", "published", "contributor", "dateline", "timestamp"),
    ("caption", "figure", "image", "photo", "media", "gallery", "slide", "carousel", "credit", "video"),
    ("title", "headline", "heading", "kicker", "titel", "subtitle", "deck", "standfirst", "lead", "intro", "summary", "excerpt"),
    ("newsletter", "subscri", "signup", "sign-up", "cta", "call-to-action", "donate", "paywall", "offer"),
    ("cookie", "consent", "gdpr", "modal", "popup", "overlay", "dialog", "toast", "lightbox"),
    ("hidden", "sr-only", "screen-reader", "visually", "print", "collapse", "mobile", "noscript"),
    ("tag", "categor", "label", "keyword", "badge", "chip"),
    ("pager", "pagination", "prev", "next", "page-numbers"),
    ("form", "cart", "search", "input", "filter", "button", "btn", "login", "checkout", "wishlist", "toolbar"),
    ("product", "price", "spec", "feature", "sku", "description", "detail"),
    ("list", "card", "item", "grid", "tile", "row", "result", "feed"),
    ("bio", "about-the-author", "profile", "avatar", "user"),
    ("toc", "table-of-contents", "contents", "anchor", "index"),
    ("faq", "accordion", "tab", "panel", "toggle"),
    ("footnote", "reference", "citation", "source", "notes", "bibliograph"),
    ("review", "rating", "testimonial", "stars", "score"),
    ("quote", "pull", "blockquote", "callout", "box", "infobox", "factbox", "note", "tip"),
    ("code", "highlight", "syntax", "api", "docs", "doc-", "method", "signature"),
)  # fmt: skip
COMMENT_BIT = 1 << next(number for number, group in enumerate(NAME_GROUPS) if "comment" in group)
# Phrases of short boilerplate, in the languages of most pages.
PHRASE_GROUPS: tuple[tuple[str, ...], ...] = (
    ("share", "tweet", "facebook", "whatsapp", "linkedin", "pinterest", "teilen", "compartir", "partager", "condividi", "follow us", "instagram"),
    ("subscribe", "newsletter", "sign up", "abonn", "suscr", "iscriviti", "inscri", "register now", "your email", "anmelden"),
    ("read more", "read also", "related", "recommended", "more from", "you may", "might also", "lesen sie", "weiterlesen", "mehr zum", "leer más", "lire aussi", "leggi anche", "see also", "más sobre", "à lire", "up next", "most popular", "trending", "latest"),
    ("©", "copyright", "all rights", "rights reserved", "alle rechte", "derechos reservados", "tous droits", "privacy policy", "terms of", "impressum", "datenschutz"),
    ("cookie", "consent", "gdpr"),
    ("comment", "reply", "kommentar", "comentario", "commentaire", "commenti", "responses", "antworten"),
    ("advertisement", "sponsored", "anzeige", "publicidad", "publicité", "pubblicità", "werbung", "affiliate", "commission"),
    ("log in", "login", "sign in", "my account", "password", "anmeldung", "iniciar sesión", "connexion", "accedi"),
    ("photo", "image", "foto", "getty", "reuters", "credit:", "bild:", "courtesy", "shutterstock", "illustration"),
    ("by ", "von ", "por ", "par ", "written by", "author", "redaktion", "autor", "posted by", "staff"),
    ("updated", "published", "posted on", "min read", "minutes read", "ago", "aktualisiert", "veröffentlicht", "publicado", "publié", "last modified", "uhr"),
    ("tags", "categor", "filed under", "topics", "schlagw", "etiquetas", "themen"),
    ("cart", "add to", "checkout", "in stock", "free shipping", "wishlist", "warenkorb", "buy now", "quantity", "shop"),
    ("menu", "skip to", "home", "search", "contact", "about us", "suche", "startseite", "kontakt", "back to top", "inicio", "accueil"),
    ("next", "previous", "page ", "weiter", "zurück", "siguiente", "anterior", "suivant", "show more", "load more", "view all", "see all"),
    ("click here", "download", "print", "e-mail", "email", "pdf", "drucken", "subscribe to our", "follow", "support us", "donate", "join"),
    ("likes", "views", "reads", "votes", "upvote", "joined", "posts:", "member", "quote", "report", "rating", "stars", "reviews"),
)  # fmt: skip
# Phrases later in a text say nothing about it.
_SEARCHED = 200


def _index(groups: Sequence[Sequence[str]]) -> tuple[AhoCorasick, list[int]]:
    """The automaton of all words, and the group of each."""
    words = [(word, number) for number, group in enumerate(groups) for word in group]
    return AhoCorasick([word for word, _ in words], implementation=Implementation.DFA), [
        number for _, number in words
    ]


_NAMES, _name_groups = _index(NAME_GROUPS)
_NAME_BITS = [1 << number for number in _name_groups]
_PHRASES, _phrase_groups = _index(PHRASE_GROUPS)
_PHRASE_GROUPS = np.array(_phrase_groups)


def name_mask(names: str) -> int:
    """Of one element: those of a site have few different names, so that a caller can remember them."""
    mask = 0
    for word, _, _ in _NAMES.find_matches_as_indexes(names.lower(), overlapping=True):
        mask |= _NAME_BITS[word]
    return mask


def phrases_in(texts: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Which of the texts, in lower case, begin with or soon hold a phrase, and the group of that phrase. The automaton runs once over
    all of them, one line each."""
    lengths = list(map(len, texts))
    if lengths and max(lengths) > _SEARCHED:
        texts = [text[:_SEARCHED] for text in texts]
        lengths = list(map(len, texts))
    matches = _PHRASES.find_matches_as_indexes("\n".join(texts), overlapping=True)
    if not matches:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    words, starts, _ = np.array(matches, np.int64).T
    ends = np.add.accumulate(np.array(lengths, np.int64) + 1)
    return ends.searchsorted(starts, side="right"), _PHRASE_GROUPS.take(words)
