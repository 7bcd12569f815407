"""Links that lead to the start of a procedure, or to the page for appointments."""

import re
from urllib.parse import urlsplit

from headwater.text.folding import fold_text
from headwater_recipes.procedures.sections.parts import SectionLine, TextLink

APPOINTMENT = re.compile(
    r"cita ?-?_?previa|citaprevia|cita pr[eè]via|pedir cita|demanar cita|demana cita|hitzordu|appointment|\bcitas?\b|\b(?:reserv\w*|deman\w*|ped\w*|pid\w*|coll\w*|solicit\w*|sac\w*|pill\w*) (?:hora|torn|turno|quenda)\b"
)
APPOINTMENT_HOST = re.compile(
    r"(?:turnos?|torns?|hora|reserv\w{0,6}|quenda|citas?|cita-?previa|hitzordu\w{0,6}|appointments?)[.-]"
)
STARTS = re.compile(
    r"^pedir\b|^demanar?\b|^eska|^reservar?\b|^anotar|sede electronica|seu electronica|egoitza elektronik|tramitar|tramita\b|iniciar|inicia\b|comenca\w*|comenza\w*|empeza\w*|comienza|empieza|hasi\b|acce(?:so|der) (?:a|al|a la|o|ao) (?:tramite|tramitador|procedimiento|procedemento|sede|solicitud|formulario|servicio)|inscribi\w+|inscriu\w+|apuntar\w*|acces al? tramit|solicitar|solicita\b|sol licitar|sol licita\b|eskatu|eskaera egin|izapidetu|egin izapidea|apply|start|ventanilla electronica|oficina virtual|e ?office|tramitacion (?:en linea|electronica|online)|tramitacio (?:en linia|electronica)|presentar|formulario|formulari\b|registro electronico|online|en linea|en linia|iniciar o tramite|solicitude"
)
ENTERS = re.compile(r"(?:entr[ae]\w{0,3}|acced[ae]\w{0,2}|accediu|sartu|visit[ae]?|go to|log in|sign in) ")
START_PATH = re.compile(
    r"/(?:e-?office|oficina-?virtual|registro|solicit\w*|tramitar|tramita|inscri\w*|formulari\w*|apply|eskae\w*|alta|iniciar)(?:[/.?-]|$)"
)
START_HOST = re.compile(
    r"(?:tramit(?:a|e|es|s|ador|acion)?|e-?office|e-?oficina|oficina-?virtual|secretaria-?virtual|online|registro|rexistro|registre)[.-]"
)
ASIDE = re.compile(
    r"imprim|descarg|baixa|deskarga|download|print|volver|tornar|itzuli|back|compart|partekatu|share|contact|ver mas|mas info|veure|cerca|busca|search|inici[oa]?$|home|noticia|seguir|suscri|pdf|cookies|mapa|calendari|horari"
)
HELP = re.compile(
    r"/(?:ayuda|ajuda|axuda|laguntza|help|soporte|support|faqs?|preguntas\w*|contact\w*)(?:[/.?-]|$)"
)
FILES = re.compile(r"\.(?:pdf|docx?|odt|xlsx?|zip|jpe?g|png)(?:$|[?#])", re.IGNORECASE)
FOOT = re.compile(
    r"^(?:aviso legal|avis legal|legal notice|lege oharra|accesibilida\w+|accessibili\w+|irisgarritasun\w*|mapa\b.*|site ?map|(?:politica de )?privaci\w+|privacitat|privadesa|privacy|protecc?i\w+ de dat\w+|cookies|contact\w*|rgpd|mis (?:expedientes|tramites|solicitudes)|mi carpeta|o meu cartafol|la meva carpeta|my (?:files|applications))$"
)
LAW = re.compile(
    r"boe\.es/(?:buscar|diario|eli)|/eli/|dogc|bocm|boja|docv|dogv|boib|euskadi\.eus/bopv|xunta\.gal/dog",
    re.IGNORECASE,
)


def is_appointment(link: TextLink) -> bool:
    address = urlsplit(link.url)
    return bool(
        APPOINTMENT.search(fold_text(link.text))
        or APPOINTMENT.search(address.path.lower().replace("-", " "))
        or APPOINTMENT_HOST.match((address.hostname or "").lower())
    )


def is_start(link: TextLink) -> bool:
    """Whether the link leads to the start of the procedure: not a file, a law or an appointment."""
    if not is_application_link(link):
        return False
    parts = urlsplit(link.url)
    host = (parts.hostname or "").lower()
    return (
        bool(STARTS.search(fold_text(link.text)))
        or "sede" in host
        or host.startswith("seu")
        or "egoitza" in host
        or "seuelectronica" in host
        or START_HOST.match(host) is not None
    )


def is_application_link(link: TextLink) -> bool:
    return (
        link.url.startswith(("http://", "https://"))
        and not FILES.search(link.url)
        and not LAW.search(link.url)
        and not HELP.search(urlsplit(link.url).path.lower())
        and not FOOT.match(fold_text(link.text))
        and not is_appointment(link)
    )


def leads_to_start(link: TextLink) -> bool:
    """Whether the address looks like the start of a procedure. Only reliable in sections about applying."""
    return is_application_link(link) and bool(START_PATH.search(urlsplit(link.url).path.lower()))


def is_written_out(link: TextLink) -> bool:
    """Whether the text of the link is its address. In sections about applying, that is where one applies."""
    address = urlsplit(link.url)
    written = link.text.removeprefix("https://").removeprefix("http://").rstrip("/").lower()
    target = f"{address.hostname or ''}{address.path}".rstrip("/").lower()
    return is_application_link(link) and written.removeprefix("www.") == target.removeprefix("www.")


def is_entered(link: TextLink, line: SectionLine) -> bool:
    """Whether a step tells people to enter the site that it links to."""
    return is_application_link(link) and ENTERS.match(fold_text(line.text)) is not None
