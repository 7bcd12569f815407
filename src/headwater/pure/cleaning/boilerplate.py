"""Lines that belong to the site, not to the article: rights, newsletters, sharing; and single words of its controls."""

import re

LONGEST = 220  # characters: a longer line says something of its own

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


def compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """All patterns as one, from the beginning of the line."""
    return re.compile(f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})", re.IGNORECASE)


def is_boilerplate(line: str, pattern: re.Pattern[str]) -> bool:
    """Whether the whole line is a prompt of the site: what follows the prompt's words is at most punctuation or one
    more clause, never further sentences."""
    if len(line) > LONGEST:
        return False
    bare = line.strip(" \t*_-–—|•·>#").strip()
    match = pattern.match(bare)
    if match is None:
        return False
    rest = bare[match.end() :]
    return len(rest) <= LONGEST_REST and not FURTHER_SENTENCE.search(rest.rstrip())
