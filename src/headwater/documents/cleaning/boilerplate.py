"""Boilerplate lines (rights, newsletters, sharing, controls), orphaned lines and repetitions, removed from paragraphs."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from headwater.text.scripts import UNSPACED_LETTER

MAX_BOILERPLATE = 220  # characters: a longer line has content of its own

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

# Labels of buttons and menus: boilerplate when they stand alone in a paragraph.
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
MAX_REMAINDER = 80
FURTHER_SENTENCE = re.compile(r"[.!?]\s+\S")


def compile_patterns(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """All patterns as one, anchored at the start of the line."""
    return re.compile(f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})", re.IGNORECASE)


def is_boilerplate(line: str, pattern: re.Pattern[str]) -> bool:
    """Whether the whole line is a prompt of the site: after the matched words comes at most one more clause, never a
    further sentence."""
    if len(line) > MAX_BOILERPLATE:
        return False
    stripped = line.strip(" \t*_-–—|•·>#").strip()
    match = pattern.match(stripped)
    if match is None:
        return False
    remainder = stripped[match.end() :]
    return len(remainder) <= MAX_REMAINDER and not FURTHER_SENTENCE.search(remainder.rstrip())


STRUCTURE = ("#", "|", "-", "*", "+", ">", "`", "    ")
ENDS_PROSE = re.compile(r"[.!?…。！？؟।][\"'”’»)\]*_]*$")
ENDS_SENTENCE = re.compile(r"[.!?:;…。！？؟।][\"'”’»)\]*_]*$")
MIN_REPEATED = 20  # characters: shorter lines may repeat in an article
TEMPLATE_TIMES = 3
TRAILING_HEADING_WORDS = 2

Paragraph = list[str]


def split_paragraphs(text: str) -> list[Paragraph]:
    return [block.split("\n") for block in text.split("\n\n") if block.strip()]


def join_paragraphs(paragraphs: Iterable[Paragraph]) -> str:
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def without_repeats(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Without repeated paragraphs and without template lines that occur three times or more; the first one stays."""
    times = Counter(_key(line) for lines in paragraphs for line in lines)
    earlier_paragraphs: set[str] = set()
    earlier_lines: set[str] = set()
    remaining: list[Paragraph] = []
    removed = 0
    for lines in paragraphs:
        key = _key("\n".join(lines))
        if key in earlier_paragraphs and _is_repetition_candidate(key):
            removed += 1
            continue
        earlier_paragraphs.add(key)
        new_lines = [line for line in lines if not _is_template(line, times, earlier_lines)]
        removed += len(lines) - len(new_lines)
        if new_lines:
            remaining.append(new_lines)
    return remaining, removed


def _is_repetition_candidate(key: str) -> bool:
    return len(key) >= MIN_REPEATED and not key.startswith(("#", "|"))


def _is_template(line: str, times: Counter[str], earlier_lines: set[str]) -> bool:
    key = _key(line)
    if times[key] < TEMPLATE_TIMES or not _is_repetition_candidate(key):
        return False
    repeated = key in earlier_lines
    earlier_lines.add(key)
    return repeated


def without_boilerplate(
    paragraphs: Sequence[Paragraph], pattern: re.Pattern[str]
) -> tuple[list[Paragraph], int]:
    remaining = [[line for line in lines if not is_boilerplate(line, pattern)] for lines in paragraphs]
    removed = sum(map(len, paragraphs)) - sum(map(len, remaining))
    return [lines for lines in remaining if lines], removed


def without_orphans(paragraphs: Sequence[Paragraph]) -> tuple[list[Paragraph], int]:
    """Without single lines that carry no content: rules and dots, labels of buttons, a heading at the very end."""
    remaining = [lines for lines in paragraphs if not _is_orphan(lines)]
    if len(remaining) > 1 and ENDS_PROSE.search(remaining[-2][-1]) and _is_trailing_heading(remaining[-1]):
        remaining.pop()  # after other short lines it is the last item of a list
    return remaining, len(paragraphs) - len(remaining)


def _is_orphan(lines: Paragraph) -> bool:
    if len(lines) != 1:
        return False
    stripped = lines[0].strip(" *_#>|•·–—-:»«›‹…[]()").casefold()
    return stripped in CONTROLS or not any(map(str.isalnum, stripped))


def _is_trailing_heading(lines: Paragraph) -> bool:
    if len(lines) != 1 or ENDS_SENTENCE.search(lines[0]):
        return False
    heading = lines[0].startswith("#")
    if not heading and lines[0].startswith(STRUCTURE):
        return False
    if UNSPACED_LETTER.search(lines[0]):
        return False  # one "word" may be a whole sentence there
    return len(lines[0].split()) <= TRAILING_HEADING_WORDS + heading
