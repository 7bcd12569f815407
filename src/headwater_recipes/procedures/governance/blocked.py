"""Sites that are never cited, by kind: they speak about the administration without being it."""

from collections.abc import Mapping

_BY_KIND: Mapping[str, str] = {
    "forum": "forocoches.com burbuja.info rankia.com reddit.com quora.com",
    "social": "facebook.com instagram.com twitter.com x.com tiktok.com youtube.com linkedin.com t.me whatsapp.com pinterest.com",
    "encyclopedia": "wikipedia.org wikihow.com",
    "news": "elpais.com elmundo.es abc.es lavanguardia.com 20minutos.es elconfidencial.com eldiario.es larazon.es publico.es",
    "aggregator": "citapreviainem.es todotramites.com tramitesygestiones.com buscooposiciones.com",
    "commercial_law": "legalitas.com abogados365.com iberley.es",
    "agency": "gestoria.com gestorias.es tugestor.es",
    "assistant": "chatgpt.com openai.com perplexity.ai gemini.google.com copilot.microsoft.com",
    "content_farm": "scribd.com slideshare.net coursehero.com",
}
BLOCKED: Mapping[str, str] = {
    domain: kind for kind, domains in _BY_KIND.items() for domain in domains.split()
}
BLOCKED_PATTERNS = ("*.wordpress.com", "*.blogspot.com", "*.medium.com", "*.notion.site")
