"""Edits of other publishers: each returns a title and a body that report the same event."""

import random
import re
from collections.abc import Callable

Text = tuple[str, str]
Edit = Callable[[Text, random.Random], Text]

_TOPS = {
    "en": "Share this story\nPublished 2 hours ago · 3 min read",
    "es": "Compartir\nActualizado hace 2 horas · 3 minutos de lectura",
    "fr": "Partager l'article\nPublié il y a 2 heures",
    "de": "Artikel teilen\nVeröffentlicht vor 2 Stunden",
    "pt": "Compartilhe\nAtualizado há 2 horas",
    "it": "Condividi\nPubblicato 2 ore fa",
}
_ENDS = {
    "en": "Sign up for our evening letter and never miss a story. Reproduction without written consent is forbidden.",
    "es": "Suscríbete a nuestro boletín para recibir las noticias del día. Todos los derechos reservados.",
    "fr": "Abonnez-vous à notre lettre du soir. Tous droits réservés, reproduction interdite.",
    "de": "Abonnieren Sie unseren Newsletter. Alle Rechte vorbehalten.",
    "pt": "Assine nossa newsletter. Todos os direitos reservados.",
    "it": "Iscriviti alla nostra newsletter. Tutti i diritti riservati.",
}
_ADDED = {
    "en": "The announcement had been expected since the spring.",
    "es": "El anuncio se esperaba desde la primavera.",
    "fr": "L'annonce était attendue depuis le printemps.",
    "de": "Die Ankündigung war seit dem Frühjahr erwartet worden.",
    "pt": "O anúncio era esperado desde a primavera.",
    "it": "L'annuncio era atteso dalla primavera.",
}
_DATELINES = ("{place}, March 4 (Estuary) -- ", "{place}, 4 mar (Estuario) - ", "{place} — ", "({place}) - ")
_FIGURE = re.compile(r"(?<![\d.,-])\d{2,3}(?![\d-]|[.,]\d)")


def resent(text: Text, chance: random.Random) -> Text:
    del chance
    return text


def dateline(text: Text, chance: random.Random) -> Text:
    place = chance.choice(("NETHERMERE", "STONEHAVEN", "OSTWICK"))
    return text[0], chance.choice(_DATELINES).format(place=place) + text[1]


def byline(text: Text, chance: random.Random) -> Text:
    name = chance.choice(("Hesper Lomond", "Marek Tolland", "Jonna Ekholt"))
    return text[
        0
    ], f"By {name}\n{chance.choice(('Staff writer', 'Estuary News', 'Our correspondent'))}\n\n{text[1]}"


def boilerplate(language: str) -> Edit:
    def edit(text: Text, chance: random.Random) -> Text:
        top, end = _TOPS.get(language, _TOPS["en"]), _ENDS.get(language, _ENDS["en"])
        body = f"{top}\n\n{text[1]}" if chance.random() < 0.5 else text[1]
        return text[0], f"{body}\n\n{end}"

    return edit


def markup(text: Text, chance: random.Random) -> Text:
    del chance
    body = text[1].replace("\n\n", "</p>\n<p>").replace(", ", ",&nbsp;", 3).replace('"', "&quot;")
    return text[0], f"<p>{body}</p>\n<br/>&nbsp;"


def typography(text: Text, chance: random.Random) -> Text:
    del chance
    curly = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", text[1]).replace("'", "\u2019").replace(" - ", " \u2013 ")
    return text[0].upper(), curly.replace(" percent", "\u00a0percent")


def reordered(text: Text, chance: random.Random) -> Text:
    first, *following = text[1].split("\n\n")
    chance.shuffle(following)
    return text[0], "\n\n".join((first, *following))


def retitled(text: Text, chance: random.Random) -> Text:
    words = text[0].split()
    prefix = chance.choice(("Update", "News in brief", "Just in", "At a glance"))
    return f"{prefix}: {' '.join(words[len(words) // 3 :])}", text[1]


def sentence_added(language: str) -> Edit:
    def edit(text: Text, chance: random.Random) -> Text:
        paragraphs = text[1].split("\n\n")
        place = chance.randrange(len(paragraphs))
        paragraphs[place] += " " + _ADDED.get(language, _ADDED["en"])
        return text[0], "\n\n".join(paragraphs)

    return edit


def abridged(text: Text, chance: random.Random) -> Text:
    paragraphs = text[1].split("\n\n")
    return text[0], "\n\n".join(paragraphs[: chance.randint((len(paragraphs) + 1) // 2, len(paragraphs) - 1)])


def corrected(text: Text, chance: random.Random) -> Text:
    """Corrects one figure and says so: without that note, a different figure means a different story."""
    places = list(_FIGURE.finditer(text[1]))
    if not places:
        return text
    place = chance.choice(places)
    figure = str(int(place[0]) + chance.choice((1, 2, 10)))
    body = text[1][: place.start()] + figure + text[1][place.end() :]
    return text[0], f"(Corrects a figure; it is {figure}.)\n\n{body}"


def mistyped(text: Text, chance: random.Random) -> Text:
    words = text[1].split(" ")
    for place in chance.sample(range(len(words)), max(1, len(words) // 60)):
        word = words[place]
        if len(word) > 4 and word.isalpha():
            position = chance.randrange(1, len(word) - 2)
            words[place] = word[:position] + word[position + 1] + word[position] + word[position + 2 :]
    return text[0], " ".join(words)


def gentle(language: str) -> dict[str, Edit]:
    """Edits that leave every word of the report as it is."""
    return {
        "resent": resent,
        "dateline": dateline,
        "byline": byline,
        "boilerplate": boilerplate(language),
        "markup": markup,
        "typography": typography,
    }


def all_edits(language: str) -> dict[str, Edit]:
    return gentle(language) | {
        "reordered": reordered,
        "retitled": retitled,
        "sentence added": sentence_added(language),
        "abridged": abridged,
        "corrected": corrected,
        "mistyped": mistyped,
    }
