"""URLs as identities: canonical forms by named rule sets, hosts, and what may stand in a log."""

from headwater.pure.urls.canonical import canonical, without_tracking
from headwater.pure.urls.hosts import host_of, registered_domain
from headwater.pure.urls.links import link_type
from headwater.pure.urls.rules import DEFAULT, IDENTITY, RULE_SETS, SEED_C, SEED_P, RuleSet
from headwater.pure.urls.safe import safe_url

__all__ = [
    "DEFAULT",
    "IDENTITY",
    "RULE_SETS",
    "SEED_C",
    "SEED_P",
    "RuleSet",
    "canonical",
    "host_of",
    "link_type",
    "registered_domain",
    "safe_url",
    "without_tracking",
]
