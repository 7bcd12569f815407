"""Texts of sections, by class and language, in several registers: official, plain, spoken. A section is made of one to four of them.
All are our own, about invented procedures."""

import random
from collections.abc import Iterator

from headwater_recipes.procedures.sections.parts import SectionLine

# Classes whose texts are short statements mostly stand alone; the others are lists.
LISTED = frozenset({"requisitos", "documentos_necesarios", "base_legal", "datos_importantes"})
TEXTS: dict[str, dict[str, str]] = {
    "requisitos": {
        "es": "Vives en el municipio desde hace más de un año|Sí, si no conduces y necesitas apoyo para moverte|Tener menos de 35 años el día de la petición|Que en casa entren menos de 1.500 euros al mes|No haber disfrutado de la misma plaza el curso anterior|Cualquier vecino que no tenga deudas con la hacienda local|Familias con dos o más hijos a cargo|Autónomos con el negocio abierto en la comarca|Haber cotizado un mínimo de doce meses|Eres mayor de edad y estás en el padrón|La vivienda tiene más de veinte años y es tu residencia|Asociaciones sin ánimo de lucro inscritas en el registro|Quien sea dueño del local o lo tenga alquilado|Estar en paro y cobrar menos que el salario mínimo|Tu empresa tiene menos de diez personas en plantilla|No padecer enfermedad que impida la actividad",
        "ca": "Vius al municipi des de fa més d'un any|Sí, si no condueixes i necessites suport per moure't|Tenir menys de 35 anys el dia de la petició|Que a casa entrin menys de 1.500 euros al mes|No haver gaudit de la mateixa plaça el curs passat|Qualsevol veí que no tingui deutes amb la hisenda local|Famílies amb dos fills o més|Autònoms amb el negoci obert a la comarca|L'amo del local o qui el tingui llogat|Estar a l'atur i cobrar menys que el salari mínim|Ets major d'edat i consta que vius aquí",
        "gl": "Vives no concello desde hai máis dun ano|Si, se non conduces e precisas apoio para moverte|Ter menos de 35 anos o día da petición|Que na casa entren menos de 1.500 euros ao mes|Non ter gozado da mesma praza o curso pasado|Calquera veciña que non teña débedas coa facenda local|Familias con dous ou máis fillos|Autónomos co negocio aberto na comarca|Quen sexa dono do local ou o teña alugado|Estar en paro e cobrar menos ca o salario mínimo",
        "eu": "Herrian urtebete baino gehiago bizitzea|Bai, gidatzen ez baduzu eta laguntza behar baduzu|35 urte baino gutxiago izatea eskaera egunean|Etxean hilean 1.500 euro baino gutxiago sartzea|Iaz plaza bera izan ez duena|Udalarekin zorrik ez duen edozein herritar|Bi seme-alaba edo gehiago dituzten familiak|Lokalaren jabea edo maizterra izatea|Langabezian egotea|Adinez nagusia zara eta erroldatuta zaude",
        "en": "You have lived in the town for more than a year|Yes, if you do not drive and need help to get around|Be under 35 on the day you ask|Less than 1,500 euros a month comes into your home|You did not hold the same place last year|Any resident without debts to the council|Families with two or more children|Self-employed people with a business in the county|The owner of the premises or the tenant|You are out of work and earn less than the minimum wage",
    },
    "documentos_necesarios": {
        "es": "El carné de identidad de quien firma|Una foto reciente en color|Las tres últimas nóminas|El recibo del banco donde se vea tu número de cuenta|La cartilla de vacunación al día|El impreso relleno por las dos caras|Dos presupuestos de empresas distintas|Croquis o plano del lugar|El libro de familia o la sentencia|Declaración de que no debes nada|Escritura de la finca o contrato de alquiler|Autorización firmada si viene otra persona por ti|Un escrito del médico que explique tu situación|La última factura de la luz|Póliza del seguro y resguardo del pago",
        "ca": "El carnet d'identitat de qui signa|Una foto recent en color|Les tres últimes nòmines|El rebut del banc on es vegi el teu compte|La cartilla de vacunació al dia|L'imprès emplenat per les dues cares|Dos pressupostos d'empreses diferents|Croquis o plànol del lloc|El llibre de família o la sentència|Escriptura de la finca o contracte de lloguer|Autorització signada si ve una altra persona|L'última factura de la llum",
        "gl": "O carné de identidade de quen asina|Unha foto recente en cor|As tres últimas nóminas|O recibo do banco onde se vexa a túa conta|A cartilla de vacinación ao día|O impreso cuberto polas dúas caras|Dous orzamentos de empresas distintas|Croquis ou plano do lugar|O libro de familia ou a sentenza|Escritura do predio ou contrato de aluguer|Autorización asinada se vén outra persoa|A última factura da luz",
        "eu": "Sinatzen duenaren nortasun agiria|Koloretako argazki bat|Azken hiru nominak|Kontu-zenbakia ageri den banku-ordainagiria|Txertaketa-kartilla|Bi aldeetatik betetako inprimakia|Bi enpresaren aurrekontuak|Lekuaren krokisa edo planoa|Familia-liburua edo epaia|Etxearen eskritura edo alokairu-kontratua|Beste norbait badator, sinatutako baimena",
        "en": "The identity card of the person who signs|A recent colour photo|Your last three payslips|The bank slip that shows your account number|Up-to-date vaccination record|The form filled in on both sides|Two quotes from different firms|A sketch or plan of the place|The family book or the court order|Title deeds or the lease|A signed permission if someone else comes for you|Your latest electricity bill",
    },
    "plazos.solicitud": {
        "es": "Del 3 al 28 de marzo|Solo en septiembre|Hasta que se acabe el dinero|Con al menos diez días de antelación|Durante todo el año, sin prisa|Antes del 31 de octubre a las dos de la tarde|En los quince días siguientes a la mudanza|Abrimos la lista el primer lunes de junio|Un mes desde que se publica el anuncio|Tienes treinta días desde el nacimiento|Cuando quieras, de lunes a viernes|La ventana se abre en enero y se cierra en febrero",
        "ca": "Del 3 al 28 de març|Només al setembre|Fins que s'acabin els diners|Amb deu dies d'antelació com a mínim|Durant tot l'any, sense presses|Abans del 31 d'octubre a les dues de la tarda|En els quinze dies següents al trasllat|Obrim la llista el primer dilluns de juny|Un mes des que es publica l'anunci|Quan vulgueu, de dilluns a divendres",
        "gl": "Do 3 ao 28 de marzo|Só en setembro|Ata que se acabe o diñeiro|Con dez días de antelación como mínimo|Durante todo o ano, sen présa|Antes do 31 de outubro ás dúas da tarde|Nos quince días seguintes á mudanza|Abrimos a lista o primeiro luns de xuño|Un mes desde que se publica o anuncio|Cando queiras, de luns a venres",
        "eu": "Martxoaren 3tik 28ra|Irailean bakarrik|Dirua agortu arte|Gutxienez hamar egun lehenago|Urte osoan, presarik gabe|Urriaren 31 baino lehen|Etxez aldatu eta hurrengo hamabost egunetan|Ekaineko lehen astelehenean irekiko dugu|Iragarkia argitaratzen denetik hilabete",
        "en": "From 3 to 28 March|In September only|Until the money runs out|At least ten days ahead|All year, no hurry|Before 31 October at two in the afternoon|Within fifteen days of moving|The list opens on the first Monday of June|One month from the day of the notice",
    },
    "plazos.resolucion": {
        "es": "Unas tres semanas|Te avisamos en veinte días|En un par de meses como mucho|La tarjeta te llega a casa en quince días|Te lo damos en el momento|Contamos con noventa días para estudiarlo|Sabrás el resultado antes del verano|Empezamos la semana siguiente|El mismo día, si viene con todo|Todo el proceso dura unos cinco meses|Recibirás una carta en seis semanas|Lo vemos y te llamamos en diez días",
        "ca": "Unes tres setmanes|T'avisem en vint dies|En un parell de mesos com a molt|La targeta t'arriba a casa en quinze dies|T'ho donem al moment|Tenim noranta dies per estudiar-ho|Sabràs el resultat abans de l'estiu|Comencem la setmana següent|El mateix dia, si ho porteu tot|Tot el procés dura uns cinc mesos",
        "gl": "Unhas tres semanas|Avisámoste en vinte días|Nun par de meses como moito|A tarxeta chégache á casa en quince días|Dámoscho no momento|Temos noventa días para estudalo|Saberás o resultado antes do verán|Comezamos a semana seguinte|O mesmo día, se vés con todo|Todo o proceso dura uns cinco meses",
        "eu": "Hiru aste inguru|Hogei egunetan abisatuko dizugu|Gehienez bi hilabete|Txartela hamabost egunetan iritsiko zaizu etxera|Unean bertan ematen dugu|Laurogeita hamar egun ditugu aztertzeko|Uda baino lehen jakingo duzu emaitza|Hurrengo astean hasiko gara",
        "en": "About three weeks|We let you know in twenty days|A couple of months at most|The card reaches your home in fifteen days|You get it on the spot|We have ninety days to study it|You will know before the summer|We start the following week|The same day, if you bring everything|The whole process takes some five months",
    },
    "plazos.silencio_administrativo": {
        "es": "Da por hecho que no te lo han dado|Se entiende concedido|Puedes empezar sin esperar más|La petición se considera rechazada|Significa que sí|Negativo|Positivo",
        "ca": "Dona per fet que no te l'han donat|S'entén concedit|Pots començar sense esperar més|La petició es considera rebutjada|Vol dir que sí|Negatiu|Positiu",
        "gl": "Dá por feito que non cho deron|Enténdese concedido|Podes empezar sen agardar máis|A petición considérase rexeitada|Quere dicir que si|Negativo|Positivo",
        "eu": "Ez dizutela eman ulertu behar duzu|Emandakotzat jotzen da|Ukatutzat jotzen da|Ezezkoa|Baiezkoa",
        "en": "Take it that the answer is no|It counts as granted|You may start without waiting|The request counts as refused",
    },
    "plazos.recurso": {
        "es": "Tienes un mes para pedir que se revise|Puedes ir al juzgado en dos meses|Escribe a la alcaldía explicando por qué no estás conforme|Recurso de reposición en el plazo de un mes",
        "ca": "Tens un mes per demanar que es revisi|Pots anar al jutjat en dos mesos|Escriu a l'alcaldia explicant per què no hi estàs d'acord|Recurs de reposició en el termini d'un mes",
        "gl": "Tes un mes para pedir que se revise|Podes ir ao xulgado en dous meses|Escribe á alcaldía e explica por que non estás conforme|Recurso de reposición no prazo dun mes",
        "eu": "Hilabete duzu berrikusteko eskatzeko|Bi hilabetean epaitegira jo dezakezu|Berraztertze-errekurtsoa hilabeteko epean",
        "en": "You have a month to ask for a review|You can go to court within two months|Write to the mayor and say why you disagree",
    },
    "tasas": {
        "es": "No se paga nada|Doce euros, con tarjeta o en efectivo|Treinta y cinco euros al año|No cuesta nada, lo cubre el municipio|Tres euros por copia; gratis para jubilados|La mitad si eres familia numerosa|Se cobra al recoger: 8,40 €|Cada hora de pista son cuatro euros|Según los metros: entre 20 y 90 euros|El viaje corre de tu cuenta y la fianza son cincuenta euros|Nada",
        "ca": "No es paga res|Dotze euros, amb targeta o en efectiu|Trenta-cinc euros l'any|No costa res, ho cobreix el municipi|Tres euros per còpia; gratis per a jubilats|La meitat si sou família nombrosa|Es cobra en recollir-ho: 8,40 €|Segons els metres: entre 20 i 90 euros|Res",
        "gl": "Non se paga nada|Doce euros, con tarxeta ou en efectivo|Trinta e cinco euros ao ano|Non custa nada, cóbreo o concello|Tres euros por copia; de balde para xubilados|A metade se sodes familia numerosa|Cóbrase ao recoller: 8,40 €|Segundo os metros: entre 20 e 90 euros|Nada",
        "eu": "Ez da ezer ordaintzen|Hamabi euro, txartelez edo eskudirutan|Hogeita hamabost euro urtean|Ez du ezer balio, udalak ordaintzen du|Hiru euro kopia bakoitzeko|Erdia familia ugaria bazara|Jasotzean kobratzen da: 8,40 €|Ezer ez",
        "en": "You pay nothing|Twelve euros, by card or in cash|Thirty-five euros a year|It costs nothing, the town covers it|Three euros a copy; free for pensioners|Half for large families|Paid when you collect it: 8.40 euros|Nothing",
    },
    "cuantias": {
        "es": "Doscientos euros al mes durante medio año|Hasta el 60 % de lo que gastes, con tope de 3.000 euros|Ciento ochenta euros por hijo|Un vale de cuarenta euros para libros|Te descontamos la cuarta parte del recibo|Primer premio: mil euros|Entre quinientos y dos mil euros según tu renta|Un cheque anual de trescientos euros|Pagamos la mitad de la factura del veterinario|El 25 % de rebaja los tres primeros años",
        "ca": "Dos-cents euros al mes durant mig any|Fins al 60 % del que gasteu, amb un topall de 3.000 euros|Cent vuitanta euros per fill|Un val de quaranta euros per a llibres|Et descomptem la quarta part del rebut|Primer premi: mil euros|Entre cinc-cents i dos mil euros segons la renda|Un xec anual de tres-cents euros|El 25 % de rebaixa els tres primers anys",
        "gl": "Douscentos euros ao mes durante medio ano|Ata o 60 % do que gastes, cun tope de 3.000 euros|Cento oitenta euros por fillo|Un vale de corenta euros para libros|Descontámosche a cuarta parte do recibo|Primeiro premio: mil euros|Entre cincocentos e dous mil euros segundo a renda|O 25 % de rebaixa os tres primeiros anos",
        "eu": "Hilean berrehun euro sei hilabetez|Gastatzen duzunaren % 60 arte, gehienez 3.000 euro|Ehun eta laurogei euro seme-alaba bakoitzeko|Liburuetarako berrogei euroko balea|Ordainagiriaren laurdena kentzen dizugu|Lehen saria: mila euro|Lehen hiru urteetan % 25eko hobaria",
        "en": "Two hundred euros a month for half a year|Up to 60 % of what you spend, at most 3,000 euros|One hundred and eighty euros per child|A forty-euro voucher for books|We take a quarter off your bill|First prize: one thousand euros|A yearly cheque of three hundred euros|25 % off for the first three years",
    },
    "base_legal": {
        "es": "Ley 8/2011, de 4 de abril, de montes|Ordenanza municipal de mercados de 2014|Bases publicadas en el boletín de la provincia n.º 31|Decreto 77/2019, de 2 de julio|Lo dice la Ley 12/2007, de residuos, y su reglamento|Acuerdo del pleno de 6 de mayo de 2020|Orden de 9 de febrero de 2022",
        "ca": "Llei 8/2011, de 4 d'abril, de boscos|Ordenança municipal de mercats de 2014|Bases publicades al butlletí de la província núm. 31|Decret 77/2019, de 2 de juliol|Ho diu la Llei 12/2007, de residus|Acord del ple de 6 de maig de 2020",
        "gl": "Lei 8/2011, do 4 de abril, de montes|Ordenanza municipal de mercados de 2014|Bases publicadas no boletín da provincia n.º 31|Decreto 77/2019, do 2 de xullo|Dino a Lei 12/2007, de residuos|Acordo do pleno do 6 de maio de 2020",
        "eu": "8/2011 Legea, apirilaren 4koa, mendiei buruzkoa|2014ko udal azoken ordenantza|77/2019 Dekretua, uztailaren 2koa|Osoko bilkuraren 2020ko maiatzaren 6ko erabakia",
        "en": "Law 8/2011 of 4 April on forests|Municipal by-law on markets of 2014|Decree 77/2019 of 2 July|Resolution of the council of 6 May 2020",
    },
    "como_solicitar": {
        "es": "Entra en la web, rellena el formulario y envíalo|Pide cita y ven con los papeles|Llama al 010 y te apuntamos por teléfono|Manda la hoja firmada a tramites@montesol.example|En persona, en el mostrador de entrada, o desde casa con certificado|Rellenas la ficha en línea|Vienes a la charla de bienvenida|Nos traes el impreso firmado|Te visitamos y hacemos la valoración|Descarga la hoja, fírmala y déjala en el registro|Por carta, al apartado de correos|Desde el ordenador o en cualquier oficina de registro",
        "ca": "Entra al web, omple el formulari i envia'l|Demana cita i vine amb els papers|Truca al 010 i t'hi apuntem per telèfon|Envia el full signat a tramits@montsol.example|En persona, al taulell d'entrada, o des de casa amb certificat|Omples la fitxa en línia|Véns a la xerrada de benvinguda|Ens portes l'imprès signat|Baixa el full, signa'l i deixa'l al registre|Per carta, a l'apartat de correus",
        "gl": "Entra na web, cubre o formulario e envíao|Pide cita e ven cos papeis|Chama ao 010 e apuntámoste por teléfono|Manda a folla asinada a tramites@montesol.example|En persoa, no mostrador de entrada, ou desde a casa con certificado|Cobres a ficha en liña|Vés á charla de benvida|Tráesnos o impreso asinado|Descarga a folla, asínaa e déixaa no rexistro",
        "eu": "Sartu webgunean, bete formularioa eta bidali|Eskatu hitzordua eta etorri paperekin|Deitu 010era eta telefonoz apuntatuko zaitugu|Bidali sinatutako orria izapideak@mendieguzki.example helbidera|Bertaratuta, sarrerako leihatilan, edo etxetik ziurtagiriarekin|Ekarri sinatutako inprimakia|Deskargatu orria, sinatu eta utzi erregistroan",
        "en": "Go to the website, fill in the form and send it|Book a slot and come with your papers|Call 010 and we sign you up by phone|Send the signed sheet to forms@sunnyhill.example|In person at the front desk, or from home with a certificate|Fill in the sheet online|Come to the welcome talk|Bring us the signed form|Download the sheet, sign it and leave it at the registry",
    },
    "donde_solicitar": {
        "es": "Casa de la Cultura, calle del Pozo, 4, de martes a jueves|Oficina de la plaza Mayor, 1 (planta baja)|En el centro social del barrio, por las mañanas|Mostrador del mercado, avenida del Río, 22|Edificio de servicios, camino Viejo, s/n, 21630 Montesol|Pabellón deportivo, martes y jueves de 10 a 13 h",
        "ca": "Casa de la Cultura, carrer del Pou, 4, de dimarts a dijous|Oficina de la plaça Major, 1 (planta baixa)|Al centre social del barri, als matins|Taulell del mercat, avinguda del Riu, 22|Pavelló esportiu, dimarts i dijous de 10 a 13 h",
        "gl": "Casa da Cultura, rúa do Pozo, 4, de martes a xoves|Oficina da praza Maior, 1 (planta baixa)|No centro social do barrio, polas mañás|Mostrador do mercado, avenida do Río, 22|Pavillón deportivo, martes e xoves de 10 a 13 h",
        "eu": "Kultur Etxea, Putzu kalea 4, asteartetik ostegunera|Plaza Nagusiko bulegoa, 1 (behea)|Auzoko gizarte-etxean, goizez|Azokako leihatila, Ibai etorbidea 22",
        "en": "House of Culture, Calle del Pozo 4, Tuesday to Thursday|Office in Plaza Mayor 1 (ground floor)|At the community centre, in the mornings|Market desk, Avenida del Río 22",
    },
    "contacto": {
        "es": "Llámanos al 955 555 010|Escribe a hola@montesol.example|Te atendemos de 9 a 14 h en el 955 555 022|Pregunta en el 012",
        "ca": "Truca'ns al 955 555 010|Escriu a hola@montsol.example|T'atenem de 9 a 14 h al 955 555 022|Pregunta al 012",
        "gl": "Chámanos ao 955 555 010|Escribe a ola@montesol.example|Atendémoste de 9 a 14 h no 955 555 022|Pregunta no 012",
        "eu": "Deitu 955 555 010 zenbakira|Idatzi kaixo@mendieguzki.example helbidera|9etatik 14etara 955 555 022 zenbakian",
        "en": "Call us on 955 555 010|Write to hello@sunnyhill.example|We answer from 9 to 14 h on 955 555 022",
    },
    "organismo": {
        "es": "Servicio de Parques y Jardines|Lo lleva la Concejalía de Fiestas|Oficina de la Vivienda|Sección de Licencias de la Gerencia de Urbanismo|Centro de Mayores de Montesol|Dirección General de Pesca",
        "ca": "Servei de Parcs i Jardins|Ho porta la Regidoria de Festes|Oficina de l'Habitatge|Secció de Llicències|Direcció General de Pesca",
        "gl": "Servizo de Parques e Xardíns|Lévao a Concellaría de Festas|Oficina da Vivenda|Sección de Licenzas|Dirección Xeral de Pesca",
        "eu": "Parke eta Lorategi Zerbitzua|Jaien Batzordeak darama|Etxebizitza Bulegoa|Arrantza Zuzendaritza",
        "en": "Parks and Gardens Service|Run by the Festivals Department|Housing Office|Fisheries Directorate",
    },
    "descripcion": {
        "es": "Es un permiso para poner mesas en la acera|Te ayuda a pagar el comedor de tus hijos|Sirve para demostrar dónde vives|El programa presta bicicletas a quien va a clase|Con este servicio recogemos los trastos viejos de tu portal|Consiste en un descuento en el recibo del agua",
        "ca": "És un permís per posar taules a la vorera|T'ajuda a pagar el menjador dels teus fills|Serveix per demostrar on vius|El programa deixa bicicletes a qui va a classe|Amb aquest servei recollim els trastos vells",
        "gl": "É un permiso para poñer mesas na beirarrúa|Axúdache a pagar o comedor dos teus fillos|Serve para demostrar onde vives|O programa presta bicicletas a quen vai á clase",
        "eu": "Espaloian mahaiak jartzeko baimena da|Seme-alaben jantokia ordaintzen laguntzen dizu|Non bizi zaren frogatzeko balio du|Programak bizikletak uzten ditu",
        "en": "It is a permit to put tables on the pavement|It helps you pay for your children's meals|It proves where you live|The scheme lends bicycles to students",
    },
    "datos_importantes": {
        "es": "Si faltas dos veces, pierdes la plaza|No se puede vender ni prestar|Tendrás que renovarlo cada tres años|Si cambias de casa, avisa en un mes|Quien mienta en la solicitud devolverá el dinero|Lleva el permiso siempre contigo",
        "ca": "Si faltes dues vegades, perds la plaça|No es pot vendre ni deixar|L'hauràs de renovar cada tres anys|Si canvies de casa, avisa en un mes|Porta el permís sempre a sobre",
        "gl": "Se faltas dúas veces, perdes a praza|Non se pode vender nin prestar|Terás que renovalo cada tres anos|Se cambias de casa, avisa nun mes",
        "eu": "Bi aldiz huts egiten baduzu, lekua galduko duzu|Ezin da saldu|Hiru urtean behin berritu behar da|Etxez aldatzen bazara, abisatu hilabetean",
        "en": "If you miss two sessions you lose the place|It cannot be sold or lent|You must renew it every three years|If you move house, tell us within a month",
    },
    "other": {
        "es": "La alcaldesa visitó ayer las obras del polideportivo|El jurado se reunirá en la biblioteca a las seis|Usamos archivos que guardan tus preferencias|El contrato se adjudicó por 48.000 euros|Temario de la oposición y fecha del examen|Concierto de la banda, entrada libre|Pulsa en el botón para cambiar el tamaño de la letra|Consulta también la agenda de exposiciones|El pliego está en el perfil del contratante|Más de tres mil personas pasaron por la feria",
        "ca": "L'alcaldessa va visitar ahir les obres del poliesportiu|El jurat es reunirà a la biblioteca a les sis|Fem servir fitxers que guarden les teves preferències|El contracte es va adjudicar per 48.000 euros|Temari de l'oposició i data de l'examen|Concert de la banda, entrada lliure",
        "gl": "A alcaldesa visitou onte as obras do polideportivo|O xurado reunirase na biblioteca ás seis|Usamos ficheiros que gardan as túas preferencias|O contrato adxudicouse por 48.000 euros|Temario da oposición e data do exame|Concerto da banda, entrada libre",
        "eu": "Alkateak atzo bisitatu zituen kiroldegiko obrak|Epaimahaia liburutegian bilduko da|Zure hobespenak gordetzen dituzten fitxategiak erabiltzen ditugu|Kontratua 48.000 euroan esleitu zen|Oposizioaren gai-zerrenda eta azterketa-eguna",
        "en": "The mayor visited the works at the sports hall yesterday|The jury meets in the library at six|We use files that store your preferences|The contract was awarded for 48,000 euros|Syllabus and date of the exam|Concert of the town band, free entry",
    },
}


def composed_bodies(
    name: str, language: str, count: int, rng: random.Random
) -> Iterator[tuple[SectionLine, ...]]:
    """`count` texts of a class. A list has two to four entries, with or without bullets; other texts have one sentence or two."""
    texts = TEXTS[name][language].split("|")
    for _ in range(count):
        listed = name in LISTED or (name == "como_solicitar" and rng.random() < 0.3)
        size = min(len(texts), rng.choice((1, 2, 3, 4)) if listed else rng.choice((1, 1, 1, 2)))
        entries = rng.sample(texts, size)
        if listed and size > 1 and rng.random() < 0.8:
            numbered = name == "como_solicitar"
            yield tuple(
                SectionLine(text=text, kind="item", start=0, end=0, numbered=numbered) for text in entries
            )
        else:
            stop = "." if rng.random() < 0.7 else ""
            yield (SectionLine(text=". ".join(entries) + stop, kind="text", start=0, end=0),)
