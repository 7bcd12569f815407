"""What a page says on every page: furniture known by its words, and sentences that a publisher keeps repeating."""

import re
from collections.abc import Iterator

import numpy as np
from ahocorasick_rs import AhoCorasick

from headwater.pure.dupes.sentences import Sentences
from headwater.pure.dupes.tokens import Flags, Tokens

REPEATS = 3
"""A sentence that a publisher used in so many different stories is furniture."""

REPEATS_ANYWHERE = 12
"""The same for a sentence seen at any publisher."""

EVERYWHERE = ""
"""Counts under this name are those over all publishers."""

_PHRASES = tuple(
    """
    all rights reserved|copyright|\u00a9|subscribe|subscription|newsletter|sign up|signing up|cookies| on facebook|follow us
    advertisement|sponsored|story continues|read also|also read|read more|read next|see also|most popular|most read
    you may also like|more from|recommended for you|trending now|terms of use|terms of service|terms and conditions
    privacy policy|manage preferences|comments are|community guidelines|share this|click here|download our|app store
    push notifications|join our|become a member|unlimited access|cancel any time|support independent|log in to
    contributed to this report|contributed to this story|reporting by|editing by|edited by|min read|minute read
    may not be published|may not be reproduced|not be redistributed|has not been edited|first appeared on|republished
    investment advice|views expressed|opinions expressed|disclaimer|data is delayed|file photo|getty images
    share this story|reproduction without|our correspondent\n|staff writer\n|staff reporter\n
    todos los derechos|suscr\u00edbete|suscr\u00edbase|bolet\u00edn de noticias|nuestro bolet\u00edn|compartir en|s\u00edguenos|pol\u00edtica de privacidad
    todos os direitos|assine |leia tamb\u00e9m|compartilhe|siga-nos|pol\u00edtica de privacidade|tots els drets|subscriu-te
    tous droits|abonnez-vous|inscrivez-vous|partager l|lire aussi|suivez-nous|alle rechte|abonnieren|teilen sie|artikel teilen
    lesen sie auch|tutti i diritti|iscriviti|leggi anche|seguici|condividi|minutos de lectura|nachdruck
    correction:|corrects |report a correction|earlier version of this|previous version of this|forward-looking statement
    """.replace("\n    ", "|")
    .strip("|")
    .split("|")
)
_SEARCH = AhoCorasick(_PHRASES)
_HEADING = 300
_BYLINE = re.compile(
    r"^(?:by [a-z]|(?:por|par|von|di) [^.\n]{3,40}$"
    r"|(?:last updated?|updated?|published|actualizado|publicado|atualizado|publi\u00e9|mis \u00e0 jour|ver\u00f6ffentlicht|aktualisiert|pubblicato"
    r"|aggiornato|actualitzat|publicat)\b[^.\n]{0,40}\d)",
    re.MULTILINE,
)
_CORRECTION = re.compile(r"\bcorrect(?:s|ed|ion)\b|\bmisstated\b|\bclarification\b", re.IGNORECASE)


def furniture(tokens: Tokens, parts: Sentences) -> Flags:
    """One flag per sentence: its words alone show that it belongs to the page, not to the story."""
    found = np.zeros(len(parts.hashes), dtype=bool)
    places = list(_furniture_places(tokens.text().lower()))
    if places and len(found):
        words = np.searchsorted(tokens.starts, places, side="right") - 1
        found[np.maximum(np.searchsorted(parts.starts, words, side="right") - 1, 0)] = True
    return found


def _furniture_places(text: str) -> Iterator[int]:
    """Offsets inside the sentences concerned."""
    yield from (end - 1 for _, _, end in _SEARCH.find_matches_as_indexes(text, overlapping=True))
    yield from (match.end() - 1 for match in _BYLINE.finditer(text, 0, _HEADING))


def announces_correction(text: str) -> bool:
    return _CORRECTION.search(text) is not None
