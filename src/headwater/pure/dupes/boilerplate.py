"""What a page says on every page: furniture known by its words, and sentences that a publisher keeps repeating."""

import re

import numpy as np

from headwater.pure.dupes.sentences import Sentences
from headwater.pure.dupes.tokens import Flags, Tokens

REPEATS = 3
"""A sentence that a publisher used in so many different stories is furniture."""

REPEATS_ANYWHERE = 12
"""The same for a sentence seen at any publisher."""

EVERYWHERE = ""
"""Counts under this name are those over all publishers."""

_FURNITURE = re.compile(
    r"""
    \ball\ rights\ reserved | \bcopyright\b | ©
    | \bsubscri(?:be|ption|bers?) | \bnewsletters? | \bsign(?:ing)?\ up\b | \bcookies\b
    | \bfollow\ [^.\n]{1,40}\ on\ (?:facebook|x\b|twitter|instagram|linkedin|social) | \bfollow\ us\b
    | \badvertisement\b | \bsponsored\b | \bstory\ continues\b | \bread\ (?:also|more|next)\b | \bmost\ (?:popular|read)\b
    | \bterms\ of\ (?:use|service)\b | \bprivacy\ policy\b | \bcomments\ are\b | \bshare\ this\b | \bclick\ here\b
    | \bcontributed\ to\ this\ (?:report|story) | \breporting\ by\b | \bedit(?:ing|ed)\ by\b | \bmin(?:ute)?s?\ read\b
    | \bmay\ not\ be\ (?:published|reproduced|redistributed) | \bhas\ not\ been\ edited\b | \binvestment\ advice\b
    | \bcorrect(?:ion|s)\b\ *[:\-\u2014(] | \b(?:earlier|previous)\ version\ of\ this\b | \bforward[- ]looking\ statements?\b
    | ^by\ [a-z] | ^(?:last\ )?updated?\b[^.\n]{0,40}\d | ^published\b[^.\n]{0,40}\d
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_CORRECTION = re.compile(r"\bcorrect(?:s|ed|ion)\b|\bmisstated\b|\bclarification\b", re.IGNORECASE)


def furniture(tokens: Tokens, parts: Sentences) -> Flags:
    """One flag per sentence: its words alone show that it belongs to the page, not to the story."""
    found = np.zeros(len(parts.hashes), dtype=bool)
    text = tokens.between(0, len(tokens.codes))
    places = [match.end() - 1 for match in _FURNITURE.finditer(text)]
    if places and len(found):
        words = np.searchsorted(tokens.starts, places, side="right") - 1
        found[np.maximum(np.searchsorted(parts.starts, words, side="right") - 1, 0)] = True
    return found


def announces_correction(text: str) -> bool:
    return _CORRECTION.search(text) is not None
