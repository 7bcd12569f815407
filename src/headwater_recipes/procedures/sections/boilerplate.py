"""Lines that follow the text of a page and are no part of it: signatures, disclaimers, share links, suggestions, questions
about the page itself."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.parts import SectionLine

SIGNED_AT = re.compile(
    r"^(?:En |A |Dado en )?[A-ZÁÉÍÓÚÀÈÒÑÇ][\w'’·\-]{1,30}(?: [\w'’·\-]{1,30}){0,3}(?:, (?:a )?| a )\d{1,2} (?:de |d['’])?\w{3,12} (?:de |del )?\d{4}\.?$"
)
SIGNER = re.compile(
    r"^(?:fdo|firmado|signat|asinado|sinatua|signed)\b|^(?:el|la|l|o|a|els|los|p[do]) (?:director|alcald|alkate|secretari|conseller|president|presidente|jef[ae]|cap |ministr|concejal|regidor|rector|delegad|diputad|gerente|xefe|conselleir)"
)
VERIFIED = re.compile(
    r"^(?:documento|document|agiria)? ?(?:firmad\w+|signat|asinado|sinatua) (?:electronica|digital|elektronik)\w*|^(?:csv|codigo seguro de verificacion|codi segur de verificacio)\b|^(?:pagina|pag|full|hoja|page) \d+(?: (?:de|of|d) \d+)?$"
)
DISCLAIMER = re.compile(
    r"(?:informaci\w{1,6}|informazio\w{0,6}|contenido|contingut|contido|pagina|ficha|fitxa|texto|text|page|information|edukia)\b.{0,80}(?:orientativ|meramente informativ|merament informati|caracter informati|no (?:tiene|posee|te|constituye) (?:\w+ ){0,2}(?:valor|validez|validesa|efectos?|efectes)|non ten (?:\w+ ){0,2}(?:valor|validez)|no (?:es|es juridicamente) vinculante|for (?:general )?(?:information|guidance) only|no legal (?:value|effect)|legally binding|ez du (?:\w+ ){0,2}(?:balio|ondorio))"
)
UPDATED = re.compile(
    r"^(?:fecha de (?:la )?)?(?:ultima|darrera|last|azken) (?:actualizaci\w+|actualitzaci\w+|modificaci\w+|revisi\w+|updated?|eguneratze\w*|reviewed)\b|^(?:pagina )?(?:actualizad[ao]|actualitzat|actualitzada|eguneratua|updated) (?:el|a|on|o)?\b.{0,30}\d{4}$"
)
USEFUL = re.compile(
    r"(?:te|le|os|t|us) ha (?:sido|resultado|estat|parecido)(?: de)? (?:util|utilidad|utilitat)|(?:foiche|foi) (?:\w+ )?util|was this (?:page|information|content) (?:useful|helpful)|(?:lagungarria|baliagarria) izan (?:zaizu|al)|(?:valor[ae]|puntua|valoreu) (?:esta|aquesta) (?:pagina|informaci\w+)|ayudanos a mejorar|ajuda ns a millorar|help us improve"
)
SUGGESTS = re.compile(
    r"^(?:(?:tambien|tambe|tamen|ademas|quiza|potser|you) )*(?:(?:te|le|os|us|che|lle|et|li) )?(?:puede|podria|pode|pot|may|might) (?:(?:que )?(?:te|le|os|us|che|lle|also|be) )*(?:interes\w*)(?: (?:in|tambien|tambe|tamen|also))?$|^(?:otras personas|altres persones|outras persoas|other people) (?:tambien |tambe |tamen |also )?(?:consult\w+|visit\w+|vieron|viewed)|^(?:ver|vease|veure|vegeu|see) (?:tambien|tambe|also)$"
)
SHARES = re.compile(
    r"^(?:compart\w*|comparteix|partekatu|share|siguenos|segueix nos|follow us)\b(?: \w+){0,6}$"
)
COOKIES = re.compile(
    r"\b(?:cookies?|galetes|galletas|cookieak)\b.{0,200}\b(?:accept\w*|acept\w*|rechaz\w*|rebutj\w*|rexeit\w*|reject\w*|onartu|baztertu)"
)
ABOUT_COOKIES = re.compile(
    r"(?:we|this (?:site|web\w*)|our|este (?:sitio|portal)|esta (?:web|pagina|sede)|aquest\w? \w+|en esta|utilizamos|usamos|utilitzem|fem servir|empregamos|webgune honek)\b.{0,80}\b(?:cookies?|galetes|cookieak)\b"
)
COOKIES_AT_ALL = re.compile(r"\b(?:cookies?|galetes|galletas|cookieak)\b")
PRINTS = re.compile(
    r"(?:imprim\w+|print|inprimatu|versio\w* (?:per|para|de|to)? ?(?:imprimir|impresion|print\w*))\b(?: \w+){0,3}$"
)
WORDS_OF_TITLE = 2
PAGE_OF_PAGES = re.compile(r"^(.{3,160}) (\d{1,2}) ?/ ?(\d{1,2})$")
PAGE_NUMBER = re.compile(r"\b(?:pag|pagina|page|orri\w{0,4}|full|fulla) \d{1,3} (?:de|of|d) \d{1,3}$")
TURNS_PAGE = re.compile(
    r"(?:(?:pagina|articulo|article|artigo|page) )?(?:ant|anterior|previo|prev|previous|aurrekoa|siguiente|seguent|seguinte|next|hurrengoa|sig|seg)|(?:volver|tornar|itzuli|back)(?: \w+){0,3}"
)
FEWEST_MENU_LINKS, MOST_OTHER_WORDS = 3, 8
FOOT = re.compile(
    r"\b(?:aviso legal|avis legal|legal notice|lege oharra|accesibilida\w+|accessibili\w+|irisgarritasun\w*|(?:politica de )?privaci\w+|privacitat|privadesa|privacy|pribatutasun\w*|mapa (?:web|del web|do sitio|del sitio)|web mapa|site ?map|contact[oe]?|contacta)\b"
)
FEWEST_FOOT_LINKS, LONGEST_FOOT, FEWEST_BARS = 3, 6, 2
SOCIAL = frozenset(
    [
        "facebook",
        "twitter",
        "x",
        "whatsapp",
        "linkedin",
        "telegram",
        "instagram",
        "youtube",
        "bluesky",
        "mastodon",
    ]
)
NETWORKS = SOCIAL | frozenset(
    [
        "pinterest",
        "correo",
        "correu",
        "email",
        "e",
        "mail",
        "imprimir",
        "imprimeix",
        "imprimatu",
        "print",
        "pdf",
        "enlace",
        "copiar",
        "copia",
        "copy",
        "link",
        "y",
        "i",
        "and",
        "en",
        "por",
        "per",
        "la",
        "el",
        "a",
    ]
)
FEWEST_NETWORKS = 2
ANSWERS = frozenset({"si", "no", "bai", "ez", "yes", "non", "enviar", "send", "bidali"})
LONGEST_SIGNATURE, LONGEST_SIGNER, LONGEST_LINE = 6, 16, 400


def without_boilerplate(lines: Sequence[SectionLine]) -> list[SectionLine]:
    """The lines that belong to the text of the page."""
    dropped = {
        *_signature(lines), *_foot(lines), *_consent(lines), *_suggestions(lines), *_banner(lines),
        *_running_lines(lines),
    }  # fmt: skip
    return [
        line
        for place, line in enumerate(lines)
        if place not in dropped and (line.kind in {"heading", "rule", "row"} or not _is_boilerplate(line))
    ]


def _running_lines(lines: Sequence[SectionLine]) -> set[int]:
    """Lines with the number of the page, on a page that was printed, and the texts that it repeats from page to page."""
    numbered = {
        place
        for place, line in enumerate(lines)
        if line.kind == "text" and PAGE_NUMBER.search(fold_text(line.text[:LONGEST_LINE]))
    } | _counted_pages(lines)
    if not numbered:
        return set()
    times = Counter(line.text for line in lines if line.kind == "text")
    return numbered | {
        place for place, line in enumerate(lines) if line.kind == "text" and times[line.text] > 1
    }


def _counted_pages(lines: Sequence[SectionLine]) -> set[int]:
    """Lines that count the pages of a print after the same words: "Hoja informativa 1 / 2", "Hoja informativa 2 / 2"."""
    places: dict[tuple[str, int], dict[int, int]] = {}
    for place, line in enumerate(lines):
        match = PAGE_OF_PAGES.match(line.text) if line.kind == "text" else None
        if match is not None and int(match[2]) <= int(match[3]):
            title = " ".join(match[1].split()[-WORDS_OF_TITLE:])
            places.setdefault((title, int(match[3])), {})[int(match[2])] = place
    return {place for pages in places.values() if 1 in pages and 2 in pages for place in pages.values()}


def _banner(lines: Sequence[SectionLine]) -> set[int]:
    """Lines about cookies above the first heading that is not about them. Below it they are what the page is about."""
    about = [COOKIES_AT_ALL.search(fold_text(line.text[:LONGEST_LINE])) is not None for line in lines]
    heading = next((place for place, line in enumerate(lines) if line.kind == "heading"), 0)
    if lines and lines[heading].level > 1 and ABOUT_COOKIES.match(fold_text(lines[heading].text)):
        below = takewhile(lambda place: about[place], range(heading + 1, len(lines)))
        return {*_about_cookies(lines[:heading]), heading, *below}
    return _about_cookies(lines[:heading])


def _about_cookies(lines: Sequence[SectionLine]) -> set[int]:
    return {
        place for place, line in enumerate(lines) if ABOUT_COOKIES.match(fold_text(line.text[:LONGEST_LINE]))
    }


def _is_boilerplate(line: SectionLine) -> bool:
    folded = fold_text(line.text[:LONGEST_LINE])
    return bool(
        VERIFIED.search(folded)
        or DISCLAIMER.search(folded)
        or UPDATED.search(folded)
        or USEFUL.search(folded)
        or SHARES.search(folded)
        or PRINTS.match(folded)
        or _is_menu(line)
        or _turns_page(line, folded)
        or _lists_networks(line, folded.split())
    )


def _turns_page(line: SectionLine, folded: str) -> bool:
    """Whether the line is nothing but a link to the previous or the next article."""
    return bool(line.links) and TURNS_PAGE.fullmatch(folded) is not None


def _is_menu(line: SectionLine) -> bool:
    """Whether the line is a row of links with little else."""
    if len(line.links) < FEWEST_MENU_LINKS or line.text.count("|") < FEWEST_MENU_LINKS - 1:
        return False
    linked = sum(len(link.text.split()) for link in line.links)
    return len(line.text.replace("|", " ").split()) - linked <= MOST_OTHER_WORDS


def _lists_networks(line: SectionLine, words: Sequence[str]) -> bool:
    """Whether the line is a row of links that share the page."""
    if not line.links or len(words) > LONGEST_SIGNER:
        return False
    return set(words) <= NETWORKS or len(set(words) & SOCIAL) >= FEWEST_NETWORKS


def _signature(lines: Sequence[SectionLine]) -> range:
    """The last lines from the place and date of the signature on."""
    for place in range(max(0, len(lines) - LONGEST_SIGNATURE), len(lines)):
        following = lines[place:]
        if any(line.kind in {"heading", "row"} for line in following):
            continue
        signed = SIGNED_AT.match(lines[place].text) or SIGNER.match(fold_text(lines[place].text))
        below = [line for line in following[1:] if line.kind != "rule"]
        signers = [line for line in below if SIGNER.match(fold_text(line.text))]
        if signed and (signers or SIGNED_AT.match(lines[place].text) is None or not below):
            short = all(len(line.text.split()) <= LONGEST_SIGNER for line in following)
            if short and _ends_text(lines, place):
                return range(place, len(lines))
    return range(0)


def _foot(lines: Sequence[SectionLine]) -> range:
    """The last lines from the foot of the site on: legal notice and privacy, and before them the name of the site again."""
    name = next((fold_text(line.text) for line in lines if line.kind == "text"), "")
    for place in range(max(1, len(lines) - LONGEST_FOOT), len(lines)):
        if any(line.kind in {"heading", "row"} for line in lines[place:]):
            continue
        text = lines[place].text[:LONGEST_LINE]
        fewest = FEWEST_FOOT_LINKS - (text.count(" | ") >= FEWEST_BARS)
        if len(FOOT.findall(fold_text(text))) >= fewest:
            repeats_name = bool(name) and fold_text(lines[place - 1].text).startswith(name)
            return range(place - repeats_name, len(lines))
    return range(0)


def _consent(lines: Sequence[SectionLine]) -> set[int]:
    """The request at the end of a page to accept cookies."""
    last = range(max(1, len(lines) - LONGEST_FOOT), len(lines))
    return {place for place in last if COOKIES.search(fold_text(lines[place].text[:LONGEST_LINE]))} | {
        last[0] + place for place in _about_cookies(lines[last[0] :] if last else [])
    }


def _ends_text(lines: Sequence[SectionLine], place: int) -> bool:
    """Whether a text stands before the signature. Directly below a heading, the line is its value."""
    return place > 0 and lines[place - 1].kind not in {"heading", "rule"}


def _suggestions(lines: Sequence[SectionLine]) -> set[int]:
    """Suggestions without a heading, and answers to a question about the page, up to the next text."""
    dropped: set[int] = set()
    suggesting = asking = False
    for place, line in enumerate(lines):
        folded = fold_text(line.text[:LONGEST_LINE])
        if line.kind in {"heading", "rule"}:
            suggesting = asking = False
        elif SUGGESTS.match(folded):
            suggesting = True
            dropped.add(place)
        elif USEFUL.search(folded):
            asking = True
        elif (suggesting and (line.kind == "item" or line.links)) or (
            asking and set(folded.split()) <= ANSWERS
        ):
            dropped.add(place)
        else:
            suggesting = asking = False
    return dropped
