"""Text to sentences, in any script that ends them visibly."""

import re

END = re.compile(
    r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[¿¡]*[^\W_a-zß-öø-ÿ])|(?<=[。！？])|\n{2,}|\n(?=[•*-] )"
)
SHORTENED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[A-Z](?:\.[A-Z])+|Mr|Mrs|Ms|Dr|Prof|Gen|Col|Lt|Sgt|Sen|Rep|Gov|Rev|St|Jr|Sr|No|vs|Inc|Ltd|Co|Corp"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Sra?|Dña|Art|Nr|bzw|ca|etc|al|approx|Mt|Ft)\.$"
)
LONGEST = 40_000


def split_sentences(text: str) -> list[str]:
    """In their order, spaces tidied; a full stop after a title or an initial ends nothing."""
    found: list[str] = []
    held = ""
    start = 0
    text = text[:LONGEST]
    for end in END.finditer(text):
        piece = text[start : end.end()]
        start = end.end()
        held = f"{held} {piece.strip()}".strip()
        if "\n\n" in end[0] or not SHORTENED.search(held):
            found.append(held)
            held = ""
    found.append(f"{held} {text[start:].strip()}".strip())
    return [" ".join(sentence.split()) for sentence in found if sentence.strip()]
