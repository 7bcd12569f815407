"""Why a page has no text of its own. Checked only when little text was chosen: a page with real text is never dropped.

A wall may have a few well-written sentences: a teaser, or a request for cookies. Such a page counts as a wall only if two
independent signs agree: its structure (a declaration, a form) and its words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from headwater.extract.html.metadata.evidence import PageEvidence, is_paywalled
from headwater.model.outcomes import Unreadable
from headwater.text.sniffing import binary_kind

LARGEST_HTML = 32 * 1024 * 1024

_FEW_WORDS = 60
_VERY_FEW_WORDS = 25
_CONFIDENT = 0.6
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
    r"""<script[^<>]*\ssrc=|rel=["']?modulepreload|as=["']?script\b|id=["']?[\w-]*(?:splash|preloader)""",
    re.IGNORECASE,
)
_ERROR_WORD = r"(?:error|http(?:/\d\.\d)?|code|status|fehler|erreur|errore|erro|oops|sorry)"
_REASON_PHRASE = (
    r"(?:bad request|unauthorized|authorization required|payment required|forbidden|not found|(?:method )?not allowed"
    r"|not acceptable|proxy authentication|request time-?\s?out|gone|too many requests|internal server|not implemented"
    r"|bad gateway|proxy error|service (?:temporarily )?unavailable|gateway time-?\s?out|web server is|connection timed out"
    r"|origin is unreachable|a timeout occurred|unknown error|ssl handshake)"
)


def _status(codes: str) -> str:
    """A status code beside words that say so, before a colon, or alone; articles have figures, too: "500 jobs", "404 homes"."""
    return (
        rf"\b{_ERROR_WORD}\W{{0,3}}(?:{codes})\b|\b(?:{codes})\W{{0,3}}(?:{_ERROR_WORD}|{_REASON_PHRASE})\b"
        rf"|^\W*(?:{codes})(?:\s*:|\W*(?:page\W*)?$)"
    )


_NOT_FOUND = re.compile(
    rf"{_status('404|410')}|not found|page (?:does not|doesn.t) exist|no longer (?:available|exists)|nicht gefunden|no encontrad|introuvable|non trovat|não encontrad|niet gevonden|ページが見つかりません|页面不存在",
    re.IGNORECASE,
)
_ERROR = re.compile(
    rf"{_status(r'400|401|403|405|408|429|500|501|502|503|504|52[0-9]')}|forbidden|access denied|bad gateway|service unavailable|server error|gateway time-?out|too many requests|temporarily unavailable|something went wrong|zugriff verweigert|acceso denegado|accès refusé|request blocked",
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
    r"|to continue reading|unlock this (?:article|story)|jetzt weiterlesen|nur für abonnenten|suscríb\w{1,20} para (?:seguir|leer)|réservé aux abonnés|per gli abbonati",
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
_PARTS = re.compile(r"[\n.!?。！？]+|\s[|\u2013\u2014·»-]\s")
_REST = re.compile(
    r"\W+|\b(?:the|this|that|page|url|address|file|you|your|we|requested|request|were|are|was|is|has|been|looking|for|on|our"
    r"|server|site|website|sorry|oops|but|or)\b",
    re.IGNORECASE,
)
"""What stands around a failure without saying anything else."""
_REFRESH = re.compile(r"^\s*\d+(?:\.\d+)?\s*[;,]\s*url\s*=", re.IGNORECASE)
_SCRIPTED_MOVE = re.compile(
    r"(?:window|document|self|top)?\.?location(?:\.href|\.replace\(|\.assign\()?\s*+(?:[=(]\s*+)?[\"']",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class VisiblePage:
    """What a page shows: the number of `words` chosen as its text, and all `visible` text."""

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


def find_barrier(page: VisiblePage) -> Unreadable | None:
    """The reason why there is no text; None when there is some."""
    if _is_teaser(page):
        return Unreadable("paywall", page.visible[:200])
    if _is_consent_wall(page):
        return Unreadable("consent", page.visible[:200])
    if page.words >= _FEW_WORDS or (
        page.words >= _VERY_FEW_WORDS and page.confidence >= _CONFIDENT and not _is_blocked(page)
    ):
        return None
    for reason, test in _TESTS:
        if test(page):
            return Unreadable(reason, page.visible[:200])
    return None if page.words else Unreadable("no_text", page.visible[:200])


def _is_teaser(page: VisiblePage) -> bool:
    """A few sentences above a wall: the page declares that there is more, and its words say for whom."""
    return is_paywalled(page.evidence) and bool(_PAYWALL.search(page.visible))


def _is_consent_wall(page: VisiblePage) -> bool:
    """Nothing but a request for cookies: in its heading, in its words, and with a button to agree. A page that declares
    itself an article is one, whatever stands beside it."""
    return (
        page.visible_words < 4 * _FEW_WORDS
        and bool(_BEFORE.search(_title(page)))
        and bool(_COOKIES.search(page.visible))
        and bool(_AGREE.search(page.markup))
        and not _is_article(page)
    )


def _is_article(page: VisiblePage) -> bool:
    if page.evidence.meta("og:type").lower().startswith("article") or "<article" in page.markup.lower():
        return True
    return any(_ARTICLE_TYPE.search(str(entry.get("@type"))) for entry in page.evidence.linked_data)


def _is_blocked(page: VisiblePage) -> bool:
    title = _title(page)
    return bool(
        _CHALLENGE.search(title)
        or _LOGIN.search(title)
        or _is_said(_NOT_FOUND, title)
        or _is_said(_ERROR, title)
    )


def _title(page: VisiblePage) -> str:
    return "\n".join([page.evidence.title, *page.evidence.headings[:1]])


def _is_redirect(page: VisiblePage) -> bool:
    refresh = page.evidence.meta("refresh")
    if refresh and _REFRESH.match(refresh):
        return True
    return (
        page.visible_words < _VERY_FEW_WORDS
        and len(page.markup) < 5_000
        and bool(_SCRIPTED_MOVE.search(page.markup))
    )


def _is_challenge(page: VisiblePage) -> bool:
    few = page.visible_words < 2 * _FEW_WORDS
    return bool(_CHALLENGE.search(_title(page))) or (few and bool(_CHALLENGE.search(page.visible[:_HEAD])))


def _is_not_found(page: VisiblePage) -> bool:
    return _is_answer(_NOT_FOUND, page)


def _is_error(page: VisiblePage) -> bool:
    return _is_answer(_ERROR, page)


def _is_answer(failure: re.Pattern[str], page: VisiblePage) -> bool:
    """Whether the page itself is the failure. A page that declares itself an article, and has its sentences, reports one."""
    if page.words >= _VERY_FEW_WORDS and _is_article(page):
        return False
    return _is_said(failure, _title(page)) or (
        page.visible_words < _FEW_WORDS and _is_said(failure, page.visible[:_HEAD])
    )


def _is_said(failure: re.Pattern[str], text: str) -> bool:
    """Whether a sentence or a part of a title begins or ends with the failure, or says little else: "Page not found | Site". In
    the midst of other words it is what an article reports: "service unavailable for hours"."""
    return any(
        not _REST.sub("", part[: match.start()]) or not _REST.sub("", part[match.end() :])
        for part in map(str.strip, _PARTS.split(text))
        for match in failure.finditer(part)
    )


def _is_consent(page: VisiblePage) -> bool:
    text = page.visible[: 2 * _HEAD]
    mentions = len(_COOKIES.findall(text))
    return (
        page.visible_words < 400
        and mentions >= 2
        and mentions * 60 >= page.visible_words
        and bool(_CONSENT.search(text))
    )


def _is_login(page: VisiblePage) -> bool:
    return (
        bool(_LOGIN.search(_title(page)) or _LOGIN.search(page.visible[:_HEAD]))
        and 'type="password"' in page.markup
    )


def _is_paywall(page: VisiblePage) -> bool:
    return bool(_PAYWALL.search(page.visible)) or is_paywalled(page.evidence)


def _needs_script(page: VisiblePage) -> bool:
    if page.visible_words < 4 * _FEW_WORDS and _NO_SCRIPT.search(page.visible):
        return True
    if page.words >= _VERY_FEW_WORDS or (page.words and page.visible_words >= 4 * _FEW_WORDS):
        return False
    if page.visible_words < _VERY_FEW_WORDS and _LOADS.search(page.markup):
        return True
    return bool(_ROOT.search(page.markup)) or page.markup.count("<script") >= 3


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
