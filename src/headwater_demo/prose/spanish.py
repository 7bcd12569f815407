"""Español."""

from headwater_demo.article import Topic
from headwater_demo.prose.text import Phrases, ProseLanguage

_FACTS = (
    "La operación se cerró con una comisión del {fraction} por ciento.",
    "Los datos de {partner} confirman que {count} carteras concentran la mayor parte de los fondos.",
    "El cambio entrará en vigor hacia el {future}, si nadie presenta objeciones.",
    "La empresa emplea a {hundreds} personas, casi la mitad en {other_city}.",
    "En las primeras {hours} horas se registraron {thousands} operaciones.",
    "El plazo para enviar comentarios termina el {future}.",
    "Según el informe, el fallo llevaba en el código desde el {past}.",
    "{rival} había anunciado una medida parecida en {month_past}, pero nunca la aplicó.",
    "El volumen en {city} subió un {percent} por ciento con respecto a la semana anterior.",
    "Los clientes afectados recibirán una compensación media de {hundreds} euros.",
    "La red {protocol} siguió funcionando con normalidad durante todo el día.",
    "El consejo aprobó la propuesta con {few} votos de diferencia.",
    "El coste total asciende a {millions} millones de euros, un {percent} por ciento más de lo previsto.",
    "Los nodos que no se actualicen antes del {future} quedarán fuera de la red.",
    "Una auditoría de {partner} encontró {few} problemas menores, ya corregidos.",
    "El precio de {other_token} se movió en sentido contrario y ganó un {fraction} por ciento.",
    "Hasta ahora solo {count} entidades han pedido la autorización.",
    "La bolsa de {other_city} suspendió la cotización durante {hours} horas.",
    "Los ahorradores pequeños apenas vendieron, a diferencia de los fondos.",
    "El contrato prevé una prórroga de {few} años si ambas partes están de acuerdo.",
    "Las reservas bastan para {count} meses al ritmo de gasto actual.",
    "En {month_past} la misma plataforma había perdido {thousands} usuarios.",
)


def _topic(keywords: tuple[str, ...], *openings: tuple[str, str]) -> Phrases:
    return Phrases(openings=openings, facts=_FACTS, keywords=keywords)


_TOPICS: dict[Topic, Phrases] = {
    "markets": _topic(
        ("precios", "liquidez", "volumen"),
        (
            "{token} [cae|retrocede|pierde] un {percent} por ciento tras una venta masiva en {city}",
            "El precio de {token} [cayó|bajó] un {percent} por ciento el {weekday} después de que {company} [vendiera|moviera] {thousands} monedas en pocas horas.",
        ),
        (
            "Los inversores de {city} [vuelven a|se alejan de] {token}, según {company}",
            "Cada vez más ahorradores de {city} [se interesan por|preguntan por] {token}, según un recuento de {company} entre {hundreds} clientes.",
        ),
    ),
    "protocols": _topic(
        ("actualización", "nodos", "consenso"),
        (
            "Los validadores de {protocol} bajan las comisiones un {percent} por ciento",
            "Los validadores de la red {protocol} [aprobaron|respaldaron] el {weekday} un cambio que [reduce|rebaja] las comisiones un {percent} por ciento.",
        ),
        (
            "{protocol} [aprueba|retrasa] su actualización de {month} a petición de {company}",
            "Los responsables de {protocol} [anunciaron|confirmaron] el {weekday} que la actualización prevista para {month} seguirá un calendario nuevo, acordado con {company}.",
        ),
    ),
    "regulation": _topic(
        ("licencias", "impuestos", "supervisión"),
        (
            "{company} [obtiene|logra] una licencia tras {count} meses de espera",
            "Tras {count} meses de trámites, {company} ha [recibido|obtenido] permiso para atender a clientes particulares desde su oficina de {city}.",
        ),
        (
            "Hacienda aclara a {company} cómo se declaran las ganancias en {token}",
            "Las ganancias obtenidas con {token} se declaran el día en que pueden venderse, [aclara|explica] una nota que había solicitado {company}.",
        ),
    ),
    "security": _topic(
        ("ataque", "auditoría", "estafas"),
        (
            "{company} [congela|detiene] las retiradas por movimientos extraños de {token}",
            "{company} [detuvo|suspendió] las retiradas el {weekday} tras [detectar|observar] transferencias extrañas por valor de {millions} millones de euros.",
        ),
        (
            "Un error en {protocol} [deja escapar|cuesta] {millions} millones",
            "Un error en un contrato de {protocol} permitió [retirar|sacar] {millions} millones de euros en una sola noche, [reconoció|admitió] {company} el {weekday}.",
        ),
    ),
    "business": _topic(
        ("inversión", "resultados", "empleo"),
        (
            "{company} [compra|adquiere] {rival} por {millions} millones",
            "{company} [comprará|adquirirá] {rival} por {millions} millones de euros, según [anunciaron|comunicaron] ambas empresas el {weekday} en {city}.",
        ),
        (
            "{company} abre oficina en {city} y contratará a {count} personas",
            "{company} [abrirá|estrenará] en {month} una oficina en {city} y busca a {count} personas, sobre todo para atención al cliente.",
        ),
    ),
}

SPANISH = ProseLanguage(
    topics=_TOPICS,
    quotes=(
        "«Preferimos llegar tarde que equivocarnos», dijo {person} en un acto celebrado en {city}.",
        "«Nadie esperaba que ocurriera tan deprisa», reconoció {analyst}, de {partner}.",
        "«Lo interesante es lo que no se ha roto», resumió {critic}.",
        "«Hemos revisado las cuentas {few} veces y siempre sale lo mismo», aseguró {person}.",
        "«Dentro de un mes nadie se acordará de por qué discutíamos», pronosticó {analyst}.",
    ),
    background=(
        "{company} se fundó en {city} y trabaja con {count} entidades.",
        "Ni {rival} ni {partner} quisieron hacer declaraciones.",
        "Es el {few}.º anuncio de este tipo en lo que va de trimestre.",
        "Desde enero {token} acumula una subida del {percent} por ciento.",
        "Un episodio parecido, en {month_past}, se resolvió en {count} días.",
        "Una encuesta entre {hundreds} profesionales refleja opiniones divididas.",
    ),
    endings=(
        "La próxima reunión está prevista para el {future}. Hasta entonces, {company} publicará un resumen cada semana.",
        "El informe completo se conocerá en {month}. Este artículo se actualizará si aporta novedades.",
        "Queda por ver si la calma dura más allá del {future}, cuando {rival} presente sus cuentas.",
    ),
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    date="{day} de {month}",
    decimal=",",
    cities=(
        "Madrid",
        "Lisboa",
        "Bogotá",
        "Valencia",
        "Montevideo",
        "Sevilla",
        "Lima",
        "Bilbao",
        "Santiago",
        "Zaragoza",
        "Málaga",
    ),
)
