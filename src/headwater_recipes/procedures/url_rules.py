"""How the URLs of public bodies are made canonical: without session ids, and with the host that each body uses now.

These rules need no network; the fetcher follows redirects.
"""

import re
from types import MappingProxyType

from headwater.text.urls import UrlRules

PROCEDURE_URL_RULES = UrlRules(
    name="seed-p",
    dropped_parameters=frozenset(
        [
            "jsessionid",
            "phpsessid",
            "sid",
            "session_id",
            "cfid",
            "cftoken",
            "utm_source",
            "utm_medium",
            "utm_campaign",
            "utm_term",
            "utm_content",
            "fbclid",
            "gclid",
            "gad_source",
            "ref",
            "source",
            "origin",
            "mc_cid",
            "mc_eid",
            "_ga",
            "_gl",
            "hsctatracking",
            "mkt_tok",
        ]
    ),
    dropped_prefixes=("aspsessionid",),
    dropped_pattern=re.compile(r"[a-z]*session[a-z]*"),
    kept_parameters=frozenset(
        [
            "lang",
            "idioma",
            "locale",
            "id",
            "codigo",
            "expediente",
            "page",
            "pagina",
            "p",
            "tipo",
            "category",
            "seccion",
        ]
    ),
    path_parameters=frozenset({"jsessionid"}),
    hosts=MappingProxyType(
        {
            "boe.es": "www.boe.es",
            "sepe.es": "www.sepe.es",
            "seg-social.es": "www.seg-social.es",
            "comunidad.madrid": "www.comunidad.madrid",
            "agenciatributaria.es": "sede.agenciatributaria.gob.es",
            "www.agenciatributaria.es": "sede.agenciatributaria.gob.es",
        }
    ),
    https=True,
    trailing_slash=False,
)
