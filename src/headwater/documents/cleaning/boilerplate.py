"""Lines that belong to the site, not to the article: rights, newsletters, sharing; and single words of its controls."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

LONGEST_BOILERPLATE = 220  # characters: a longer line says something of its own

_NETWORKS = (
    r"(?:facebook|twitter|x|whatsapp|linkedin|instagram|telegram|youtube|tiktok|bluesky|mastodon|pinterest|reddit|e-?mail|"
    r"social media|redes sociales|xarxes socials|redes sociais|sare sozialetan|réseaux sociaux|social)"
)
_ALL_RIGHTS = (
    r"(?:all rights reserved|todos los derechos reservados|tots els drets reservats|todos os dereitos reservados|"
    r"eskubide guztiak (?:erreserbatuta|gordeta)|todos os direitos reservados|tous droits réservés|"
    r"tutti i diritti riservati|alle rechte vorbehalten|alle rechten voorbehouden)"
)
RIGHTS = (
    r"(?:copyright\s*)?(?:©|\(c\))\s*(?:copyright\s*)?\d{4}.*",
    r"copyright\s*\d{4}\b.*|(?:copyright\s*)?©\s*\S",
    rf".{{0,120}}\b{_ALL_RIGHTS}\s*(?:[.|–—-]|$)",
)
NEWSLETTER = (
    r"(?:subscribe|sign up|register|join)\b.{0,60}\b(?:newsletters?|mailing list)\b",
    r"get\b.{0,60}\b(?:in|to) your inbox\b",
    r"(?:suscríbete|suscríbase|apúntate|inscríbete|regístrate|recibe)\b.{0,60}\b(?:newsletters?|bolet(?:ín|ines))\b",
    r"(?:subscriu-te|subscriviu-vos|apunta't|rep)\b.{0,60}\b(?:newsletters?|butllet(?:í|ins))\b",
    r"(?:subscríbete|subscríbase)\b.{0,60}\b(?:newsletters?|boletín|boletíns)\b",
    r"(?:harpidetu|eman izena|jaso)\b.{0,60}(?:newsletter|buletin)",
    r"(?:assine|inscreva-se|subscreva|receba)\b.{0,60}\b(?:newsletters?|boletim)\b",
    r"(?:abonnez-vous|inscrivez-vous|recevez)\b.{0,60}\b(?:newsletters?|lettre d['’]information|infolettre)\b",
    r"(?:iscriviti|iscrivetevi|abbonati|ricevi)\b.{0,60}\bnewsletter\b",
    r"(?:abonnieren|melden) sie\b.{0,60}\bnewsletter\b|jetzt\b.{0,30}\bnewsletter\b",
    r"(?:abonneer|meld|schrijf) (?:je|u)\b.{0,60}\b(?:nieuwsbrief|newsletter)\b",
)
SHARE = (
    r"share (?:this|the) (?:article|story|post|page|news|link)\b|share (?:this|it)?\W*$",
    rf"share (?:this |it )?(?:on|via|with)\b.{{0,20}}\b{_NETWORKS}\b|follow us (?:on|at) {_NETWORKS}\b|follow us\W*$",
    r"compart(?:e|ir|a|eix|iu|elle) (?:este|esta|el|la|aquest|aquesta) (?:artículo|noticia|página|entrada|article|notícia|pàgina)\b",
    rf"compart(?:e|ir|a|eix|iu)\b.{{0,20}}\b(?:en|por|a|per|no|na|nas)\b.{{0,8}}\b{_NETWORKS}\b|compártelo\b",
    rf"(?:síguenos|segueix-nos|séguenos|siga-nos|seguici|suivez-nous|folgen sie uns|volg ons)\b.{{0,20}}\b{_NETWORKS}\b",
    r"(?:compartilhe|partilhe|partilhar|compartilhar) (?:este|esta|o|a) (?:artigo|notícia|página)\b",
    rf"(?:compartilhe|partilhe|partilhar)\b.{{0,20}}\b{_NETWORKS}\b|partekatu\b.{{0,20}}\b{_NETWORKS}",
    rf"partag(?:er|ez) (?:cet|cette|sur)\b.{{0,20}}\b(?:article|page|{_NETWORKS})\b",
    rf"condividi (?:questo|questa|su)\b.{{0,20}}\b(?:articolo|pagina|{_NETWORKS})\b",
    rf"(?:artikel|beitrag|seite) teilen\W*$|teilen (?:auf|per|via) {_NETWORKS}\b|deel dit (?:artikel|bericht)\b",
    r"tweet this\b|pin it\W*$|e-?mail this (?:article|story|page)\b",
)

# What buttons and menus say. Alone in a paragraph it is no sentence of the article.
CONTROLS = frozenset(
    (
        *("advertisement", "anzeige", "publicidad", "publicitat", "publicidade", "publicité", "pubblicità"),
        *("publizitatea", "reclame", "close", "cerrar", "tancar", "pechar", "itxi", "fechar", "fermer"),
        *("chiudi", "schließen", "menu", "menú", "search", "buscar", "cercar", "bilatu", "rechercher"),
        *("cerca", "suche", "login", "log in", "sign in", "iniciar sesión", "print", "imprimir"),
        *("imprimeix", "inprimatu", "imprimer", "stampa", "drucken", "read more", "leer más", "llegir més"),
        *("ler máis", "irakurri gehiago", "leia mais", "lire la suite", "leggi tutto", "weiterlesen"),
        *("lees meer", "comments", "comentarios", "comentaris", "comentários", "commentaires", "commenti"),
        *("kommentare", "share", "facebook", "twitter", "x", "linkedin", "instagram", "telegram"),
        *("whatsapp", "email", "e-mail", "back to top", "volver arriba", "skip to content", "next"),
        *("previous", "siguiente", "anterior", "següent", "seguinte", "hurrengoa", "aurrekoa", "suivant"),
        *("précédent", "home", "inicio", "inici", "hasiera", "accueil", "loading", "cargando"),
        *("related articles", "artículos relacionados", "see also", "ver también"),
    )
)

DEFAULT_PATTERNS: tuple[str, ...] = (*RIGHTS, *NEWSLETTER, *SHARE)
LONGEST_REST = 80
FURTHER_SENTENCE = re.compile(r"[.!?]\s+\S")


def compile_patterns(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """All patterns as one, from the beginning of the line."""
    return re.compile(f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})", re.IGNORECASE)


def is_boilerplate(line: str, pattern: re.Pattern[str]) -> bool:
    """Whether the whole line is a prompt of the site: what follows the prompt's words is at most punctuation or one
    more clause, never further sentences."""
    if len(line) > LONGEST_BOILERPLATE:
        return False
    bare = line.strip(" \t*_-–—|•·>#").strip()
    match = pattern.match(bare)
    if match is None:
        return False
    rest = bare[match.end() :]
    return len(rest) <= LONGEST_REST and not FURTHER_SENTENCE.search(rest.rstrip())


STRUCTURE = ("#", "|", "-", "*", "+", ">", "`", "    ")
ENDS_PROSE = re.compile(r"[.!?…。！？؟।][\"'”’»)\]*_]*$")
ENDS_SENTENCE = re.compile(r"[.!?:;…。！？؟।][\"'”’»)\]*_]*$")
REPEATED_FROM = 20  # characters: shorter lines may well be said twice
TEMPLATE_TIMES = 3
LAST_WORDS = 2

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff]")

Paragraph = list[str]


def split_paragraphs(text: str) -> list[Paragraph]:
    return [block.split("\n") for block in text.split("\n\n") if block.strip()]


def join_paragraphs(paragraphs: Iterable[Paragraph]) -> str:
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def without_repeats(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Paragraphs said before go, and lines of a template that come three times and more; the first stays."""
    times = Counter(_key(line) for lines in paragraphs for line in lines)
    seen: set[str] = set()
    seen_lines: set[str] = set()
    kept: list[Paragraph] = []
    gone = 0
    for lines in paragraphs:
        key = _key("\n".join(lines))
        if key in seen and _counts(key):
            gone += 1
            continue
        seen.add(key)
        fresh = [line for line in lines if not _is_template(line, times, seen_lines)]
        gone += len(lines) - len(fresh)
        if fresh:
            kept.append(fresh)
    return kept, gone


def _counts(key: str) -> bool:
    return len(key) >= REPEATED_FROM and not key.startswith(("#", "|"))


def _is_template(line: str, times: Counter[str], seen: set[str]) -> bool:
    key = _key(line)
    if times[key] < TEMPLATE_TIMES or not _counts(key):
        return False
    repeated = key in seen
    seen.add(key)
    return repeated


def without_boilerplate(
    paragraphs: Sequence[Paragraph], pattern: re.Pattern[str]
) -> tuple[list[Paragraph], int]:
    kept = [[line for line in lines if not is_boilerplate(line, pattern)] for lines in paragraphs]
    gone = sum(map(len, paragraphs)) - sum(map(len, kept))
    return [lines for lines in kept if lines], gone


def without_orphans(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Single lines that say nothing: strokes and dots, the words of buttons, and a heading at the end with nothing
    under it."""
    kept = [lines for lines in paragraphs if not _is_orphan(lines)]
    if len(kept) > 1 and ENDS_PROSE.search(kept[-2][-1]) and _introduces_nothing(kept[-1]):
        kept.pop()  # after other short lines it would be the last one of a list
    return kept, len(paragraphs) - len(kept)


def _is_orphan(lines: Paragraph) -> bool:
    if len(lines) != 1:
        return False
    bare = lines[0].strip(" *_#>|•·–—-:»«›‹…[]()").casefold()
    return bare in CONTROLS or not any(map(str.isalnum, bare))


def _introduces_nothing(lines: Paragraph) -> bool:
    if len(lines) != 1 or ENDS_SENTENCE.search(lines[0]):
        return False
    heading = lines[0].startswith("#")
    if not heading and lines[0].startswith(STRUCTURE):
        return False
    if UNSPACED.search(lines[0]):
        return False  # one "word" there may be a whole sentence
    return len(lines[0].split()) <= LAST_WORDS + heading
