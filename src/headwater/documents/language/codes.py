"""Language codes as pages, feeds and the language model write them."""

import re

from headwater.text.language_names import language_code

UNDETERMINED = "und"
WHOLE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*+")
TAG = re.compile(r"\s*([A-Za-z]{2,3})(?=$|[-_\s;,])")

# One code per language, for older standards, three-letter codes and common mistakes.
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

# The candidates of an unrestricted detection, and the languages that may overrule a restricted one. A language that is
# rare on the web and close to a larger one (Aragonese, Venetian) is a candidate only where a recipe lists it.
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

# Standards of nearly one written language: one never overrules another that a recipe lists.
NEAR_IDENTICAL = (frozenset({"bs", "hr", "sr"}), frozenset({"nn", "no"}), frozenset({"id", "ms"}))


def primary_code(tag: str) -> str:
    """`es-ES`, `pt_BR`, ` EN ` to `es`, `pt`, `en`; an empty string for anything that is not a language tag."""
    match = TAG.match(tag)
    code = match.group(1).lower() if match else ""
    code = SAME_LANGUAGE.get(code, code)
    return "" if code in {UNDETERMINED, "zxx", "mul", "mis"} else code


def language_problem(language: str) -> str:
    """What is wrong with the language of a filter, which is compared with the codes of documents; "" if nothing is."""
    code = primary_code(language) if WHOLE_TAG.fullmatch(language) else language_code(language)
    if language in (code, UNDETERMINED) or language.startswith((f"{code}-", f"{code}_") if code else ()):
        return ""
    return (
        f"'{language}' is not a language code that documents have; write {code or 'for example en, es or pt'}"
    )
