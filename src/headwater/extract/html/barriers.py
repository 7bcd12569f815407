"""Why a page has no text of its own. Asked only when little was found: a page with real text is never thrown away.

A wall may carry a few well-written sentences: a teaser, or a plea for cookies. Such a page is taken for a wall only if
two witnesses that do not know each other say so: its structure (a declaration, a form) and its words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from headwater.extract.html.metadata.evidence import PageEvidence
from headwater.model.outcomes import Unreadable
from headwater.text.sniffing import binary_kind

LARGEST_HTML = 32 * 1024 * 1024

_LITTLE = 60
_HARDLY_ANY = 25
_SURE = 0.6
_HEAD = 2_000

_CHALLENGE = re.compile(
    r"just a moment|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|attention required|enable javascript and cookies|are you a robot|security check|ddos protection",
    re.IGNORECASE,
)
_NO_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|without|aktivieren|activ(?:ar|er|a)|habilit(?:ar|e)|abilit(?:a|are))\W+(?:\w+\W+){0,3}javascript"
    r"|javascript\W+(?:\w+\W+){0,4}(?:enabled|required|disabled|aktivier\w+|activ\w+|habilitad\w+|necess\w+)",
    re.IGNORECASE,
)
_ROOT = re.compile(
    r'<(?:div|main|app-root)[^>]{0,80}(?:id="(?:root|app|__next|__nuxt|___gatsby|main-app|react-root)"|data-reactroot)|<app-root',
    re.IGNORECASE,
)
_LOADS = re.compile(
    r"""<script[^>]*\ssrc=|rel=["']?modulepreload|as=["']?script\b|id=["']?[\w-]*(?:splash|preloader)""",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b404\b|\b410\b|not found|page (?:does not|doesn.t) exist|no longer (?:available|exists)|nicht gefunden|no encontrad|introuvable|non trovat|não encontrad|niet gevonden|ページが見つかりません|页面不存在",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:400|401|403|405|408|429|500|501|502|503|504|52\d)\b|forbidden|access denied|bad gateway|service unavailable|server error|gateway time-?out|too many requests|temporarily unavailable|something went wrong|zugriff verweigert|acceso denegado|accès refusé|request blocked",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"(?:accept|agree|consent|allow|akzeptier|zustimm|aceptar|accepter|accett|aceitar|accepteer)",
    re.IGNORECASE,
)
_COOKIES = re.compile(
    r"cookie|consent|gdpr|dsgvo|rgpd|privacy|datenschutz|privacidad|vie privée", re.IGNORECASE
)
_LOGIN = re.compile(
    r"\b(?:log|sign)\s?-?in\b|\blogin\b|anmelden|einloggen|iniciar sesi[oó]n|connexion|se connecter|accedi|entrar|inloggen|ログイン|登录",
    re.IGNORECASE,
)
_PAYWALL = re.compile(
    r"subscribe (?:now )?to (?:continue|read|keep)|already a subscriber|subscribers only|for subscribers|subscription required|become a (?:member|subscriber)"
    r"|to continue reading|unlock this (?:article|story)|jetzt weiterlesen|nur für abonnenten|suscríb\w+ para (?:seguir|leer)|réservé aux abonnés|per gli abbonati",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"before you (?:continue|go on)|cookie|consent|your privacy|privacy (?:settings|choices|preferences)"
    r"|bevor sie (?:fortfahren|weiterlesen)|einwilligung|datenschutzeinstellungen|avant de continuer|vie privée|consentement"
    r"|antes de continuar|consentimiento|prima di continuare|consenso|voordat je verder ?gaat|toestemming",
    re.IGNORECASE,
)
_AGREE = re.compile(
    r"""<(?:button|a|span|div|label)\b[^<>]{0,300}>\s*(?:<span[^<>]{0,200}>\s*)?"""
    r"""(?:(?:i|we|yes,? i|ich|j.)\s*)?(?:accept|agree|allow|consent|got it|akzeptier|stimme|zustimm|alle akzept|acept|tout accepter|accett|aceit|accepteer)"""
    r"""|<input\b[^<>]{0,200}value=["']?\s*(?:i )?(?:accept|agree|akzept|acept|accett)""",
    re.IGNORECASE,
)
_ARTICLE_TYPE = re.compile(r"Article|Posting|Report|Review", re.IGNORECASE)
_REFRESH = re.compile(r"^\s*\d+(?:\.\d+)?\s*[;,]\s*url\s*=", re.IGNORECASE)
_SCRIPTED_MOVE = re.compile(
    r"(?:window|document|self|top)?\.?location(?:\.href|\.replace\(|\.assign\()?\s*[=(]?\s*[\"']",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class VisiblePage:
    """What a page shows: `words` were chosen as its text, `visible` is everything that can be read on it."""

    words: int
    confidence: float
    visible: str
    visible_words: int
    markup: str
    evidence: PageEvidence


def why_not_html(data: bytes) -> Unreadable | None:
    """Why these bytes are not read as a page; None when they are."""
    if len(data) > LARGEST_HTML:
        return Unreadable("too_large", f"{len(data)} bytes; the limit is {LARGEST_HTML}")
    kind = binary_kind(data)
    return Unreadable("unsupported", f"{kind}, not a page") if kind else None


def find_barrier(seen: VisiblePage) -> Unreadable | None:
    """The reason why there is no text, or None when there is."""
    if _is_teaser(seen):
        return Unreadable("paywall", seen.visible[:200])
    if _is_consent_wall(seen):
        return Unreadable("consent", seen.visible[:200])
    if seen.words >= _LITTLE or (
        seen.words >= _HARDLY_ANY and seen.confidence >= _SURE and not _is_blocked(seen)
    ):
        return None
    for reason, test in _TESTS:
        if test(seen):
            return Unreadable(reason, seen.visible[:200])
    return None if seen.words else Unreadable("no_text", seen.visible[:200])


def is_paywalled(seen: VisiblePage) -> bool:
    """Whether the page says that there is more for those who pay."""
    return any(
        entry.get("isAccessibleForFree") in (False, "False", "false") for entry in seen.evidence.linked_data
    )


def _is_teaser(seen: VisiblePage) -> bool:
    """A few sentences above a wall: the page declares that there is more, and says to whom."""
    return is_paywalled(seen) and bool(_PAYWALL.search(seen.visible))


def _is_consent_wall(seen: VisiblePage) -> bool:
    """Nothing but a plea for cookies: its heading says so, its words do, and there is something to agree with. A page
    that calls itself an article is one, whatever stands beside it."""
    return (
        seen.visible_words < 4 * _LITTLE
        and bool(_BEFORE.search(_title(seen)))
        and bool(_COOKIES.search(seen.visible))
        and bool(_AGREE.search(seen.markup))
        and not _is_article(seen)
    )


def _is_article(seen: VisiblePage) -> bool:
    if seen.evidence.meta("og:type").lower().startswith("article") or "<article" in seen.markup.lower():
        return True
    return any(_ARTICLE_TYPE.search(str(entry.get("@type"))) for entry in seen.evidence.linked_data)


def _is_blocked(seen: VisiblePage) -> bool:
    title = _title(seen)
    return bool(
        _CHALLENGE.search(title) or _NOT_FOUND.search(title) or _ERROR.search(title) or _LOGIN.search(title)
    )


def _title(seen: VisiblePage) -> str:
    return " ".join([seen.evidence.title, *seen.evidence.headings[:1]])


def _is_redirect(seen: VisiblePage) -> bool:
    refresh = seen.evidence.meta("refresh")
    if refresh and _REFRESH.match(refresh):
        return True
    return (
        seen.visible_words < _HARDLY_ANY
        and len(seen.markup) < 5_000
        and bool(_SCRIPTED_MOVE.search(seen.markup))
    )


def _is_challenge(seen: VisiblePage) -> bool:
    few = seen.visible_words < 2 * _LITTLE
    return bool(_CHALLENGE.search(_title(seen))) or (few and bool(_CHALLENGE.search(seen.visible[:_HEAD])))


def _is_not_found(seen: VisiblePage) -> bool:
    return bool(_NOT_FOUND.search(_title(seen))) or (
        seen.visible_words < _LITTLE and bool(_NOT_FOUND.search(seen.visible[:_HEAD]))
    )


def _is_error(seen: VisiblePage) -> bool:
    return bool(_ERROR.search(_title(seen))) or (
        seen.visible_words < _LITTLE and bool(_ERROR.search(seen.visible[:_HEAD]))
    )


def _is_consent(seen: VisiblePage) -> bool:
    text = seen.visible[: 2 * _HEAD]
    about = len(_COOKIES.findall(text))
    return (
        seen.visible_words < 400
        and about >= 2
        and about * 60 >= seen.visible_words
        and bool(_CONSENT.search(text))
    )


def _is_login(seen: VisiblePage) -> bool:
    return (
        bool(_LOGIN.search(_title(seen)) or _LOGIN.search(seen.visible[:_HEAD]))
        and 'type="password"' in seen.markup
    )


def _is_paywall(seen: VisiblePage) -> bool:
    return bool(_PAYWALL.search(seen.visible)) or is_paywalled(seen)


def _needs_script(seen: VisiblePage) -> bool:
    if seen.visible_words < 4 * _LITTLE and _NO_SCRIPT.search(seen.visible):
        return True
    if seen.words >= _HARDLY_ANY or (seen.words and seen.visible_words >= 4 * _LITTLE):
        return False
    if seen.visible_words < _HARDLY_ANY and _LOADS.search(seen.markup):
        return True
    return bool(_ROOT.search(seen.markup)) or seen.markup.count("<script") >= 3


_TESTS: tuple[tuple[str, Callable[[VisiblePage], bool]], ...] = (
    ("redirect_stub", _is_redirect),
    ("js_required", _is_challenge),
    ("soft_404", _is_not_found),
    ("error_page", _is_error),
    ("consent", _is_consent),
    ("login", _is_login),
    ("paywall", _is_paywall),
    ("js_required", _needs_script),
)
