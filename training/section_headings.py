"""Headings in other words than the vocabulary of the rules, by class and language. Sections that the rules labelled are trained
under these headings as well, so that the network learns what a section says and not how portals usually call it."""

from functools import cache
from pathlib import Path

import yaml

REWORDED = Path(__file__).with_name("reworded_headings.yaml")
HEADINGS = {
    "requisitos": {
        "es": "Condiciones que miramos|A quién está pensado|Quiénes entran|Gente que puede optar|Si eres alguna de estas personas|Lo que se te exige|Debes reunir esto|Podrás participar si|Colectivos|Situaciones que dan derecho|Perfil|Comprueba que es para ti|Solo para|Esto es para ti si|Quién entra en el programa|Características de las personas solicitantes",
        "ca": "A qui s'adreça|Per a qui és|Persones que hi tenen dret|Cal que compliu|Hi podeu optar si|Perfil de les persones|És per a vosaltres si|Qui hi entra|Situacions previstes|Condicions que mirem",
        "gl": "Para quen é|Persoas que poden optar|Ti podes se|Debes cumprir|Perfil das persoas|A quen vai dirixido isto|Situacións que dan dereito|Quen entra|É para ti se",
        "eu": "Nori zuzendua|Zer bete behar den|Pertsona hauentzat|Eskubidea dutenak|Zuretzat da baldin|Nortzuk sar daitezke|Bete beharrekoa|Onuradun izan daitezkeenak",
        "en": "Who this is for|You can get this if|Am I eligible|Who qualifies|Conditions you must meet|This is for you if|People covered|Check you qualify|Entitlement",
    },
    "documentos_necesarios": {
        "es": "Lo que hay que traer|Prepara estos papeles|Junta lo siguiente|Papeleo|Qué llevarás encima|Adjunta a tu petición|Lo que vamos a pedirte|Justificantes|Acompaña la solicitud con|Qué meter en el sobre|Tu carpeta|Anexa|Ficheros que subirás|Pruebas que debes aportar|No olvides traer|Expediente que presentarás",
        "ca": "El que heu de portar|Prepareu aquests papers|Paperassa|Adjunteu|Què us demanarem|Justificants|Fitxers que pujareu|No us oblideu de dur|Acompanyeu la petició amb|Papers",
        "gl": "O que debes traer|Prepara estes papeis|Xunta isto|Xustificantes|Que che pediremos|Acompaña a solicitude con|Non esquezas|Papeis|Ficheiros",
        "eu": "Zer ekarri|Prestatu paper hauek|Eskatuko dizkizugun paperak|Erantsi|Frogagiriak|Eskaerarekin batera|Ez ahaztu|Paperak",
        "en": "What to bring|Papers to prepare|Paperwork|Attach the following|What we will ask you for|Evidence|Things you will need|Upload these files|Bring with you",
    },
    "plazos.solicitud": {
        "es": "Fechas clave|Cuándo puedes pedirlo|Hasta qué día|Tienes de tiempo|Calendario|Ventana de solicitud|Apertura y cierre|Último día|En qué época del año|Se puede pedir desde|Momento de hacerlo|Días hábiles para pedirla|Antelación",
        "ca": "Dates clau|Fins quan hi sou a temps|Calendari|Obertura i tancament|Últim dia|En quina època|Moment de fer-ho|Antelació",
        "gl": "Datas clave|Ata que día|Calendario|Apertura e peche|Último día|En que momento|Antelación",
        "eu": "Data garrantzitsuak|Noiz arte|Egutegia|Azken eguna|Zabalik noiz|Zein garaitan|Aurretiaz",
        "en": "Key dates|Last day|When you can ask|Opening and closing|Calendar|Time window|Notice needed",
    },
    "plazos.resolucion": {
        "es": "Cuánto tendrás que esperar|Nuestra contestación|Lo sabrás en|Tiempo que nos lleva|Espera|Te diremos algo en|Demora habitual|Cuándo tendrás noticias|Duración del estudio de tu caso",
        "ca": "Quant haureu d'esperar|La nostra resposta|Ho sabreu en|Espera|Temps que ens cal|Quan en sabreu el resultat",
        "gl": "Canto terás que agardar|A nosa resposta|Saberalo en|Espera|Tempo que nos leva",
        "eu": "Zenbat itxaron|Gure erantzuna|Erantzungo dizugu|Itxaronaldia|Behar dugun denbora",
        "en": "How long you will wait|Our answer|When you will hear|Waiting period|Time we need|Turnaround",
    },
    "plazos.silencio_administrativo": {
        "es": "Si no decimos nada|Sin noticias nuestras|Qué pasa si nadie contesta|Cuando no hay respuesta|Falta de contestación",
        "ca": "Si no diem res|Sense notícies nostres|Quan no hi ha resposta",
        "gl": "Se non dicimos nada|Sen novas nosas|Cando non hai resposta",
        "eu": "Ezer esaten ez badugu|Erantzunik gabe|Erantzunik ez dagoenean",
        "en": "If you hear nothing|No answer from us|When nobody replies",
    },
    "plazos.recurso": {
        "es": "Si no te gusta el resultado|Cómo protestar|Puedes pelearlo|Contra la decisión|Desacuerdo|Si te dicen que no|Defiende tu caso",
        "ca": "Si no hi esteu d'acord|Contra la decisió|Si us diuen que no|Desacord",
        "gl": "Se non estás conforme|Contra a decisión|Se che din que non|Desacordo",
        "eu": "Ados ez bazaude|Erabakiaren aurka|Ezetz esaten badizute",
        "en": "If you disagree|Challenging the decision|If we say no|Against the decision",
    },
    "tasas": {
        "es": "Cuánto vas a pagar|Desembolso|Lo que te cuesta|Dinero que pones tú|Gasto|Pagarás|Tarifa|Bolsillo|Cuota|Qué se abona|Coste para ti|Precios",
        "ca": "Què haureu de pagar|Despesa|El que us costa|Pagareu|Quota|Cost per a vosaltres",
        "gl": "Canto vas pagar|Gasto|O que che custa|Pagarás|Cota|Custo para ti",
        "eu": "Zenbat ordainduko duzu|Gastua|Ordainketa|Kuota|Kostua zuretzat",
        "en": "What it costs you|You will pay|Charges|Price|Your contribution|Cost to you",
    },
    "cuantias": {
        "es": "Dinero que recibirás|Qué te damos|Lo que te llevas|Ayuda económica|Te ingresamos|Cantidad|Cuánto dinero hay|Lo que subvencionamos|Valor de la ayuda|Euros que te corresponden",
        "ca": "Diners que rebreu|Què us donem|Quantitat|El que subvencionem|Valor de l'ajut|Us ingressem",
        "gl": "Cartos que recibirás|Que che damos|Cantidade|O que subvencionamos|Valor da axuda",
        "eu": "Jasoko duzun dirua|Zer ematen dugun|Kopurua|Diruz laguntzen duguna|Laguntzaren balioa",
        "en": "Money you will get|What we give you|Amount|What we fund|Value of the grant",
    },
    "base_legal": {
        "es": "Textos que lo respaldan|De dónde sale esto|Lo dice la ley|Disposiciones|Boletines|Amparo jurídico|Leyes detrás|Fundamento|Publicado en|Reglas que se aplican",
        "ca": "Textos que ho avalen|D'on surt això|Ho diu la llei|Disposicions|Fonament|Regles que s'apliquen",
        "gl": "Textos que o amparan|De onde sae isto|Dino a lei|Disposicións|Fundamento",
        "eu": "Oinarri duten testuak|Nondik dator hau|Legeak dioena|Xedapenak|Oinarria",
        "en": "The law behind this|Where this comes from|Provisions|Legal texts|Rules that apply",
    },
    "como_solicitar": {
        "es": "Pasos|Así se hace|Lo pides de esta forma|Caminos para pedirlo|Manos a la obra|Por dónde empezar|Haz la gestión|El proceso, paso a paso|Formas de hacerlo|Elige tu vía|Empieza aquí|Qué tienes que hacer|Cómo conseguirlo|Ponte en marcha|Cómo nos llega tu petición",
        "ca": "Passos|Així es fa|Maneres de fer-ho|Per on començar|Trieu la via|Comenceu aquí|Què heu de fer|Com aconseguir-ho|El procés pas a pas",
        "gl": "Pasos|Así se fai|Formas de facelo|Por onde empezar|Escolle a vía|Comeza aquí|Que tes que facer|Como conseguilo",
        "eu": "Urratsak|Honela egiten da|Egiteko moduak|Nondik hasi|Aukeratu bidea|Hasi hemen|Zer egin behar duzun|Nola lortu",
        "en": "Steps|This is how it works|Ways to do it|Where to start|Choose your route|Start here|What you have to do|How to get it|The process",
    },
    "donde_solicitar": {
        "es": "Acércate a|Dónde nos encuentras|Ventanillas|Oficina que te atiende|Dirección|Punto de entrega|Sitios donde entregarlo|Te esperamos en|Mostradores",
        "ca": "Vine a|On ens trobareu|Finestretes|Adreça|Punt de lliurament|Llocs on entregar-ho|Us esperem a",
        "gl": "Achégate a|Onde nos atopas|Enderezo|Punto de entrega|Sitios onde entregalo|Agardámoste en",
        "eu": "Hurbildu hona|Non gauden|Helbidea|Entregatzeko lekua|Zain gaituzu",
        "en": "Come to|Where to find us|Counters|Address|Drop-off point|Places to hand it in",
    },
    "contacto": {
        "es": "¿Te queda alguna duda?|Habla con nosotros|Echamos una mano|Nuestro teléfono|Escríbenos|Atención",
        "ca": "Teniu cap dubte?|Parleu amb nosaltres|El nostre telèfon|Escriviu-nos",
        "gl": "Quédache algunha dúbida?|Fala con nós|O noso teléfono|Escríbenos",
        "eu": "Zalantzarik baduzu|Hitz egin gurekin|Gure telefonoa|Idatzi",
        "en": "Any questions left?|Talk to us|Our phone|Write to us",
    },
    "organismo": {
        "es": "A cargo de|Quién está detrás|Lo lleva|Área que decide|De quién depende",
        "ca": "A càrrec de|Qui hi ha al darrere|Ho porta|Àrea que decideix",
        "gl": "A cargo de|Quen está detrás|Lévao|Área que decide",
        "eu": "Noren esku|Nor dago atzean|Nork erabakitzen duen",
        "en": "In charge|Who is behind this|Run by|Deciding office",
    },
    "descripcion": {
        "es": "En pocas palabras|De qué se trata|Qué conseguirás|En resumen|La idea|Resumen del trámite|Para qué vale",
        "ca": "En poques paraules|De què es tracta|En resum|La idea|Per a què val",
        "gl": "En poucas palabras|De que se trata|En resumo|A idea|Para que vale",
        "eu": "Hitz gutxitan|Zertan datzan|Laburbilduz|Ideia|Zertarako balio duen",
        "en": "In short|What this is|In a nutshell|The idea|What it does",
    },
    "datos_importantes": {
        "es": "Ten en cuenta|Ojo|Antes de irte|Consejos|Conviene saber|Advertencias|No te confundas",
        "ca": "Tingueu en compte|Atenció|Consells|Convé saber",
        "gl": "Ten en conta|Ollo|Consellos|Convén saber",
        "eu": "Kontuan izan|Adi|Aholkuak|Jakin beharrekoa",
        "en": "Bear in mind|Watch out|Tips|Good to know",
    },
    "other": {
        "es": "Historia|Galería de fotos|Horario de verano|Noticias del área|Resultados del año pasado|Quiénes somos|Nuestro equipo|Programa de actos|Preguntas de la prensa|Cookies que usamos|Tus datos|Cómo llegar|Aparcamiento|Patrocinadores|Estadísticas|Opiniones|Descargas|Enlaces|Vídeos|Mapa del sitio|Últimas novedades|Declaraciones|Antecedentes|Objetivos del plan|Presupuesto del contrato|Temario|Calendario de pruebas|Tribunal",
        "ca": "Història|Galeria|Horari d'estiu|Notícies|Resultats de l'any passat|Qui som|El nostre equip|Programa d'actes|Galetes|Les vostres dades|Com arribar-hi|Patrocinadors|Estadístiques|Opinions|Enllaços|Vídeos|Antecedents|Temari|Proves",
        "gl": "Historia|Galería|Horario de verán|Novas|Resultados do ano pasado|Quen somos|O noso equipo|Programa|Cookies|Os teus datos|Como chegar|Patrocinadores|Estatísticas|Opinións|Ligazóns|Antecedentes|Temario",
        "eu": "Historia|Argazkiak|Udako ordutegia|Albisteak|Iazko emaitzak|Nor gara|Gure taldea|Egitaraua|Cookieak|Zure datuak|Nola iritsi|Babesleak|Estatistikak|Iritziak|Estekak|Aurrekariak|Gai-zerrenda|Probak",
        "en": "History|Photo gallery|Summer hours|News|Results of last year|About us|Our team|Programme|Cookies|Your data|Getting here|Sponsors|Statistics|Opinions|Links|Videos|Background|Syllabus|Tests",
    },
}  # fmt: skip


@cache
def _reworded() -> dict[str, dict[str, list[str]]]:
    return dict(yaml.safe_load(REWORDED.read_text(encoding="utf-8")))


def headings(name: str, language: str) -> list[str]:
    by_language = HEADINGS.get(name, {})
    further = _reworded().get(name, {})
    return [
        *by_language.get(language, by_language.get("es", "")).split("|"),
        *further.get(language, further.get("es", [])),
    ]
