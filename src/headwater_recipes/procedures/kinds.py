"""Which kind of procedure a name announces."""

import re

from headwater.pure.crawling.markers import folded

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


def kind_of(name: str) -> list[str]:
    """Tags, the most telling first; `tramite` when the name tells nothing."""
    bare = folded(name)
    found = [kind for kind, pattern in KINDS if re.search(rf"\b(?:{pattern})", bare)]
    return found or ["tramite"]
