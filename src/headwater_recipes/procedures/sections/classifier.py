"""Says what a section is about by itself: for the judgement whether a page describes a procedure, and for its description. The
weights were trained on sections that the rules had recognised, under other headings (`training/sections.py`)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from headwater.text.folding import fold_text
from headwater_recipes.procedures.labels.vocabulary import Label
from headwater_recipes.procedures.sections.by_form import is_body
from headwater_recipes.procedures.sections.parts import SectionLine
from headwater_recipes.procedures.sections.word_meaning import DIMENSIONS, text_meaning

MODEL = Path(__file__).with_name("sections.npz")
CLASSES = (
    "requisitos", "documentos_necesarios", "plazos.solicitud", "plazos.resolucion", "plazos.silencio_administrativo",
    "plazos.recurso", "tasas", "cuantias", "base_legal", "como_solicitar", "donde_solicitar", "contacto", "organismo",
    "descripcion", "datos_importantes", "other",
)  # fmt: skip
HEADING_FEATURES, BODY_FEATURES = 2048, 2048
MOST_SECTIONS = 64
MOST_LINES, MOST_LETTERS, MOST_WORDS = 30, 600, 80
FACTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("money", r"\d[\d.,]{0,12} ?(?:€|euro\w*|eur\b)|\b\d+ ?%|% ?\d|\b\w+ euros?\b"),
        ("time", r"\b(?:dias?|dies|mes(?:es|os)?|semanas?|setman\w+|hilabete\w*|egun\w*|aste\w*|days?|months?|weeks?|anos?|anys?|urte\w*|horas?|hores)\b"),
        ("date", r"\b\d{1,2} (?:de|d|do) \w+|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gener|maig|juny|juliol|setembre|desembre|xaneiro|xuno|outubro|urtarril\w*|otsail\w*|martxo\w*|apiril\w*|maiatz\w*|ekain\w*|uztail\w*|abuztu\w*|irail\w*|urri\w*|azaro\w*|abendu\w*|january|february|march|april|june|july|august|september|october|november|december)\b"),
        ("law", r"\b(?:ley|llei|lei|legea|decreto?|dekretu\w*|orden|ordre|orde|ordenan\w+|reglament\w*|boe|law|act|royal decree)\b.{0,40}\d"),
        ("phone", r"(?:^|\D)[6789]\d{2}[ .]?\d{2,3}[ .]?\d{2,3}|\b0(?:10|12|60)\b"),
        ("mail", r"@|\bcorreo electronico\b"),
        ("street", r"\b(?:calle|c/|avenida|avda|plaza|paseo|carrer|placa|passeig|avinguda|rua|praza|kalea|etorbidea|street|square)\b"),
        ("postcode", r"\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3}\b"),
        ("paper", r"\b(?:dni|nie|pasaporte|passaport|fotocopia\w*|copia\w*|certificad\w*|certificat\w*|documento?\w*|impreso|justificant\w*|factura\w*|contrato|contracte|escritura\w*|informe\w*|declaraci\w+|formulari\w*|agiri\w*|ziurtagiri\w*|txosten\w*|argazki\w*|fotograf\w*|poliza|recibo\w*|rebut\w*|plano\w*|planol\w*|memoria|presupuesto|orzamento|certificate|copy|proof|receipt|passport|invoice|report|card|libro|llibre|titulo|titol)\b"),
        ("condition", r"^(?:no |non )?(?:ser|estar|tener|haber|residir|vivir|carecer|cumplir|tenir|haver|viure|complir|ter|vivir|que |eres|vives|tienes|be |have|live|you )|\bizatea$|dutenak\b|\b(?:mayores|menores|majors|menors|maiores) de\b|\bpersonas?\b|\bpersones\b|\bpersoas\b|pertsona\w*|\bpeople\b|\bresidents?\b|titulares|propietari\w+|empresas|familias|families|entidad\w+"),
        ("online", r"internet|sede electronica|seu electronica|egoitza elektronik|online|en linea|en linia|telematic|certificado digital|web\b|formulari\w*|app\b"),
        ("person", r"presencial|en persona|oficina\w*|bulego\w*|ventanilla|mostrador|registro\b|registre\b|rexistro\b|cita previa|in person|desk\b|office\b|aurrez aurre"),
        ("free", r"gratui|gratis|doan|free\b|sin coste|exent"),
        ("refuse", r"desestim|estimad|estimator|deneg|concedid|silenci|positiv|negativ|ezets|onets"),
        ("appeal", r"recurso|recurs\b|alzada|reposici|contencios|errekurtso|appeal|reclam|impugn|tribunal"),
        ("body", r"^(?:ayuntamiento|ajuntament|concello|consejeria|conselleria|ministerio|direccion general|departament|servicio|area|regidoria|concejalia|diputacion)|(?:udala|saila|council)$"),
        ("stop", r"[.!]$"),
        ("go", r"\b(?:acerqu\w+|pase|pasese|passeu|venga|veniu|vine|acuda|achegu\w+|etorri|hurbildu|presente|come|visit|hable|parleu)\b"),
        ("send", r"\b(?:envi\w+|rellen\w+|cubr\w+|bete\b|bidali|puj\w+|upload|send|fill|llam\w+|truqu\w+|marque|entr[ae]\b|reserve|mand[ae]\w*)\b"),
        ("us", r"\b(?:le|lle|te|che|us|os) \w+(?:mos|em|rem)\b|\b\w+(?:remos|aremos)\b|\bwe\b|dugu\b|\b(?:from|to) us\b"),
        ("person_2", r"^(?:no |non )?(?:tienes|estas|eres|has|cuentas|dispones|puedes|tens|ets|vius|has|tes|vives|estas|tu |teu |tua |your? |zu |zure )|^(?:la|el|tu|su) \w+ (?:habitual )?(?:es|esta|tiene|ha)\b"),
        ("thing", r"^(?:el|la|los|las|un|una|els|les|o|a|os|as|unha|the|an?|your|tu|copia|original) (?:\w+ ){0,2}?\w+(?: (?:de|del|da|do|d|of|from)\b|$)"),
        ("sentence", r"\b(?:es|son|permite|permet|sirve|consiste|da|is|allows|ayuda a|para que)\b"),
    )
)  # fmt: skip
SHAPE_FEATURES = 2 * len(FACTS) + 8
MEANING_SCALE, MEANING_LINES = 3.0, 6
"""Unit vectors weigh as much as some thirty hashed words."""
FEATURES = HEADING_FEATURES + BODY_FEATURES + SHAPE_FEATURES + 3 * DIMENSIONS


@lru_cache(maxsize=MOST_SECTIONS)
def section_shares(title: str, lines: tuple[SectionLine, ...]) -> Any:
    """The probability of each class, by heading and lines. Kept for the sections of one page, because its description is judged by
    them, too."""
    weights, bias = read_model()
    scores = section_features(title, lines) @ weights + bias
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    shares.flags.writeable = False
    return shares


def class_of_label(label: Label) -> str:
    name = f"{label.field}.{label.key}" if label.field == "plazos" else label.field
    if name in CLASSES:
        return name
    return "plazos.solicitud" if label.field == "plazos" else "other"


def label_of_class(name: str) -> Label | None:
    field, _, key = name.partition(".")
    return None if name == "other" else Label(field, key)


@cache
def read_model() -> tuple[Any, Any]:
    with np.load(MODEL) as arrays:
        return arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32)


def section_features(title: str, lines: Sequence[SectionLine]) -> Any:
    """Hashed words and parts of words of the heading and of the text, the shape of the text, and what heading, text and first
    line mean."""
    row = np.zeros(FEATURES, dtype=np.float32)
    add_hashed(row, _heading_parts(title), 0, HEADING_FEATURES)
    texts = [fold_text(line.text[:MOST_LETTERS]) for line in lines[:MOST_LINES]]
    add_hashed(row, _body_parts(texts), HEADING_FEATURES, BODY_FEATURES)
    shape = HEADING_FEATURES + BODY_FEATURES
    row[shape : shape + SHAPE_FEATURES] = text_shape(lines, texts)
    meanings = (fold_text(title), " ".join(texts[:MEANING_LINES]), texts[0] if texts else "")
    row[shape + SHAPE_FEATURES :] = MEANING_SCALE * np.concatenate([text_meaning(text) for text in meanings])
    return row


def add_hashed(row: Any, parts: Iterator[str], start: int, size: int) -> None:
    places = [start + crc32(part.encode()) % size for part in parts]
    if places:
        np.add.at(row, places, 1.0 / np.sqrt(len(places)))


def _heading_parts(title: str) -> Iterator[str]:
    words = fold_text(title).split()
    for word in words:
        yield f"h {word}"
        padded = f"<{word}>"
        yield from (f"h {padded[start : start + 4]}" for start in range(len(padded) - 3))
    yield from (f"h {first} {second}" for first, second in pairwise(words))
    if words:
        yield f"h first {words[0]}"


def _body_parts(texts: Sequence[str]) -> Iterator[str]:
    words = [word for text in texts for word in text.split()][:MOST_WORDS]
    for word in words:
        yield f"b {word[:6]}"
    for text in texts[:6]:
        yield from (f"b first {word[:6]}" for word in text.split()[:1])


def text_shape(lines: Sequence[SectionLine], texts: Sequence[str]) -> list[float]:
    raw = [line.text.lower()[:MOST_LETTERS] for line in lines[:MOST_LINES]]
    count = max(1, len(texts))
    matches = [
        sum(
            bool(pattern.search(text) or pattern.search(original))
            for text, original in zip(texts, raw, strict=True)
        )
        for _, pattern in FACTS
    ]
    lengths = [len(text.split()) for text in texts] or [0]
    mean = sum(lengths) / count
    return [
        *(float(number > 0) for number in matches),
        *(number / count for number in matches),
        float(any(line.kind == "item" for line in lines)),
        float(any(line.kind == "row" for line in lines)),
        float(any(line.links for line in lines)),
        min(count, 8) / 8,
        min(mean, 30) / 30,
        float(bool(texts) and mean <= 4),
        float(bool(lines) and all(line.numbered for line in lines)),
        float(len(lines) == 1 and is_body(lines[0].text)),
    ]
