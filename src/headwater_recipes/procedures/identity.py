"""Ids of procedures, and the tags of their kind."""

import re

from headwater.text.folding import fold_text

LONGEST_ID = 81
SKIPPED_WORDS = frozenset(
    [
        "a",
        "al",
        "as",
        "con",
        "da",
        "das",
        "de",
        "del",
        "dels",
        "do",
        "dos",
        "e",
        "el",
        "els",
        "en",
        "i",
        "la",
        "las",
        "les",
        "los",
        "o",
        "os",
        "para",
        "per",
        "por",
        "y",
        "un",
        "una",
        "unha",
        "l",
        "d",
    ]
)
KINDS: tuple[tuple[str, str], ...] = (
    (
        "certificado",
        r"certificad|certificat\b|certificac|ziurtagiri|certificate|volante|volant\b|justificante",
    ),
    ("beca", r"\bbec(?:as?|a|ues)\b|\bbeka|scholarship"),
    ("ayuda", r"ayuda|ajut|ajuda|axuda|laguntza|subvenci|bono\b|\bbo\b|\bgrants?\b|\baid\b|dirulaguntza"),
    ("prestacion", r"prestaci|pension|subsidi|ingreso minimo|renta|benefit|prestazio"),
    (
        "licencia",
        r"licencia|llicencia|licenza|permis|permiso|autorizaci|autoritzaci|baimen|lizentzia|licence|permit|ocupacion|terraza",
    ),
    (
        "inscripcion",
        r"inscripci|inscricion|matricula|empadron|registro|registre|rexistro|alta\b|izen ?emate|erregistro|registration|padro",
    ),
    ("tarjeta", r"tarjeta|targeta|tarxeta|txartel|carnet|carne\b|\bcard\b"),
    ("tributo", r"impuesto|impost|imposto|tasa\b|taxa\b|zerga|\btax\b|tribut|bonificaci"),
    ("recurso", r"recurso\b|recurs\b|reclamaci|queja|queixa|complaint"),
    ("solicitud", r"solicitud|sol licitud|eskaera|application"),
)


def procedure_id(source_type: str, owner: str, name: str) -> str:
    """`{source_type}-{owner}-{name}`, shortened between words."""
    words = [word for word in fold_text(name).split() if word not in SKIPPED_WORDS]
    parts = [source_type, *fold_text(owner).split(), *words]
    fitting: list[str] = []
    for part in parts:
        if len("-".join([*fitting, part])) > LONGEST_ID:
            break
        fitting.append(part)
    return re.sub(r"[^a-z0-9_-]", "", "-".join(fitting))


def disambiguated_id(identity: str, suffix: str) -> str:
    """The id for another page of the same name."""
    return f"{identity[: LONGEST_ID - len(suffix) - 1].rstrip('-')}-{suffix}"


def kind_tags(name: str) -> list[str]:
    """Tags by the words of the name, the most specific first. `tramite` when none matches."""
    folded = fold_text(name)
    tags = [kind for kind, pattern in KINDS if re.search(rf"\b(?:{pattern})", folded)]
    return tags or ["tramite"]
