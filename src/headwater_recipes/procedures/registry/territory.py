"""The territory of a procedure, by the name of its organism and the host of its page."""

import re
from collections.abc import Mapping, Sequence

from headwater.text.folding import fold_text

COMMUNITIES: Mapping[str, str] = {
    "andalucia": "andalucia",
    "aragon": "aragon",
    "asturias": "asturias",
    "illes balears": "illes-balears",
    "islas baleares": "illes-balears",
    "baleares": "illes-balears",
    "canarias": "canarias",
    "cantabria": "cantabria",
    "castilla la mancha": "castilla-la-mancha",
    "castilla y leon": "castilla-y-leon",
    "cataluna": "cataluna",
    "catalunya": "cataluna",
    "generalitat valenciana": "comunitat-valenciana",
    "comunitat valenciana": "comunitat-valenciana",
    "comunidad valenciana": "comunitat-valenciana",
    "extremadura": "extremadura",
    "galicia": "galicia",
    "xunta": "galicia",
    "comunidad de madrid": "comunidad-de-madrid",
    "region de murcia": "region-de-murcia",
    "murcia": "region-de-murcia",
    "navarra": "navarra",
    "navarre": "navarra",
    "catalonia": "cataluna",
    "andalusia": "andalucia",
    "basque country": "pais-vasco",
    "basque government": "pais-vasco",
    "balearic islands": "illes-balears",
    "canary islands": "canarias",
    "nafarroa": "navarra",
    "pais vasco": "pais-vasco",
    "euskadi": "pais-vasco",
    "eusko jaurlaritza": "pais-vasco",
    "gobierno vasco": "pais-vasco",
    "osakidetza": "pais-vasco",
    "lanbide": "pais-vasco",
    "la rioja": "la-rioja",
    "ceuta": "ceuta",
    "melilla": "melilla",
}
# Adjectives of the communities, by which agencies and foundations are named: "Axencia Galega da Pesca".
OF_COMMUNITY: Mapping[str, str] = {
    "andaluz": "andalucia",
    "andaluza": "andalucia",
    "aragonesa?": "aragon",
    "asturian[oa]": "asturias",
    "canari[oa]": "canarias",
    "cantabr[oa]": "cantabria",
    "catalana?": "cataluna",
    "extremen[oa]": "extremadura",
    "gal[el]+g[oa]": "galicia",
    "murcian[oa]": "region-de-murcia",
    "navarr[oa]": "navarra",
    "riojan[oa]": "la-rioja",
    "valencian[oa]": "comunitat-valenciana",
    "valenciana?": "comunitat-valenciana",
    "(?:institut|servei|agencia|consell|centre) valencia": "comunitat-valenciana",
    "(?:institut|servei|agencia|consell|centre) catala": "cataluna",
    "balear": "illes-balears",
    "vasc[oa]": "pais-vasco",
    "basc[ao]?": "pais-vasco",
}
TOWN = re.compile(
    r"^(?:excmo |excel lentissim )?(?:ayuntamiento|ayto|ajuntament|concello)(?: del| de| da| do| d)? (.+)$"
)
PART_OF = re.compile(
    r"^.{3,120}? (?:del|de l|do|de la|da) (?=(?:ayuntamiento|ajuntament|concello|diputacion|diputacio|deputacion|cabildo|consell (?:insular|comarcal)|mancomun\w+)\b)"
)
"""The department before the name of its town hall."""
TOWN_FIRST = re.compile(r"^(.+) (?:ayuntamiento|ajuntament|concello|udala)$")
BASQUE_TOWN = re.compile(r"^(.+?)(?:ko|go) udal\w*$")
SHARED = re.compile(
    r"^(?:consell comarcal|comarca|mancomunidad|mancomunitat|mancomunidade|area metropolitana|organism[eo](?: autonomo?)? (?:provincial )?de (?:recaptacio|recaudacion|gestio tributaria|gestion tributaria))\b|\b(?:mankomunitatea|kuadrilla)$"
)
BASQUE_PROVINCE = re.compile(r"^(.+?)(?:ko|go)? foru aldundi\w*$")
ENGLISH_TOWN = re.compile(r"^(.+) (?:town|city) (?:council|hall)$")
OF_ENGLISH_TOWN = re.compile(r"^(?:the )?(?:town|city) (?:council|hall) of (.+)$")
PROVINCE = re.compile(
    r"^(?:diputacion|diputacio|deputacion|cabildo|consell insular)(?: provincial| foral| insular)?(?: de la| de| d)? (.+)$"
)
UNIVERSITY = re.compile(r"^universi(?:dade?|tat)\b(?! popular)|\buniversity\b|unibertsitatea$")
STATE = re.compile(
    r"\b(?:secretaria de estado|subsecretaria|(?:sub)?delegacion del gobierno|policia nacional|guardia civil|secretary of state|ministerio|ministeri|(?<!regional )ministry|seguridad social|servicio publico de empleo estatal|agencia tributaria|direccion general de (?:trafico|la policia)|administracion general del estado|(?:gobierno|goberno|govern|government) (?:de|d|of) (?:espana|espanya|spain)|espainiako gobernua|nacional|national|estatal|state agency|boletin oficial del estado)\b"
)
STATE_HOST = re.compile(r"\.gob\.\w+$")
REGIONAL = re.compile(
    r"\b(?:xunta|generalitat|junta de(?! gobierno| gobern)|gobierno del?|goberno d[aeo]s?|govern|government of|comunidad|comunitat|consejeria|conselleria|principado|region (?:de|of)|regional (?:government|ministry)|eusko jaurlaritza|departament de|jaurlaritza|gobernua|(?:servicio|servizo|servei)(?: \w+)? de (?:salud|saude|salut)|osasun zerbitzua|health service)\b"
)

DEPARTMENT = re.compile(
    r"\b(?:direccion? general|direccio general|direccion xeral|directorate general|zuzendaritza(?: nagusi\w*)?|servicio provincial|servicio territorial|servei territorial|servizo territorial|delegacion (?:provincial|territorial)|axencia|agencia|agentzia|agency)\b"
)

GOVERNMENT_OF = re.compile(
    r"(?:^|, )(?:gobierno|govern|goberno|(?:junta|xunta)(?! de (?:distrito|personal|compensacion|vecinos|portavoces))|regional government|government) (?:de |d |del |da |do |of )(?:la |les |las |los |els )?((?:(?:region|comunidad) de )?\w+(?: (?!(?:de|del|d|da|do)\b)\w+){0,2})$"
)
"""A government whose community is not in the list."""


def slug(text: str) -> str:
    return fold_text(text).replace(" ", "-")


def territory_of(organism: str, host: str) -> dict[str, str]:
    """`nivel` with its place. Empty when neither the name nor the host shows it."""
    folded = PART_OF.sub("", fold_text(organism))
    for pattern in (TOWN, BASQUE_TOWN, ENGLISH_TOWN, OF_ENGLISH_TOWN, TOWN_FIRST):
        if match := pattern.match(folded):
            return {"nivel": "local", "municipio": slug(match[1])}
    if SHARED.search(folded):
        return {"nivel": "local"}
    if match := PROVINCE.match(folded) or BASQUE_PROVINCE.match(folded):
        return {"nivel": "local", "provincia": slug(match[1])}
    if STATE.search(folded) or STATE_HOST.search(host):
        return {"nivel": "estatal"}
    if UNIVERSITY.search(folded):
        return {"nivel": "autonomico"}
    community = community_in(folded)
    if REGIONAL.search(folded) or community:
        named = GOVERNMENT_OF.search(folded)
        community = community or (slug(named[1]) if named else None)
        return {"nivel": "autonomico", "ccaa": community} if community else {"nivel": "autonomico"}
    return {}


def most_specific(territories: Sequence[dict[str, str]]) -> dict[str, str]:
    """The first territory. For a department without its place, the first that names one: towns have departments, too."""
    first = territories[0] if territories else {}
    if first != {"nivel": "autonomico"}:
        return first
    return next((place for place in territories if {"ccaa", "municipio", "provincia"} & place.keys()), first)


def in_nominative(territory: dict[str, str], text: str) -> dict[str, str]:
    """The territory with the town as the page writes it elsewhere: "Arrizabaleko Udala" is that of Arrizabal, not Arrizabale."""
    town = territory.get("municipio", "")
    shorter = town.removesuffix("e")
    words = set(fold_text(text).split())
    return {**territory, "municipio": shorter} if town not in words and shorter in words else territory


def community_in(folded: str) -> str | None:
    names = {**COMMUNITIES, **OF_COMMUNITY}
    return next((value for name, value in names.items() if re.search(rf"\b{name}\b", folded)), None)


def level_of_department(organism: str) -> dict[str, str]:
    """The level of a body whose kind only communities have, where nothing else shows it: the state's have other hosts."""
    return {"nivel": "autonomico"} if DEPARTMENT.search(fold_text(organism)) else {}


SOURCE_TYPES = {"estatal": "age", "autonomico": "ccaa", "local": "local"}
LEVELS = {"age": "estatal", "ccaa": "autonomico", "local": "local", "boe": "estatal"}
