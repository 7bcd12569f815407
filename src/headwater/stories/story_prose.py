"""The prose of an article, for summaries: without headings, bylines, datelines, captions and links to other articles."""

import re

HEADING = re.compile(r"#{1,6}\s")
IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)")
LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\([^)\n]{0,500}\)")
EMPHASIS = re.compile(r"\*{1,3}|__|`")
BULLET = re.compile(r"(?:[-*•>]|\d{1,2}\.)\s+")
BYLINE = re.compile(
    r"(?:by|written by|reporting by|editing by|additional reporting by|por|par|von|di|da|door|автор:?|текст:?)\s",
    re.IGNORECASE,
)
CAPTION = re.compile(
    r"(?:photo|photograph|picture|image|credit|caption|file photo|video|watch|graphic|source|foto|imagen|crédito|vidéo|bild"
    r"|quelle|фото|видео|图片|图|صورة)(?:\s?(?:by|credit|courtesy|de|von))?\s?[:：|/]",
    re.IGNORECASE,
)
FURTHER_READING = re.compile(
    r"(?:read (?:also|more|next)|see also|also read|related(?: articles?| stories|\s?:)|more on this|recommended\s?:|sign up for"
    r"|subscribe to|follow us|lea también|leer también|te puede interesar|lire aussi|à lire aussi|lesen sie auch|mehr zum thema"
    r"|leggi anche|leia também|lees ook|czytaj też|читайте также|читайте також|اقرأ أيضا)",
    re.IGNORECASE,
)
CREDIT = re.compile(
    r"\((?:AP|AFP|Reuters|EPA|Getty|dpa)[^)\n]{0,60}(?:Photo|Images|/)[^)\n]{0,80}\)", re.IGNORECASE
)
AGENCY = re.compile(r"\([A-Z][A-Za-z. /]{1,20}\)(?:\s*[—–-]{1,2}\s*|(?=[A-Z\"“‘']))")
"""`(Agency) - Ships waited.`, also without a dash or a space."""
UPDATED = re.compile(
    r"(?:updated|published|last modified|posted|actualizado|publicado|aktualisiert)\b", re.IGNORECASE
)
SENTENCE_MARK = re.compile(r"[.!?…。！？؟।]")

MOST_WORDS_OF_BYLINE = 12
DATELINE_CHARACTERS = 80
DASHES = (" — ", " – ", " -- ", " - ", ") — ", "— ")
MIN_CAPITALS = 3


def story_prose(text: str) -> str:
    """The lines of a text that a summary may quote, without marks. If none remain, all lines without marks."""
    lines: list[str] = []
    for line in text.splitlines():
        if not line:
            lines.append("")
            continue
        plain = "" if "#" in line and HEADING.match(line.lstrip()) else _without_marks(line)
        # A line within a paragraph may begin with any word.
        if plain and not (lines and lines[-1]):
            plain = "" if _is_boilerplate(plain) else _without_dateline(plain)
        lines.append(plain)
    prose = "\n".join(lines).strip()
    return prose or "\n".join(_without_marks(line.lstrip("# ")) for line in text.splitlines()).strip()


def _without_marks(line: str) -> str:
    plain = line
    if "](" in plain:
        plain = LINK.sub(r"\1", IMAGE.sub("", plain))
    if "*" in plain or "`" in plain or "__" in plain:
        plain = EMPHASIS.sub("", plain)
    plain = plain.strip()
    if plain[:1].isalpha():
        return plain
    bullet = BULLET.match(plain)
    return plain[bullet.end() :] if bullet else plain


def _is_boilerplate(line: str) -> bool:
    if CAPTION.match(line) or FURTHER_READING.match(line) or ("(" in line and CREDIT.search(line)):
        return True
    if not line[:1].isupper() or SENTENCE_MARK.search(line[-2:]):
        return False
    is_short = len(line.split()) <= MOST_WORDS_OF_BYLINE
    return is_short and bool(BYLINE.match(line) or UPDATED.match(line))


def _without_dateline(line: str) -> str:
    """`KELMAR, 3 March (Agency) - Ships waited.` without what precedes the dash."""
    agency = AGENCY.match(line) if line.startswith("(") else None
    if agency and agency.end() < len(line):
        return line[agency.end() :]
    start = line[:DATELINE_CHARACTERS]
    if not ("-" in start or "–" in start or "—" in start):
        return line
    places = [(place, len(dash)) for dash in DASHES if (place := start.find(dash)) > 0]
    if not places:
        return line
    place, size = min(places)
    before = line[:place].strip()
    town = before.split(",")[0].split("(")[0].split()
    is_town = bool(town) and all(word.isupper() for word in town) and len("".join(town)) >= MIN_CAPITALS
    is_agency = (
        before.endswith(")") and "(" in before and before[:1].isupper() and "." not in before.split("(")[0]
    )
    return line[place + size :].lstrip("—– -") if is_town or is_agency else line
