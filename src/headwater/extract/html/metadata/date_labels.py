"""What a line says about its date, in many languages: that it is the publication, a change, or neither."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Labels:
    """One pattern for all texts, and one for ASCII in lower case: a pattern that heeds case jumps from one possible first
    letter to the next."""

    in_any_case: re.Pattern[str]
    in_lower_case: re.Pattern[str]

    def search(self, text: str) -> re.Match[str] | None:
        """Read positions from the match, not the text."""
        return self.in_lower_case.search(text.lower()) if text.isascii() else self.in_any_case.search(text)


_PUBLISHED = (
    "published|publish date|publication date|date published|posted|submitted on|first published|originally published|"
    "veröffentlicht|erschienen|publicado|publicada|fecha de publicación|publicação|publié|publiée|mis en ligne|pubblicato|"
    "pubblicata|gepubliceerd|geplaatst|publicat|publicerad|publisert|udgivet|offentliggjort|julkaistu|opublikowano|"
    "data publikacji|zveřejněno|publikováno|zverejnené|megjelent|közzétéve|objavljeno|yayınlanma|yayın tarihi|"
    "опубликован|опублікован|дата публикации|публикуван|δημοσιεύτηκε|δημοσίευση|dipublikasikan|diterbitkan|"
    "xuất bản|đăng ngày|发布时间|发布于|发表于|發布|公開日|投稿日|掲載日|게시일|등록일|입력|تاريخ النشر|نُشر|نشر في|प्रकाशित|פורסם"
)
_CHANGED = (
    "updat|modif|e(?<=\\be)dited|r(?<=\\br)evis|reviewed|last checked|aktualis|aktualiz|geändert|bearbeitet|actualiz|mis à jour|"
    "mise à jour|aggiornat|atualiz|bijgewerkt|gewijzigd|uppdatera|oppdatert|opdateret|päivitetty|muokattu|frissít|"
    "módosít|ajourn|güncelle|обновл|измен|оновлен|ενημερ|diperbarui|cập nhật|更新|수정|업데이트|تحديث|अपडेट|עודכן"
)
# What may stand before a colon and a date without making it the date of something else.
_LABEL = re.compile(r"^([^\d:]{2,40}):\s*(?:\S+\s+)?\S*\d")
_PLAIN_LABEL = re.compile(
    r"\b(?:date|datum|data|fecha|on|by|von|por|par|di|von|author|autor|news|article|blog)\b", re.IGNORECASE
)
# Dates of other things: rights, offers, members, spans of time.
_OTHER = (
    r"copyright|©|\(c\) |expires|\bevents?\b|last active|\breleased?:|\brelease date|\breleased\b|\bversion\b|\bjoined\b|"
    r"\bregister|deadline|member since|\bfounded\b|"
    r"(?<!\d)\d{1,2}\.\d{1,3}\.\d{1,2}(?!\d)|\d\s+[-\u2013—]\s+\d{1,4}[/-]|\d{4}\s*[-\u2013—]\s*[^\W\d]+\s*\d"
)
# In capitals, the Turkish letter without a dot is the I of ASCII.
PUBLISHED, CHANGED, OTHER = (
    _Labels(re.compile(labels, re.IGNORECASE), re.compile(labels.replace("ı", "i")))
    for labels in (_PUBLISHED, _CHANGED, _OTHER)
)
LONGEST_LABEL = 30
_SHORT = 90


# Said in a sentence of its own, anywhere in the text.
_ORIGINALLY = re.compile(
    r"(?:originally|first) (?:published|posted|appeared)|ursprünglich veröffentlicht|publicado originalmente",
    re.IGNORECASE,
)
_SENTENCE = 200


def is_label(text: str) -> bool:
    """Whether a short text only names the date that follows it."""
    return (
        len(text) <= LONGEST_LABEL
        and not any(map(str.isdigit, text))
        and (PUBLISHED.search(text) is not None or CHANGED.search(text) is not None)
    )


def says_published(text: str) -> bool:
    """Whether a short line calls its date that of the publication."""
    return (len(text) <= _SHORT and PUBLISHED.search(text[:LONGEST_LABEL]) is not None) or says_originally(
        text
    )


def says_originally(text: str) -> bool:
    return len(text) <= _SENTENCE and _ORIGINALLY.search(text) is not None


def publication_part(text: str) -> str:
    """The part of a short line where the publication date would stand; empty when the line is about another date."""
    if len(text) > _SENTENCE:
        return ""
    if (label := _ORIGINALLY.search(text) or PUBLISHED.search(text)) is not None:
        text = text[label.start() :][:_SHORT]
    if (change := CHANGED.search(text)) is not None:
        text = text[: change.start()]
    if (label_before_colon := _LABEL.match(text)) is not None and not (
        PUBLISHED.search(label_before_colon[1]) or _PLAIN_LABEL.search(label_before_colon[1])
    ):
        return ""
    return "" if len(text) > _SHORT or OTHER.search(text) else text


def change_part(text: str) -> str:
    """The part of a short line that says when the page was changed."""
    change = CHANGED.search(text) if len(text) <= _SHORT else None
    return text[change.start() :] if change is not None else ""
