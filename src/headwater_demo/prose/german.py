"""Deutsch."""

from headwater_demo.article import Topic
from headwater_demo.prose.text import Phrases, ProseLanguage

_FACTS = (
    "Die Gebühr lag bei {fraction} Prozent.",
    "Nach Zahlen von {partner} halten {count} Konten den größten Teil der Münzen.",
    "Die Änderung soll um den {future} wirksam werden.",
    "Das Unternehmen beschäftigt {hundreds} Menschen, viele davon in {other_city}.",
    "In den ersten {hours} Stunden wurden {thousands} Geschäfte gezählt.",
    "Stellungnahmen sind bis zum {future} möglich.",
    "Der Fehler steckte dem Bericht zufolge seit dem {past} im Code.",
    "{rival} hatte im {month_past} einen ähnlichen Schritt angekündigt und dann verworfen.",
    "Der Umsatz in {city} stieg gegenüber der Vorwoche um {percent} Prozent.",
    "Betroffene Kunden erhalten im Mittel {hundreds} Euro zurück.",
    "Das Netz {protocol} arbeitete den ganzen Tag ohne Störung.",
    "Der Vorschlag wurde mit {few} Stimmen Vorsprung angenommen.",
    "Die Kosten belaufen sich auf {millions} Millionen Euro, {percent} Prozent mehr als geplant.",
    "Knoten, die bis zum {future} nicht umgestellt sind, folgen der alten Kette.",
    "Eine Prüfung durch {partner} fand {few} kleinere Mängel, die inzwischen behoben sind.",
    "{other_token} bewegte sich in die andere Richtung und gewann {fraction} Prozent.",
    "Bisher haben erst {count} Häuser eine Genehmigung beantragt.",
    "Die Börse in {other_city} setzte den Handel für {hours} Stunden aus.",
    "Kleinanleger verkauften kaum, anders als die Fonds.",
    "Der Vertrag läuft zunächst {few} Jahre und kann verlängert werden.",
    "Die Rücklagen reichen beim jetzigen Verbrauch für {count} Monate.",
    "Im {month_past} hatte dieselbe Plattform {thousands} Nutzer verloren.",
)


def _topic(keywords: tuple[str, ...], *openings: tuple[str, str]) -> Phrases:
    return Phrases(openings=openings, facts=_FACTS, keywords=keywords)


_TOPICS: dict[Topic, Phrases] = {
    "markets": _topic(
        ("kurse", "handel", "liquidität"),
        (
            "{token} [verliert|fällt um] {percent} Prozent nach Verkäufen in {city}",
            "Der Kurs von {token} ist am {weekday} um {percent} Prozent [gefallen|gesunken], nachdem {company} innerhalb weniger Stunden {thousands} Münzen verkauft hatte.",
        ),
        (
            "{company}: Anleger kehren [zögernd|langsam] zu {token} zurück",
            "Anleger kaufen wieder {token}, wenn auch vorsichtig: {company} zählte in einer Woche {thousands} neue Konten, die meisten davon in {city}.",
        ),
    ),
    "protocols": _topic(
        ("knoten", "umstellung", "konsens"),
        (
            "Betreiber von {protocol} senken die Gebühren um {percent} Prozent",
            "Die Betreiber des Netzes {protocol} haben am {weekday} [beschlossen|entschieden], die Gebühren um {percent} Prozent zu senken.",
        ),
        (
            "{protocol} [verschiebt|beschließt] die Umstellung im {month}, {company} hilft mit",
            "Die Entwickler von {protocol} haben am {weekday} einen neuen Zeitplan für die Umstellung im {month} [vorgelegt|veröffentlicht], an dem auch {company} mitgearbeitet hat.",
        ),
    ),
    "regulation": _topic(
        ("aufsicht", "steuern", "lizenzen"),
        (
            "{company} erhält nach {count} Monaten eine Lizenz",
            "Nach {count} Monaten Wartezeit darf {company} von {city} aus auch Privatkunden [bedienen|betreuen].",
        ),
        (
            "Finanzamt erklärt {company}, wie Gewinne mit {token} zu melden sind",
            "Gewinne mit {token} sind an dem Tag zu melden, an dem sie verkauft werden könnten. Das geht aus einem Schreiben hervor, um das {company} [gebeten|ersucht] hatte.",
        ),
    ),
    "security": _topic(
        ("angriff", "prüfung", "betrug"),
        (
            "{company} [stoppt|sperrt] Auszahlungen nach auffälligen Bewegungen von {token}",
            "{company} hat am {weekday} alle Auszahlungen [gestoppt|angehalten], nachdem Überweisungen von {millions} Millionen Euro aufgefallen waren.",
        ),
        (
            "Fehler in {protocol} kostet {millions} Millionen",
            "Ein Fehler in einem Vertrag von {protocol} hat in einer Nacht {millions} Millionen Euro gekostet, wie {company} am {weekday} [einräumte|mitteilte].",
        ),
    ),
    "business": _topic(
        ("übernahme", "zahlen", "stellen"),
        (
            "{company} [kauft|übernimmt] {rival} für {millions} Millionen",
            "{company} [kauft|übernimmt] den Konkurrenten {rival} für {millions} Millionen Euro. Das teilten beide Häuser am {weekday} in {city} mit.",
        ),
        (
            "{company} eröffnet in {city} und sucht {count} Leute",
            "{company} eröffnet im {month} ein Büro in {city} und sucht dafür {count} Leute, vor allem für die Betreuung der Kunden.",
        ),
    ),
}

GERMAN = ProseLanguage(
    topics=_TOPICS,
    quotes=(
        "„Wir sind lieber zu spät als im Irrtum“, sagte {person} in {city}.",
        "„Überrascht hat uns nur die Geschwindigkeit“, meinte {analyst} von {partner}.",
        "„Spannend ist, was alles heil geblieben ist“, sagte {critic}.",
        "„Wir haben {few} Mal nachgerechnet“, versicherte {person}.",
        "„In einem Monat weiß keiner mehr, worum der Streit ging“, glaubt {analyst}.",
    ),
    background=(
        "{company} wurde in {city} gegründet und arbeitet mit {count} Häusern zusammen.",
        "{rival} und {partner} wollten sich nicht äußern.",
        "Seit Jahresbeginn hat {token} um {percent} Prozent zugelegt.",
        "Ein ähnlicher Fall im {month_past} war nach {count} Tagen erledigt.",
        "Eine Umfrage unter {hundreds} Fachleuten ergab kein klares Bild.",
        "Es ist die {few}. Meldung dieser Art im laufenden Quartal.",
    ),
    endings=(
        "Die nächste Entscheidung fällt am {future}. Bis dahin will {company} jede Woche berichten.",
        "Der ausführliche Bericht folgt im {month}; bei Neuigkeiten wird dieser Artikel ergänzt.",
        "Ob die Ruhe hält, zeigt sich nach dem {future}, wenn {rival} eigene Zahlen vorlegt.",
    ),
    months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    date="{day}. {month}",
    decimal=",",
    cities=(
        "Zürich",
        "Hamburg",
        "Wien",
        "Leipzig",
        "Rotterdam",
        "Basel",
        "Kassel",
        "Graz",
        "Bremen",
        "Luxemburg",
        "München",
    ),
)
