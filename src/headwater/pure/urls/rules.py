"""Rule sets for canonical URLs. The name of the set is stored next to every result, so a change needs a new name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """What is left out of a URL beyond syntax. Parameter names are compared in lower case; `kept` wins."""

    name: str
    dropped: frozenset[str] = frozenset()
    dropped_prefixes: tuple[str, ...] = ()
    dropped_pattern: re.Pattern[str] = _NEVER
    dropped_pairs: frozenset[tuple[str, str]] = frozenset()
    kept: frozenset[str] = frozenset()
    path_parameters: frozenset[str] = frozenset()
    path_endings: tuple[str, ...] = ()
    host_prefixes: tuple[str, ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict)
    https: bool = False
    sort: bool = False
    trailing_slash: bool = True


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TRACKING = _names(
    "fbclid gclid dclid gbraid wbraid gad_source gad_campaignid gclsrc msclkid yclid twclid ttclid li_fat_id igshid "
    "epik srsltid mc_cid mc_eid mkt_tok _hsenc _hsmi __hstc __hssc __hsfp hsctatracking vero_id vero_conv oly_anon_id "
    "oly_enc_id wickedid s_cid _openstat rb_clickid _ga _gl ml_subscriber ml_subscriber_hash ss_email_id bsft_clkid "
    "bsft_eid at_medium at_campaign __twitter_impression guccounter guce_referrer guce_referrer_sig sc_cid ncid "
    "cmpid icid xtor wt_mc wt.mc_id"
)
_TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "matomo_", "hsa_")

DEFAULT = RuleSet(name="default-1", dropped=_TRACKING, dropped_prefixes=_TRACKING_PREFIXES)
"""Safe to fetch: only what never selects content is left out. `ref`, `cid` and `source` select on many sites."""

IDENTITY = RuleSet(
    name="identity-1",
    dropped=_TRACKING,
    dropped_prefixes=_TRACKING_PREFIXES,
    dropped_pairs=frozenset(
        {("outputtype", "amp"), ("amp", "1"), ("amp", "true"), ("amp", ""), ("print", "1"), ("print", "true")}
    ),
    path_endings=("/amp", "/amp/", ".amp", "/amp.html"),
    host_prefixes=("www.", "m.", "mobile.", "amp."),
    https=True,
    trailing_slash=False,
)
"""Not an address: the same page on phones, as AMP, for print, with or without `www` and TLS is one."""

SEED_C = RuleSet(name="seed-c", dropped=_names("utm_source utm_medium utm_campaign fbclid gclid"))

SEED_P = RuleSet(
    name="seed-p",
    dropped=_names(
        "jsessionid phpsessid sid session_id cfid cftoken utm_source utm_medium utm_campaign utm_term utm_content fbclid "
        "gclid gad_source ref source origin mc_cid mc_eid _ga _gl hsctatracking mkt_tok"
    ),
    dropped_prefixes=("aspsessionid",),
    dropped_pattern=re.compile(r"[a-z]*session[a-z]*"),
    kept=_names("lang idioma locale id codigo expediente page pagina p tipo category seccion"),
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
"""The rules of the procedures pipeline that need no network; following redirects is the fetcher's part."""

RULE_SETS: Mapping[str, RuleSet] = MappingProxyType(
    {one.name: one for one in (DEFAULT, IDENTITY, SEED_C, SEED_P)}
)
