"""Ladders by name. A profile's name and version are stored with what it decided."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from types import MappingProxyType

import numpy as np

from headwater.pure.dupes.exact import guid_print, seed_text_print, text_print, title_content_print, url_print
from headwater.pure.dupes.ladder import Profile
from headwater.pure.dupes.page import Page
from headwater.pure.dupes.rungs import equal, equal_text, near, similar_minhash, similar_title
from headwater.pure.dupes.signature import SCHEME, sign
from headwater.pure.dupes.tokens import mix, tokenise


def signature_keys(page: Page) -> tuple[int, ...]:
    return sign(page.title, page.body).keys


def publisher_days(page: Page) -> tuple[int, ...]:
    """Keys that bring together what one publisher published on neighbouring days."""
    when = page.article.published_at
    if when is None:
        return ()
    publisher = tokenise(page.article.publisher).hashes.sum(dtype=np.uint64, keepdims=True)
    day = int(when.timestamp()) // 86_400
    days = np.array([day, day + 1], dtype=np.uint64)
    return tuple(mix(publisher + days).view(np.int64).tolist())


_seed_c_url = partial(url_print, rules="seed-c")

DEFAULT = Profile(
    name="default",
    version=1,
    scheme=SCHEME,
    prints=(url_print, guid_print, text_print),
    keys=signature_keys,
    rungs=(equal("url", url_print), equal("guid", guid_print), equal_text(text_print), near),
)

SEED_C = Profile(
    name="seed-c",
    version=1,
    scheme="seed-c-1",
    prints=(_seed_c_url, guid_print, title_content_print),
    keys=publisher_days,
    rungs=(
        equal("url", _seed_c_url, checked=False),
        equal("guid", guid_print, checked=False),
        equal("title-content", title_content_print, checked=False),
        similar_title(0.9, timedelta(hours=24)),
    ),
)

SEED_G = Profile(
    name="seed-g",
    version=1,
    scheme=SCHEME,
    prints=(seed_text_print,),
    keys=signature_keys,
    rungs=(equal("text", seed_text_print, checked=False), similar_minhash(0.8)),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({one.name: one for one in (DEFAULT, SEED_C, SEED_G)})
