"""The sentences of a paragraph."""

import re

SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-ZÁÉÍÓÚÀÈÒÑÇ¿¡])")
ABBREVIATION = re.compile(r"\b(?:art|núm|num|n\.º|nº|pág|tel|Sr|Sra|Dr|Avda|Pza|C)\.$")


def sentences(text: str) -> list[str]:
    pieces: list[str] = []
    for piece in SENTENCES.split(text):
        if pieces and ABBREVIATION.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        else:
            pieces.append(piece)
    return pieces
