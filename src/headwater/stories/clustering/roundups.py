"""Round-ups: documents that report the events of a day, a week or a month. They belong to no story, and would join several.

They are recognised by their headlines. Words do not tell them from other reports: in a war every report resembles those of
several events.
"""

import re

from headwater.text.folding import fold_accents, fold_text
from headwater.text.months import MONTHS

PHRASES = (
    # The period in review.
    r"(?:day|week|weekend|month|year|quarter) in (?:review|brief|pictures|numbers|photos)",
    r"(?:daily|weekly|monthly|morning|evening|news|sunday|weekend) (?:round ?up|digest|briefing|recap|wrap|summary)",
    r"(?:news|world|events) (?:at a glance|in brief)",
    r"what happened (?:today|this week|this month)",
    r"(?:wochen|monats|tages|jahres)(?:ruckblick|uberblick)",
    r"(?:die )?(?:nachrichten|woche|lage) (?:im|am) (?:uberblick|ruckblick|abend|morgen)",
    r"resumen (?:de la semana|del dia|del mes|semanal|mensual|diario)",
    r"resumo (?:da semana|do dia|do mes|semanal|mensal)",
    r"(?:recapitulatif|resume|revue) (?:de la semaine|du jour|du mois|de presse|hebdomadaire)",
    r"l essentiel de (?:la semaine|l actualite)",
    r"(?:riepilogo|rassegna) (?:della settimana|del giorno|del mese|settimanale|stampa)",
    r"(?:weekoverzicht|maandoverzicht|nieuwsoverzicht)",
    r"(?:przeglad|podsumowanie) (?:tygodnia|dnia|miesiaca|prasy)",
    r"(?:обзор|итоги|дайджест|главное за) (?:недели|неделю|дня|день|месяца|месяц|новостей|событии)",
    r"(?:огляд|підсумки|дайджест|головне за) (?:тижня|тиждень|дня|день|місяця|місяць|новин|подіи)",
    r"(?:haftan[iı]n|gunun|ay[iı]n) (?:ozeti|olaylar[iı])",
    r"ملخص (?:الاسبوع|اليوم|الشهر|الاخبار)",
    r"حصاد (?:الاسبوع|اليوم|الشهر)",
    r"(?:一周|本周|每日|今日|一週|本週)(?:要闻|回顾|新闻|新聞|要聞|回顧|综述|綜述)(?:汇总|摘要)?",
    r"(?:今週|今月|一週間)のまとめ",
)
ROUNDUP = re.compile(rf"(?<!\w)(?:{'|'.join(PHRASES)})(?!\w)")
ROUNDUP_OF = re.compile(r"(?<!\w)round-?up\s*(?:[:|–—-]|$)", re.IGNORECASE)
PERIOD_FIRST = re.compile(
    r"(?:the|this|die|der|la|el|le|il|o|a|esta|cette|diese|questa)?\s*(?:week|month|woche|monat|semana|mes|semaine|mois|settimana|mese"
    r"|неделя|месяц|тиждень|місяць|tydzien|miesiac|hafta|ay|الاسبوع|الشهر|一周|本周)\s*[:：|–—]"
)
"""`The week: Kelmar Strait`: a period, and what it was a period of."""
MONTH_AT_END = re.compile(r"(?:^|[,:;–—-])\s*([^\W\d_]+)\s+(?:19|20)\d\d\W*$")
"""`On the front, September 2012`: a month after a comma, and no day of it."""


def is_roundup(title: str) -> bool:
    month = MONTH_AT_END.search(title)
    if month and fold_text(month[1]) in MONTHS:
        return True
    if PERIOD_FIRST.match(fold_accents(title.casefold()).lstrip()):
        return True
    return bool(ROUNDUP_OF.search(title) or ROUNDUP.search(fold_text(title)))
