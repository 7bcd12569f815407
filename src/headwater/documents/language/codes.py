"""Language codes as pages, feeds and the model write them."""

import re

UNDETERMINED = "und"
TAG = re.compile(r"\s*([A-Za-z]{2,3})(?=$|[-_\s;,])")

# One code per language: what older standards, regional names or macro-languages call it elsewhere.
SAME_LANGUAGE = {
    "iw": "he",
    "in": "id",
    "ji": "yi",
    "nb": "no",
    "jp": "ja",
    "cn": "zh",
    "spa": "es",
    "cat": "ca",
    "eus": "eu",
    "baq": "eu",
    "glg": "gl",
    "eng": "en",
    "por": "pt",
    "fra": "fr",
    "fre": "fr",
    "ita": "it",
    "deu": "de",
    "ger": "de",
    "nld": "nl",
    "dut": "nl",
}

# What an unrestricted look chooses among, and what may overrule a restricted one. Languages that are close to a bigger
# neighbour and rare on the web (Aragonese, Extremaduran, Venetian) are named only by recipes that want them.
WIDELY_WRITTEN = (
    *(
        "af",
        "ar",
        "az",
        "be",
        "bg",
        "bn",
        "bs",
        "ca",
        "cs",
        "cy",
        "da",
        "de",
        "el",
        "en",
        "eo",
        "es",
        "et",
        "eu",
    ),
    *(
        "fa",
        "fi",
        "fr",
        "ga",
        "gl",
        "gu",
        "he",
        "hi",
        "hr",
        "hu",
        "hy",
        "id",
        "is",
        "it",
        "ja",
        "ka",
        "kk",
        "km",
    ),
    *(
        "kn",
        "ko",
        "lt",
        "lv",
        "mk",
        "ml",
        "mn",
        "mr",
        "ms",
        "my",
        "ne",
        "nl",
        "nn",
        "no",
        "pa",
        "pl",
        "ps",
        "pt",
    ),
    *(
        "ro",
        "ru",
        "si",
        "sk",
        "sl",
        "sq",
        "sr",
        "sv",
        "sw",
        "ta",
        "te",
        "th",
        "tl",
        "tr",
        "uk",
        "ur",
        "uz",
        "vi",
    ),
    *("zh", "zu"),
)

# Standards of what is nearly one written language: one of them never overrules another that a recipe asked for.
NEAR_IDENTICAL = (frozenset({"bs", "hr", "sr"}), frozenset({"nn", "no"}), frozenset({"id", "ms"}))


def primary_code(tag: str) -> str:
    """`es-ES`, `pt_BR`, ` EN ` to `es`, `pt`, `en`; the empty string for what is no language tag."""
    match = TAG.match(tag)
    code = match.group(1).lower() if match else ""
    code = SAME_LANGUAGE.get(code, code)
    return "" if code in {UNDETERMINED, "zxx", "mul", "mis"} else code
