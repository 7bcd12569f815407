"""More headings in other words, by class and language: each pattern is a row of alternatives, and every combination is a heading.
Several registers: questions, commands, plain names, spoken and official language. All text is our own."""

from itertools import product

PATTERNS: dict[str, dict[str, str]] = {
    "requisitos": {
        "es": "¿Quién puede|¿Quiénes pueden|Quién tiene derecho a|Personas que pueden / pedirlo?|apuntarse?|acceder?|beneficiarse?|disfrutarlo?\n¿Es para mí|¿Me corresponde|¿Cumplo|¿Encajo|¿Te toca|¿Puedo optar|¿Es tu caso / ?|a mí?|de verdad?\nPara|Pensado para|Dirigido a|Destinado a / ti si…|quién|estas personas|quienes viven aquí|los siguientes casos\nTienes que|Has de|Hay que|Deberá usted / cumplir lo siguiente|encontrarte en esta situación|reunir estas características|estar en uno de estos casos\nPersonas|Entidades|Sujetos|Público / destinatarias|destinatario|legitimados|que entran|a quien se dirige\nSolo si|Siempre que|A condición de que|Antes de nada, mira si / cumples esto|estás dentro|te encuentras así|reúnes lo necesario",
        "ca": "Qui pot|Qui té dret a|Persones que poden|Qui hi pot / demanar-ho?|accedir-hi?|apuntar-s'hi?|beneficiar-se'n?\nÉs per a mi|Em toca|Hi entro|És el teu cas|Compleixo / ?|a mi?|de debò?\nPensat per a|Adreçat a|Destinat a|Per a / tu si…|qui|aquestes persones|els casos següents\nHas de|Cal|Heu de / complir això|trobar-vos en aquesta situació|reunir aquestes característiques\nPersones|Entitats|Públic / destinatàries|destinatari|que hi entren|legitimades",
        "gl": "Quen pode|Quen ten dereito a|Persoas que poden / pedilo?|acceder?|apuntarse?|beneficiarse?\nÉ para min|Tócame|Entro|É o teu caso / ?|a min?|de verdade?\nPensado para|Dirixido a|Destinado a|Para / ti se…|quen|estas persoas|os seguintes casos\nTes que|Hai que|Debes / cumprir isto|estar nesta situación|reunir estas características\nPersoas|Entidades|Público / destinatarias|destinatario|que entran",
        "eu": "Nork|Nortzuk / eska dezake?|eska dezakete?|parte hartu dezake?|eskubidea du?|jaso dezake?\nNiretzat|Zuretzat|Nire kasua / al da?|da?|ote da?\nHauentzat|Pertsona hauentzat|Norentzat / pentsatua|zuzendua|da\nBete behar|Eskatzen / dituzun baldintzak|diren gauzak|dena|zaizuna",
        "en": "Who can|Who may|Who is allowed to|People who can / ask for it?|apply?|use it?|claim it?|sign up?\nIs this|Could this be|Is it really / for me?|for you?|meant for you?\nYou can|You may|You qualify / if…|when|provided that\nBefore you apply|First of all|Check this / : do you fit in?|: are you covered?|: what we look at\nMeant for|Aimed at|Open to / these people|you if…|residents|the following",
    },
    "documentos_necesarios": {
        "es": "Qué|Todo lo que|Lo que|Cosas que / hay que llevar|tienes que aportar|debes presentar|tendrás que enseñar|has de adjuntar|vas a necesitar\nReúne|Ten a mano|Prepara|Trae|Mete en una carpeta|Ve juntando / esto|lo siguiente|la documentación|estos papeles|estas copias\nPapeles|Papeleo|Documentos|Justificantes|Escritos|Copias / para entregar|que te pedirán|que acompañan la solicitud|en regla|imprescindibles\n¿Qué|¿Cuáles / papeles hacen falta?|tengo que llevar?|documentos me pedirán?|me vais a pedir?\nAportación|Relación|Lista / de papeles|de justificantes|de lo que se entrega",
        "ca": "Què|Tot el que|El que / cal portar|heu de presentar|et demanarem|has d'aportar|necessitaràs\nReuneix|Tingues a mà|Prepara|Porta|Ajunta / això|la documentació|aquests papers|aquestes còpies\nPapers|Documents|Justificants|Còpies / per entregar|que et demanaran|que acompanyen la sol·licitud|imprescindibles\nQuins / papers calen?|documents he de portar?|papers em demanaran?",
        "gl": "Que|Todo o que|O que / hai que levar|tes que presentar|che pediremos|debes achegar|vas necesitar\nReúne|Ten a man|Prepara|Trae / isto|a documentación|estes papeis|estas copias\nPapeis|Documentos|Xustificantes|Copias / para entregar|que che pedirán|que acompañan a solicitude\nQue / papeis fan falta?|teño que levar?|documentos me pedirán?",
        "eu": "Zer|Zein paper|Zein agiri / eraman behar dut?|aurkeztu behar da?|eskatuko didate?|behar dira?\nPrestatu|Bildu|Ekarri|Eskura izan / hauek|paperak|agiri hauek|kopiak\nPaperak|Agiriak|Kopiak / entregatzeko|eskaerarekin batera|beharrezkoak",
        "en": "What|Everything|The papers|Documents / you have to bring|we will ask for|to hand in|you must show|you will need\nHave|Get|Put / these ready|your papers together|the following to hand\nPapers|Files|Copies|Evidence / to attach|that go with the form|we need to see\nWhich / papers do I need?|documents must I show?",
    },
    "plazos.solicitud": {
        "es": "¿Cuándo|¿Hasta cuándo|¿Desde qué día|¿En qué fechas|¿Con cuánta antelación / puedo pedirlo?|se puede solicitar?|hay que avisar?|está abierto?|me apunto?\nFechas|Días|Calendario|Periodo|Época / para pedirlo|que no debes olvidar|de apertura|de inscripción|en que está abierto\nApunta|Marca|Ojo con|Recuerda|No dejes pasar / la fecha|el calendario|estos días|el último día\nTienes|Dispones de|Hay / tiempo hasta|un plazo para apuntarte|este margen\nCuándo|Momento en que|Tiempo para / pedirlo|entregar la solicitud|hacer el trámite|presentarse",
        "ca": "Quan|Fins quan|Des de quin dia|En quines dates / ho puc demanar?|es pot sol·licitar?|cal avisar?|està obert?\nDates|Dies|Calendari|Període / per demanar-ho|que no has d'oblidar|d'obertura|d'inscripció\nApunta|Marca|Compte amb|Recorda / la data|el calendari|aquests dies|l'últim dia\nQuan|Temps per a / demanar-ho|entregar la sol·licitud|fer el tràmit",
        "gl": "Cando|Ata cando|Desde que día|En que datas / o podo pedir?|se pode solicitar?|hai que avisar?|está aberto?\nDatas|Días|Calendario|Período / para pedilo|que non debes esquecer|de apertura|de inscrición\nApunta|Marca|Ollo con|Lembra / a data|o calendario|estes días|o último día",
        "eu": "Noiz|Noiz arte|Zein egunetan / eska dezaket?|eman daiteke izena?|dago zabalik?|abisatu behar da?\nDatak|Egunak|Egutegia|Epea / eskatzeko|gogoratzeko|izena emateko|irekita",
        "en": "When|Until when|From which day|How early / can I ask?|is it open?|must I apply?|do I have to tell you?\nDates|Days|Calendar|Period / to apply|not to miss|when it is open|for signing up\nMark|Mind|Remember / the date|the calendar|the closing day",
    },
    "plazos.resolucion": {
        "es": "¿Cuánto|¿Cuántos días|¿Qué tiempo / tarda?|tardáis?|hay que esperar?|se demora?|necesita la administración?\n¿Cuándo|¿Para cuándo / tendré respuesta?|me contestáis?|lo sabré?|llega la carta?|lo tendré en mis manos?|empieza?\nTiempo|Plazo|Días / de espera|de respuesta|en que contestamos|hasta la decisión|de estudio del expediente\nTe|Le|Os / contestamos en|avisaremos en|diremos algo en|llegará en\nLa respuesta|El resultado|La decisión|La entrega / llegará en|tarda|se comunica en",
        "ca": "Quant|Quants dies|Quin temps / triga?|trigueu?|cal esperar?|necessita l'administració?\nQuan|Per quan / tindré resposta?|em contesteu?|ho sabré?|arriba la carta?|comença?\nTemps|Dies / d'espera|de resposta|fins a la decisió\nEt|Us|Li / contestem en|avisarem en|direm alguna cosa en\nLa resposta|El resultat|La decisió / arribarà en|triga|es comunica en",
        "gl": "Canto|Cantos días|Que tempo / tarda?|tardades?|hai que agardar?|precisa a administración?\nCando|Para cando / terei resposta?|me contestades?|o saberei?|chega a carta?|comeza?\nTempo|Días / de espera|de resposta|ata a decisión\nA resposta|O resultado|A decisión / chegará en|tarda|comunícase en",
        "eu": "Zenbat|Zenbat egun|Zenbat denbora / behar da?|itxaron behar dut?|behar duzue?|irauten du?\nNoiz / jasoko dut erantzuna?|jakingo dut?|erantzungo didazue?|hasten da?\nItxaron|Erantzun / beharreko denbora|epea|arteko egunak",
        "en": "How long|How many days|How much time / does it take?|do you need?|must I wait?|until I know?\nWhen / will I hear?|do you answer?|will I know?|does it arrive?|does it start?\nTime|Days / we take|to an answer|until the decision\nThe answer|The result|The decision / takes|comes within|reaches you in",
    },
    "plazos.silencio_administrativo": {
        "es": "Si|¿Y si|¿Qué pasa si|Cuando / nadie te contesta|no hay respuesta|no recibes nada|pasa el tiempo sin noticias|no te decimos nada|no se resuelve a tiempo\nEfecto|Sentido|Significado / de la falta de respuesta|de que no contestemos|del silencio",
        "ca": "Si|I si|Què passa si|Quan / ningú et contesta|no hi ha resposta|no reps res|passa el temps sense notícies\nEfecte|Sentit / de la manca de resposta|del silenci",
        "gl": "Se|E se|Que pasa se|Cando / ninguén che contesta|non hai resposta|non recibes nada|pasa o tempo sen novas\nEfecto|Sentido / da falta de resposta|do silencio",
        "eu": "Eta|Zer gertatzen da / erantzunik ez badago|ezer jasotzen ez baduzu|inork erantzuten ez badu|isiltasunaren ondorioa",
        "en": "If|And if|What if|When / nobody answers|there is no answer|you hear nothing|we say nothing\nMeaning|Effect / of no reply|of our silence",
    },
    "plazos.recurso": {
        "es": "Si|¿Y si|¿Qué hago si / no estás conforme|te lo niegan|la respuesta no te convence|dicen que no|quieres protestar\nCómo|Dónde|Plazo para / reclamar la decisión|recurrir|llevarlo al juez|pedir que se revise",
        "ca": "Si|I si|Què faig si / no hi estàs d'acord|t'ho neguen|la resposta no et convenç|diuen que no\nCom|On|Termini per / reclamar la decisió|recórrer|demanar que es revisi",
        "gl": "Se|E se|Que fago se / non estás de acordo|cho negan|a resposta non te convence|din que non\nComo|Onde|Prazo para / reclamar a decisión|recorrer|pedir que se revise",
        "eu": "Eta|Zer egin / ados ez banago|ezetz esaten badidate|erabakia gustatzen ez bazait|berrikustea eskatzeko",
        "en": "If|What if|What can I do if / you do not agree|they refuse|the answer is no|you want it reviewed\nHow to|Where to / complain about the decision|have it reviewed",
    },
    "tasas": {
        "es": "¿Cuánto|¿Qué|Lo que|Cuánto / cuesta?|hay que pagar?|me va a costar?|sale de tu bolsillo|pagas|se abona|vale\n¿Tengo que|¿Hay que|¿Toca / pagar algo?|poner dinero?|rascarse el bolsillo?\nPrecio|Coste|Dinero|Importe|Gastos|Pago / a tu cargo|para ti|del trámite|que asumes|por persona\nTarifas|Precios|Cuotas / vigentes|públicos|por usar el servicio|de este año\nBolsillo|Cartera|Monedero / ",
        "ca": "Quant|Què|El que / costa?|cal pagar?|em costarà?|surt de la teva butxaca|pagues|s'abona|val\nHe de|Cal|Toca / pagar res?|posar diners?\nPreu|Cost|Diners|Despeses|Pagament / a càrrec teu|per a tu|del tràmit|que assumeixes\nTarifes|Preus|Quotes / vigents|públics|per fer servir el servei|d'enguany",
        "gl": "Canto|Que|O que / custa?|hai que pagar?|me vai custar?|sae do teu peto|pagas|vale\nTeño que|Hai que|Toca / pagar algo?|poñer cartos?\nPrezo|Custo|Cartos|Gastos|Pagamento / ao teu cargo|para ti|do trámite|que asumes\nTarifas|Prezos|Cotas / vixentes|públicos|polo servizo|deste ano",
        "eu": "Zenbat|Zer / balio du?|ordaindu behar da?|kostatuko zait?|ordaintzen da?\nPrezioa|Kostua|Dirua|Gastuak / zure kontura|zuretzat|izapidearena\nTarifak|Prezioak|Kuotak / indarrean|aurtengoak|zerbitzua erabiltzeko",
        "en": "How much|What / does it cost?|do I have to pay?|will I pay?|is it?\nDo I|Must I / pay anything?|spend money?\nPrice|Cost|Money|Charge / for you|you pay|of the service|per person\nRates|Prices|Charges / this year|for using the service|in force",
    },
    "cuantias": {
        "es": "¿Cuánto|Lo que|El dinero que|Cuánto / te dan|recibes|te toca|cobrarás|pagamos nosotros|aportamos|te llega\nImporte|Cuantía|Valor|Dotación|Cantidad / de la ayuda|del premio|de la subvención|que concedemos|mensual|por beneficiario\nQué|Con cuánto / te damos|te ayudamos|ponemos sobre la mesa|colaboramos|contribuimos\nDescuento|Rebaja|Bonificación / que se aplica|a la que tienes derecho|según el caso",
        "ca": "Quant|El que|Els diners que|Amb quant / et donen|rebràs|et toca|cobraràs|paguem nosaltres|aportem|t'ajudem\nImport|Quantia|Valor|Dotació|Quantitat / de l'ajut|del premi|de la subvenció|que concedim|mensual\nDescompte|Rebaixa|Bonificació / que s'aplica|a què tens dret|segons el cas",
        "gl": "Canto|O que|Os cartos que|Con canto / che dan|recibes|che toca|cobrarás|pagamos nós|achegamos|che axudamos\nImporte|Contía|Valor|Dotación|Cantidade / da axuda|do premio|da subvención|que concedemos|mensual\nDesconto|Rebaixa|Bonificación / que se aplica|á que tes dereito|segundo o caso",
        "eu": "Zenbat|Zenbat diru|Zer / emango dizute|jasoko duzu|ematen dugu|dagokizu|kobratuko duzu\nZenbatekoa|Kopurua|Balioa / laguntzarena|dirulaguntzarena|hilekoa\nDeskontua|Hobaria / aplikatzen dena|dagokizuna",
        "en": "How much|What|The money / you get|we give|you will receive|we pay\nAmount|Value|Size / of the aid|of the grant|of the prize|per month\nDiscount|Reduction / that applies|you are entitled to",
    },
    "base_legal": {
        "es": "Leyes|Normas|Reglas|Textos legales|Disposiciones|Boletín|Ordenanzas / que lo regulan|aplicables|en que se apoya|que debes conocer|donde se publica|por las que se rige\n¿Qué ley|¿Qué norma|¿En qué se basa|¿Dónde está escrito / lo regula?|todo esto?|manda aquí?\nLetra pequeña|Marco|Fundamento|Soporte / legal|normativo|jurídico",
        "ca": "Lleis|Normes|Regles|Textos legals|Disposicions|Ordenances / que ho regulen|aplicables|en què es basa|que has de conèixer|on es publica\nQuina llei|Quina norma|En què es basa|On està escrit / ho regula?|tot això?\nLletra petita|Marc|Fonament / legal|normatiu|jurídic",
        "gl": "Leis|Normas|Regras|Textos legais|Disposicións|Ordenanzas / que o regulan|aplicables|en que se apoia|que debes coñecer|onde se publica\nQue lei|Que norma|En que se basea|Onde está escrito / o regula?|todo isto?\nLetra pequena|Marco|Fundamento / legal|normativo|xurídico",
        "eu": "Legeak|Arauak|Ordenantzak|Xedapenak / aplikagarriak|oinarri direnak|arautzen dutenak|non argitaratu diren\nZein legek|Zein arauk|Zertan oinarritzen da / arautzen du?|hau guztia?\nEsparru|Oinarri / juridikoa|legala",
        "en": "Laws|Rules|Regulations|Legal texts / behind it|that apply|it rests on|you should know\nWhich law|Which rule|Where is it written / governs this?|that says so?\nFine print|Legal|Statutory / background|framework|foundation",
    },
    "como_solicitar": {
        "es": "¿Cómo|De qué manera|Por qué vías|Por dónde|¿De qué modos / se pide?|lo hago?|puedo tramitarlo?|me apunto?|se entrega?|empiezo?\nPaso a paso|El camino|El recorrido|Los pasos|La gestión|El proceso / que debes seguir|de principio a fin|en pocos pasos|en tres pasos|para pedirlo\nPídelo|Solicítalo|Hazlo|Tramítalo|Apúntate|Preséntalo / así|por internet o en persona|de una de estas formas|como prefieras|aquí\nManeras|Vías|Canales|Opciones|Puertas / de pedirlo|de entrada|que tienes|para hacer el trámite\n¿Qué tengo que|Qué debes|Qué hay que / hacer?|rellenar y enviar?|seguir?",
        "ca": "Com|De quina manera|Per quines vies|Per on / es demana?|ho faig?|ho puc tramitar?|m'hi apunto?|s'entrega?|començo?\nPas a pas|El camí|El recorregut|Els passos|La gestió|El procés / que has de seguir|de principi a fi|en tres passos|per demanar-ho\nDemana-ho|Sol·licita-ho|Fes-ho|Tramita-ho|Apunta-t'hi / així|per internet o en persona|com prefereixis|aquí\nManeres|Vies|Canals|Opcions / de demanar-ho|d'entrada|que tens|per fer el tràmit",
        "gl": "Como|De que maneira|Por que vías|Por onde / se pide?|o fago?|o podo tramitar?|me apunto?|se entrega?|empezo?\nPaso a paso|O camiño|O percorrido|Os pasos|A xestión|O proceso / que debes seguir|de principio a fin|en tres pasos|para pedilo\nPídeo|Solicítao|Faino|Tramítao|Apúntate / así|por internet ou en persoa|como prefiras|aquí\nManeiras|Vías|Canles|Opcións / de pedilo|de entrada|que tes|para facer o trámite",
        "eu": "Nola|Zein bidetatik|Zer modutan / eskatzen da?|egiten dut?|tramita dezaket?|ematen da izena?|hasi?\nUrratsez urrats|Bidea|Prozesua|Urratsak / jarraitu beharrekoak|hasieratik amaierara|eskatzeko|hiru urratsetan\nEskatu|Egin|Eman izena / horrela|internetez edo bertaratuta|nahi duzun bezala|hemen\nModuak|Bideak|Aukerak / eskatzeko|dituzunak|izapidea egiteko",
        "en": "How|In what way|By which route / do I apply?|do I do it?|can I sign up?|is it handed in?|do I start?\nStep by step|The way|The steps|The process / to follow|from start to finish|in three steps|to get it\nApply|Ask for it|Do it|Sign up / like this|online or in person|as you prefer|here\nWays|Routes|Options|Channels / to ask|you have|open to you",
    },
    "donde_solicitar": {
        "es": "¿Dónde|¿A dónde|¿En qué sitio|¿A qué puerta|¿En qué oficina / tengo que ir?|se entrega?|voy?|lo llevo?|me atienden?|hay que llamar?\nPásate|Ven|Acude|Dirígete|Acércate / por aquí|a esta oficina|a cualquiera de estos sitios|a vernos|al mostrador\nLugar|Sitio|Punto|Oficina|Ventanilla / de atención|donde entregarlo|que te atiende|más cercana|de recogida",
        "ca": "On|A on|A quin lloc|A quina porta|A quina oficina / he d'anar?|s'entrega?|vaig?|ho porto?|m'atenen?\nPassa|Vine|Acosta't|Adreça't / per aquí|a aquesta oficina|a qualsevol d'aquests llocs|a veure'ns|al taulell\nLloc|Punt|Oficina|Finestreta / d'atenció|on entregar-ho|que t'atén|més propera",
        "gl": "Onde|A onde|En que sitio|A que porta|En que oficina / teño que ir?|se entrega?|vou?|o levo?|me atenden?\nPasa|Ven|Achégate|Diríxete / por aquí|a esta oficina|a calquera destes sitios|a vernos|ao mostrador\nLugar|Sitio|Punto|Oficina|Portelo / de atención|onde entregalo|que te atende|máis próxima",
        "eu": "Nora|Non|Zein lekutan|Zein bulegotan / joan behar dut?|entregatzen da?|eraman behar dut?|artatzen naute?\nEtorri|Hurbildu|Jo / hona|bulego honetara|gugana|leihatilara\nLekua|Tokia|Bulegoa|Leihatila / arretarako|entregatzeko|hurbilena",
        "en": "Where|To which place|At which desk|At which office / do I go?|is it handed in?|do I take it?|will you see me?\nCome|Drop in|Head|Go / here|to this office|to any of these places|to the counter\nPlace|Spot|Office|Counter / to hand it in|that serves you|nearest to you",
    },
    "contacto": {
        "es": "¿Dudas|¿Preguntas|¿Te has perdido|¿Necesitas ayuda|¿Te atascas / ?|sobre esto?|con el formulario?\nLlámanos|Escríbenos|Habla con nosotros|Pregúntanos|Estamos aquí / si tienes dudas|para ayudarte|cuando quieras\nPara|Si quieres|Si necesitas / preguntar|más información|hablar con alguien|que te ayudemos",
        "ca": "Dubtes|Preguntes|T'has perdut|Necessites ajuda / ?|sobre això?|amb el formulari?\nTruca'ns|Escriu-nos|Parla amb nosaltres|Pregunta'ns / si tens dubtes|per ajudar-te|quan vulguis\nPer|Si vols|Si necessites / preguntar|més informació|parlar amb algú",
        "gl": "Dúbidas|Preguntas|Perdícheste|Precisas axuda / ?|sobre isto?|co formulario?\nChámanos|Escríbenos|Fala connosco|Pregúntanos / se tes dúbidas|para axudarche|cando queiras",
        "eu": "Zalantzak|Galderak|Laguntza behar duzu / ?|honi buruz?\nDeitu|Idatzi|Hitz egin gurekin|Galdetu / zalantzarik baduzu|laguntzeko",
        "en": "Doubts|Questions|Lost|Need help|Stuck / ?|about this?|with the form?\nCall us|Write to us|Talk to us|Ask us / if in doubt|for help|any time",
    },
    "organismo": {
        "es": "¿Quién|Quién|El que / lo lleva?|se encarga?|lo gestiona?|decide?|responde?|está detrás?\nUnidad|Servicio|Departamento|Órgano|Administración / que lo tramita|a cargo|responsable|al frente|que resuelve",
        "ca": "Qui|El que / ho porta?|se n'encarrega?|ho gestiona?|decideix?|hi ha al darrere?\nUnitat|Servei|Departament|Òrgan / que ho tramita|a càrrec|responsable|que resol",
        "gl": "Quen|O que / o leva?|se encarga?|o xestiona?|decide?|está detrás?\nUnidade|Servizo|Departamento|Órgano / que o tramita|a cargo|responsable|que resolve",
        "eu": "Nork|Zeinek / eramaten du?|kudeatzen du?|erabakitzen du?|arduratzen da?\nUnitatea|Zerbitzua|Saila / arduraduna|kudeatzailea|erabakitzen duena",
        "en": "Who|Which office / runs it?|deals with it?|decides?|is behind it?|takes care of it?\nUnit|Service|Department|Body / in charge|that handles it|responsible",
    },
    "descripcion": {
        "es": "¿De qué va|¿Para qué sirve|¿Qué hace|¿De qué se trata|¿De qué hablamos / ?|esto?|el programa?|esta ayuda?|el servicio?\nEn pocas palabras|En dos líneas|Lo esencial|De un vistazo|Resumen|Presentación / ",
        "ca": "De què va|Per a què serveix|Què fa|De què es tracta|De què parlem / ?|això?|el programa?|aquest ajut?\nEn poques paraules|En dues línies|L'essencial|D'un cop d'ull|Resum|Presentació / ",
        "gl": "De que vai|Para que serve|Que fai|De que se trata|De que falamos / ?|isto?|o programa?|esta axuda?\nEn poucas palabras|En dúas liñas|O esencial|Dunha ollada|Resumo|Presentación / ",
        "eu": "Zertaz ari gara|Zertarako da|Zer da|Zertan datza / ?|hau?|programa?\nLaburbilduz|Hitz gutxitan|Funtsezkoa|Begirada batean / ",
        "en": "What is|What does|What are we talking about / this?|it do?|this about?\nIn short|In a few words|The essentials|At a glance|Overview / ",
    },
    "datos_importantes": {
        "es": "Ojo|Atención|Ten en cuenta|No olvides|Recuerda|Importante|Consejos|Avisos / |esto|antes de empezar|después|que conviene saber",
        "ca": "Compte|Atenció|Tingues en compte|No oblidis|Recorda|Important|Consells|Avisos / |això|abans de començar|després",
        "gl": "Ollo|Atención|Ten en conta|Non esquezas|Lembra|Importante|Consellos|Avisos / |isto|antes de empezar|despois",
        "eu": "Kontuz|Adi|Kontuan hartu|Ez ahaztu|Gogoratu|Garrantzitsua|Aholkuak / |hau|hasi aurretik|gero",
        "en": "Mind|Attention|Keep in mind|Do not forget|Remember|Important|Tips|Warnings / |this|before you start|afterwards",
    },
    "other": {
        "es": "Otros|Más|También|Otras / trámites|noticias|te puede interesar|páginas|servicios relacionados\nQué es|Política de|Uso de|Aviso / cookies|privacidad|accesibilidad|la sede\nHistoria|Programa|Actividades|Agenda|Equipo|Galería|Proyectos / ",
        "ca": "Altres|Més|També / tràmits|notícies|et pot interessar|serveis relacionats\nPolítica de|Ús de|Avís / galetes|privadesa|accessibilitat\nHistòria|Programa|Activitats|Agenda|Equip|Projectes / ",
        "gl": "Outros|Máis|Tamén / trámites|novas|che pode interesar|servizos relacionados\nPolítica de|Uso de|Aviso / cookies|privacidade|accesibilidade\nHistoria|Programa|Actividades|Axenda|Equipo|Proxectos / ",
        "eu": "Beste|Gehiago|Baita / izapideak|albisteak|interesatu dakizuke|zerbitzuak\nHistoria|Programa|Jarduerak|Agenda|Taldea|Proiektuak / ",
        "en": "Other|More|You may also like / procedures|news|pages|services\nCookie|Privacy|Legal / policy|notice|settings\nHistory|Programme|Activities|Events|Team|Projects / ",
    },
}


def composed_headings(name: str, language: str) -> list[str]:
    """All headings of a class in a language that the patterns describe."""
    patterns = PATTERNS.get(name, {}).get(language, "").split("\n")
    rows = [[part.split("|") for part in pattern.split(" / ")] for pattern in patterns if pattern]
    texts = (" ".join(words).replace(" ?", "?").strip() for row in rows for words in product(*row))
    return list(dict.fromkeys(text for text in texts if text))
