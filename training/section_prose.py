"""Sentences of running text, by class and language: what stands before the things that pages list in prose. With the texts of
`section_bodies.py` they make pages of prose, about invented procedures."""

import random
from collections.abc import Iterator

from headwater_recipes.procedures.sections.parts import SectionLine
from training.section_bodies import TEXTS

LEADS: dict[str, dict[str, str]] = {
    "requisitos": {
        "es": "Pueden pedirlo {}|Podrán acogerse {}|Está pensado para {}|Va dirigido a {}|Solo se concede si se cumple lo siguiente: {}|Para tener derecho es preciso {}|Hace falta {}|Es imprescindible {}|Se exige {}|Quien lo pida ha de {}|La condición es {}|Lo tienen a su alcance {}",
        "ca": "Ho poden demanar {}|S'hi poden acollir {}|Està pensat per a {}|Només es concedeix si es compleix això: {}|Per tenir-hi dret cal {}|És imprescindible {}|Qui ho demani ha de {}|La condició és {}",
        "gl": "Poden pedilo {}|Poderán acollerse {}|Está pensado para {}|Só se concede se se cumpre o seguinte: {}|Para ter dereito cómpre {}|É imprescindible {}|Quen o pida debe {}|A condición é {}",
        "eu": "Hauek eska dezakete: {}|Honako hauentzat da: {}|Eskubidea izateko beharrezkoa da {}|Ezinbestekoa da {}|Baldintza hau da: {}|Eskatzen duenak hau bete behar du: {}",
        "en": "It is open to {}|Those who can ask for it are {}|To qualify you must meet this: {}|It is only granted to {}|The condition is: {}|You are entitled to it if {}",
    },
    "documentos_necesarios": {
        "es": "Con la petición se acompañarán {}|Hay que llevar {}|A la solicitud se unirá {}|Se aportarán {}|Al escrito hay que añadir {}|Deben entregarse {}|Se pedirá también {}|Conviene tener a mano {}|Además se adjuntará {}|Las empresas aportarán también {}|Quien actúe en nombre de otro traerá {}",
        "ca": "Amb la petició s'hi acompanyaran {}|Cal portar {}|A la sol·licitud s'hi ha d'adjuntar {}|S'aportaran {}|S'han de lliurar {}|Es demanarà també {}|Convé tenir a mà {}|Qui actuï en nom d'un altre portarà {}",
        "gl": "Coa petición achegaranse {}|Hai que levar {}|Á solicitude xuntarase {}|Deben entregarse {}|Pedirase tamén {}|Convén ter á man {}|Quen actúe en nome doutro traerá {}",
        "eu": "Eskaerarekin batera aurkeztu behar dira {}|Hauek eraman behar dira: {}|Idazkiari erantsi behar zaio {}|Hauek ere eskatuko dira: {}|Eskura izan {}",
        "en": "Together with the request you hand in {}|You have to bring {}|The application must be accompanied by {}|Attach {}|We will also ask for {}|Have ready {}",
    },
    "plazos.solicitud": {
        "es": "Se puede pedir {}|Las solicitudes se admiten {}|El plazo va así: {}|Las peticiones se atienden {}|La convocatoria está abierta {}|Habrá que presentarlo {}",
        "ca": "Es pot demanar {}|Les sol·licituds s'admeten {}|El termini és aquest: {}|La convocatòria és oberta {}|Cal presentar-ho {}",
        "gl": "Pódese pedir {}|As solicitudes admítense {}|O prazo é este: {}|A convocatoria está aberta {}|Haberá que presentalo {}",
        "eu": "Eska daiteke: {}|Eskaerak noiz onartzen diren: {}|Epea hau da: {}|Deialdia irekita dago: {}",
        "en": "You can ask for it {}|Requests are taken {}|The call is open {}|It has to be handed in {}",
    },
    "plazos.resolucion": {
        "es": "La respuesta tarda: {}|La administración dispone de noventa días para responder|El expediente se resuelve en un máximo de dos meses|La decisión se notifica en el plazo de treinta días|El visto bueno llega en unas cinco semanas|Tras la visita del técnico se comunica lo acordado en veinte días|{}",
        "ca": "La resposta triga: {}|L'administració té noranta dies per respondre|L'expedient es resol en un màxim de dos mesos|La decisió es notifica en trenta dies|El vistiplau arriba en unes cinc setmanes|{}",
        "gl": "A resposta tarda: {}|A administración dispón de noventa días para responder|O expediente resólvese nun máximo de dous meses|A decisión notifícase en trinta días|{}",
        "eu": "Erantzuna: {}|Administrazioak laurogeita hamar egun ditu erantzuteko|Espedientea gehienez bi hilabetean ebazten da|Erabakia hogeita hamar egunetan jakinaraziko da|{}",
        "en": "The answer takes: {}|The office has ninety days to reply|The file is decided within two months|The decision is sent within thirty days|{}",
    },
    "plazos.silencio_administrativo": {
        "es": "Si pasa ese tiempo sin noticias: {}|De no recibir contestación, se considera denegado|Cuando nadie responde, debe entenderse aceptado|Transcurrido el plazo sin decisión expresa se entenderá desestimada la petición|{}",
        "ca": "Si passa aquest temps sense notícies: {}|Si no es rep contestació, es considera denegat|Transcorregut el termini sense resposta s'entén estimada la petició|{}",
        "gl": "Se pasa ese tempo sen novas: {}|De non recibir contestación, considérase denegado|Transcorrido o prazo sen resposta enténdese concedida a petición|{}",
        "eu": "Denbora hori erantzunik gabe igarotzen bada: {}|Erantzunik ez bada, ukatutzat jotzen da|Epea igarota erabakirik gabe, onartutzat joko da eskaera|{}",
        "en": "If that time passes without news: {}|If no answer arrives, take it as refused|Once the term is over without a decision the request counts as granted|{}",
    },
    "plazos.recurso": {
        "es": "Contra lo acordado cabe protestar: {}|{}", "ca": "Contra l'acord es pot protestar: {}|{}",
        "gl": "Contra o acordado cabe protestar: {}|{}", "eu": "Erabakiaren aurka: {}|{}", "en": "You may contest the decision: {}|{}",
    },
    "tasas": {
        "es": "Por la gestión se cobran catorce euros|Por el carné se pagan 6,50 euros cada año|El coste es este: {}|La tramitación no tiene coste alguno|Hay que abonar 22 euros antes de recogerlo|Por cada metro se abonan 3,10 euros al mes|{}",
        "ca": "Per la gestió es cobren catorze euros|Pel carnet es paguen 6,50 euros cada any|El cost és aquest: {}|La tramitació no té cap cost|Cal abonar 22 euros abans de recollir-ho|{}",
        "gl": "Pola xestión cóbranse catorce euros|Polo carné páganse 6,50 euros cada ano|O custo é este: {}|A tramitación non ten custo|Hai que aboar 22 euros antes de recollelo|{}",
        "eu": "Izapideagatik hamalau euro kobratzen dira|Txartelagatik 6,50 euro ordaintzen dira urtean|Kostua hau da: {}|Izapideak ez du kosturik|Jaso aurretik 22 euro ordaindu behar dira|{}",
        "en": "Fourteen euros are charged for it|The card costs 6.50 euros a year|The cost is: {}|There is no charge|You pay 22 euros before you collect it|{}",
    },
    "cuantias": {
        "es": "La ayuda asciende a 900 euros por vivienda|El descuento es del 30 % en general y del 60 % para rentas bajas|Se reciben {}|El importe de la beca llega a 1.200 euros|{}",
        "ca": "L'ajut puja a 900 euros per habitatge|El descompte és del 30 % en general i del 60 % per a rendes baixes|Es reben {}|{}",
        "gl": "A axuda ascende a 900 euros por vivenda|O desconto é do 30 % en xeral e do 60 % para rendas baixas|Recíbense {}|{}",
        "eu": "Laguntza 900 eurokoa da etxebizitzako|Deskontua % 30ekoa da oro har, eta % 60koa errenta txikietarako|{}",
        "en": "The aid comes to 900 euros per home|The discount is 30% in general and 60% for low incomes|You receive {}|{}",
    },
    "base_legal": {
        "es": "Todo esto lo regula la {}|Se aplica lo dispuesto en la {}|Está previsto en el artículo 12 de la {}|El trámite se rige por: {}|Figura en {}",
        "ca": "Tot plegat ho regula la {}|S'aplica el que disposa la {}|Està previst a l'article 12 de la {}|El tràmit es regeix per: {}",
        "gl": "Todo isto regúlao a {}|Aplícase o disposto na {}|Está previsto no artigo 12 da {}|O trámite réxese por: {}",
        "eu": "Hori guztia honek arautzen du: {}|Hau aplikatzen da: {}|12. artikuluan jasota dago: {}",
        "en": "All this is governed by {}|It follows {}|It is laid down in article 12 of {}",
    },
    "como_solicitar": {
        "es": "La petición se deja en el mostrador de la oficina, calle del Pozo, 4, o se manda por internet|Se puede tramitar así: {}|Lo más cómodo: {}|Los interesados pueden presentarse en la secretaría o usar la sede electrónica|Para apuntarse basta con acudir al registro o entrar en la web|{}",
        "ca": "La petició es deixa al taulell de l'oficina, carrer del Pou, 4, o s'envia per internet|Es pot tramitar així: {}|Els interessats poden anar a la secretaria o fer servir la seu electrònica|{}",
        "gl": "A petición déixase no mostrador da oficina, rúa do Pozo, 4, ou mándase por internet|Pódese tramitar así: {}|Os interesados poden ir á secretaría ou usar a sede electrónica|{}",
        "eu": "Eskaera bulegoko leihatilan uzten da, Putzu kalea 4, edo internetez bidaltzen da|Honela egin daiteke: {}|Interesdunak idazkaritzara joan daitezke edo egoitza elektronikoa erabili|{}",
        "en": "You leave the request at the office desk, Calle del Pozo, 4, or send it online|It can be done like this: {}|Anyone interested may call at the registry or use the e-office|{}",
    },
    "donde_solicitar": {
        "es": "La oficina está en la calle del Pozo, 4|{}", "ca": "L'oficina és al carrer del Pou, 4|{}",
        "gl": "A oficina está na rúa do Pozo, 4|{}", "eu": "Bulegoa Putzu kalean dago, 4an|{}", "en": "The office is at Calle del Pozo, 4|{}",
    },
    "contacto": {
        "es": "Si queda alguna duda, se responde en el 955 555 033|Para aclaraciones está el 955 555 044|Más información en el 955 555 055|{}",
        "ca": "Si queda algun dubte, es respon al 955 555 033|Per a aclariments hi ha el 955 555 044|{}",
        "gl": "Se queda algunha dúbida, respóndese no 955 555 033|Para aclaracións está o 955 555 044|{}",
        "eu": "Zalantzarik izanez gero, 955 555 033 zenbakian erantzuten da|Argibideetarako: 955 555 044|{}",
        "en": "Any doubts are answered on 955 555 033|For help there is 955 555 044|{}",
    },
    "organismo": {
        "es": "De ello se encarga: {}|Lo tramita: {}|La gestión corresponde a: {}|{}", "ca": "Se n'encarrega: {}|Ho tramita: {}|{}",
        "gl": "Diso ocúpase: {}|Tramítao: {}|{}", "eu": "Honek kudeatzen du: {}|{}", "en": "In charge of it: {}|It is handled by: {}|{}",
    },
    "descripcion": dict.fromkeys(("es", "ca", "gl", "eu", "en"), "{}"),
    "datos_importantes": dict.fromkeys(("es", "ca", "gl", "eu", "en"), "{}"),
    "other": dict.fromkeys(("es", "ca", "gl", "eu", "en"), "{}"),
}  # fmt: skip
AND = {"es": " y ", "ca": " i ", "gl": " e ", "eu": " eta ", "en": " and "}
ORDER = (
    "descripcion", "organismo", "requisitos", "documentos_necesarios", "plazos.solicitud", "como_solicitar", "donde_solicitar",
    "plazos.resolucion", "plazos.silencio_administrativo", "plazos.recurso", "tasas", "cuantias", "base_legal", "contacto", "other",
)  # fmt: skip
SHARE, SWAPS, LISTED = 0.7, 4, frozenset({"requisitos", "documentos_necesarios", "base_legal"})


def prose_pages(count: int) -> Iterator[tuple[tuple[SectionLine, ...], tuple[str, ...]]]:
    """`count` pages of each language: their sentences, and the class of each. Most have the usual order."""
    rng = random.Random(17)  # noqa: S311 - the same pages every time
    for language in AND:
        for _ in range(count):
            names = [name for name in ORDER if rng.random() < SHARE]
            for _ in range(rng.randrange(SWAPS)):
                first, second = rng.randrange(len(names)), rng.randrange(len(names))
                names[first], names[second] = names[second], names[first]
            yield tuple(_line(_sentence(name, language, rng)) for name in names), tuple(names)


def _sentence(name: str, language: str, rng: random.Random) -> str:
    texts = TEXTS[name][language].split("|")
    number = rng.randint(1, 3) if name in LISTED else 1
    things = rng.sample(texts, min(number, len(texts)))
    lead = rng.choice(LEADS[name][language].split("|"))
    if lead != "{}":
        things = [thing[0].lower() + thing[1:] if name != "base_legal" else thing for thing in things]
    text = AND[language].join(filter(None, [", ".join(things[:-1]), things[-1]]))
    return f"{lead.format(text)}."


def _line(text: str) -> SectionLine:
    return SectionLine(kind="text", text=text, start=0, end=len(text))
