"""Stopwords, alphabets and foreign letter groups that tell neighbouring languages apart.

Used to classify short text: ten words are too few for letter statistics, but "unha" is Galician, "uma" Portuguese and
"una" neither. Only languages that share a script with a close relative need a list.
"""

from collections.abc import Mapping

_LISTS: Mapping[str, str] = {
    "es": "el la los las lo un una unos unas y e o u de del al a en con por para que es son se no más como su sus este esta"
    " estos estas está están ha han le les muy ya pero sin sobre entre también cuando donde hay ser fue desde hasta"
    " puede pueden todos todas nuestro usted tiene tienen esto eso ese esa si sólo solo según mediante otro otra"
    " dos qué cómo aquí debe deben hace nuevo nueva ningún ninguna cualquier"
    " año años tiempo parte gracias mejor además aún ahora siempre después antes contra bajo tras durante mientras"
    " porque pues luego así bien dijo hizo hacer ver dar haber era eran fueron sería tenía había hubo sea fuera todo"
    " toda nada algo alguien nadie algún alguna mismo misma tanto tan allí ayer hoy mañana página nombre quiere"
    " quieres tu yo ellos ella él nosotros cada vez gobierno personas donde quien cual sean estar siguiente ya",
    "ca": "el la els les lo un una uns unes i o de del dels al als a en amb per que és són es no més com el seu seva seus"
    " seves aquest aquesta aquests aquestes està estan ha han li molt ja però sense sobre entre també quan on hi ser"
    " va des fins pot poden tots totes nostre vostè té tenen això aquell aquella si només segons mitjançant altre"
    " altra dos què aquí ha heu pel pels cap qualsevol perquè nou nova vol voleu ho"
    " any anys temps part gràcies millor encara ara sempre després abans contra sota durant mentre doncs així bé va"
    " fer veure donar haver era eren sigui fos tot tota res algun alguna mateix mateixa tant tan allà ahir avui demà"
    " pàgina nom vostre teu seu jo ell ella nosaltres cada vegada govern persones qui qual siguin estar següent"
    " sigueu us vostra aneu feu fa",
    "gl": "o a os as un unha uns unhas e ou de do da dos das ao aos á ás en no na nos nas con por pola polo polas polos para"
    " que é son se non máis como seu súa seus súas este esta estes estas está están ten teñen lle moi xa pero sen sobre"
    " entre tamén cando onde hai ser foi desde ata pode poden todos todas noso vostede isto iso ese esa só segundo"
    " mediante outro outra dous dun dunha nun nunha deste desta neste nesta quere queres ningún calquera novo nova"
    " debe deben polo ó eles cada"
    " ano anos tempo parte grazas mellor ademais aínda agora sempre despois antes contra baixo tras durante mentres"
    " porque pois logo así ben dixo fixo facer ver dar haber era eran foron sería tiña había houbo sexa fose todo"
    " toda nada algo alguén ninguén algún algunha mesmo mesma tanto tan aquí alí onte hoxe mañá páxina nome teu túa"
    " teus túas eu el ela nós cada vez goberno persoas quen cal sexan estar seguinte teña estea poida seguro nesa"
    " nese desa dese dela del nel dende lles nun",
    "pt": "o a os as um uma uns umas e ou de do da dos das ao aos à às em no na nos nas com por pela pelo pelas pelos para"
    " que é são se não mais como seu sua seus suas este esta estes estas está estão tem têm lhe muito já mas sem sobre"
    " entre também quando onde há ser foi desde até pode podem todos todas nosso você isto isso esse essa só segundo"
    " outro outra dois num numa deste desta neste nesta foram qualquer nenhum nenhuma novo nova deve devem cada"
    " ano anos tempo parte obrigado melhor além ainda agora sempre depois antes contra durante enquanto porque pois"
    " logo assim bem disse fez fazer ver dar haver era eram foram seria tinha havia houve seja fosse tudo toda todo"
    " nada algo alguém ninguém algum alguma mesmo mesma tanto tão aqui ali ontem hoje amanhã página nome teu tua"
    " seus eu ele ela nós cada vez governo pessoas quem qual sejam estar seguinte tenha esteja possa nessa nesse"
    " dessa desse dela dele nele quer apenas após vai",
    "it": "il lo la i gli le un uno una e o di del dello della dei degli delle al alla ai alle in nel nella con per che è"
    " sono si non più come suo sua questo questa questi queste ha hanno molto già ma senza su sul sulla tra anche"
    " quando dove essere stato da dal dalla può possono tutti tutte se solo altro altra deve devono ogni nuovo",
    "fr": "le la les un une des et ou de du au aux en dans avec par pour que qui est sont se ne pas plus comme son sa ses"
    " ce cet cette ces a ont très mais sans sur entre aussi quand où être été depuis peut peuvent tous toutes notre"
    " vous votre nous il elle si seulement autre doit doivent cela leur n l d",
    "ro": "și sau de la în cu pe pentru că care este sunt se nu mai ca lui ei un o unui unei acest această acești aceste"
    " a au fi fost din după poate pot toate toți dar fără asupra între când unde dacă doar alt alta trebuie prin să"
    " ce al ale cel cea",
    "oc": "lo la los las un una e o de del dels al als en amb per que es son se non mai coma aquel aquesta aqueste",
    "en": "the a an and or of to in on with by for that is are was were be been not more as his her its this these it you"
    " your from at has have had but without about between also when where can will would all our they their if only"
    " other must may no any which there do does",
    "de": "der die das den dem des ein eine einen einem einer und oder von zu zum zur in im mit für dass ist sind war nicht"
    " mehr wie sein seine ihr ihre dieser diese dieses diesen hat haben aber ohne über zwischen auch wenn wo kann"
    " können alle nur andere muss auf aus bei nach sie es wird werden keine als an sich",
    "nl": "de het een en of van naar in op met voor dat is zijn was niet meer als zijn haar deze dit heeft hebben maar"
    " zonder over tussen ook wanneer waar kan kunnen alle alleen andere moet uit bij na ze wordt worden geen aan u"
    " uw te om door je er naar",
    "af": "die 'n en of van na in op met vir dat is was nie meer soos sy haar hierdie het maar sonder oor tussen ook"
    " wanneer waar kan alle slegs ander moet uit by word geen aan jou te om deur",
    "sv": "en ett den det de och eller av till i på med för att är var inte mer som hans hennes denna detta dessa har men"
    " utan om mellan också när där kan alla bara andra måste från vid efter du din ditt inga ingen blir ska kommer"
    " eller vill får nya"
    " år tid gånger bättre dessutom fortfarande nu alltid innan mot under medan därför så bra sade gjorde göra se ge"
    " varit bli skulle allt något några ingen samma här dag sida namn jag han hon vi varje av upp ut in kunde"
    " används finns välj hur dig mig oss inte",
    "da": "en et den det de og eller af til i på med for at er var ikke mere som hans hendes denne dette disse har men uden"
    " om mellem også når hvor kan alle kun andre skal fra ved efter du din dit ingen bliver blev være nogen efter"
    " hvis vil dig sig mange nye hvad måske"
    " år tid gange bedre desuden stadig nu altid efter før mod under mens fordi så godt sagde gjorde gøre se give"
    " været blive ville skulle alt noget nogle nogen ingen intet samme her der dag side navn din jeg han hun vi hver"
    " af op ud ind kunne bruges findes vælg hvordan også dig mig os",
    "no": "en et den det de og eller av til i på med for å at er var ikke mer som hans hennes denne dette disse har men uten"
    " om mellom også når hvor kan alle bare kun andre må skal fra ved etter du din ditt ingen blir ble være noen hvis"
    " vil deg seg mange nye hva kanskje"
    " år tid ganger bedre dessuten fortsatt nå alltid etter før mot under mens fordi så godt sa gjorde gjøre se gi"
    " vært bli ville skulle alt noe noen ingen samme her der dag side navn jeg han hun vi hver opp ut inn kunne"
    " brukes finnes velg hvordan også dere meg oss etter dersom",
    "nn": "ein eit den det dei og eller av til i på med for å at er var ikkje meir som hans denne dette desse har men utan"
    " om mellom også når kvar kan alle berre andre må skal frå ved etter du din ditt ingen blir vart vere nokon viss"
    " vil deg seg mange nye kva kanskje",
    "is": "og eða af til í á með fyrir að er var ekki meira sem hans þessi þetta hefur en án um milli einnig þegar þar"
    " getur allir aðeins annað frá við eftir þú það ekkert verður hann hún",
    "fi": "ja tai on ovat oli ei enemmän kuin hänen tämä tämän nämä se ne mutta ilman välillä myös kun jossa voi voivat"
    " kaikki vain muu pitää että joka jotka sen sitä olla mukaan",
    "et": "ja või on oli ei rohkem kui tema see selle need kuid ilma vahel ka kui kus võib kõik ainult muu peab et mis kes"
    " seda olla järgi saab teie",
    "pl": "i lub albo z ze do w we na o od po przez dla że jest są był nie się więcej jak jego jej ten ta to te tego ale bez"
    " między także gdy gdzie może mogą wszystkie tylko inny musi oraz który która które przy czy nowy",
    "cs": "a nebo z ze do v ve na o od po přes pro že je jsou byl byla není se více jak jeho její ten ta to tento tato toto"
    " ale bez mezi také když kde může mohou všechny pouze jiný musí který která které při jako lze bude být s k"
    " rok roku čas lepší ještě nyní vždy před proti během protože tak dobře řekl udělal dělat být bylo budou vše"
    " něco někdo žádný stejný tady dnes stránka jméno váš vaše já on ona my každý toho této tomto vás nelze není"
    " jejich aby",
    "sk": "a alebo z zo do v vo na o od po cez pre že je sú bol bola nie sa viac ako jeho jej ten tá to tento táto toto ale"
    " bez medzi tiež keď kde môže môžu všetky iba iný musí ktorý ktorá ktoré pri možno bude byť s k pomocou"
    " rok roku čas lepší ešte teraz vždy pred proti počas pretože tak dobre povedal urobil robiť byť bolo budú"
    " všetko niečo niekto žiadny rovnaký tu dnes stránka meno váš vaše ja on ona my každý toho tejto tomto vás"
    " nemožno nie ich aby",
    "sl": "in ali iz do v na o od po skozi za da je so bil bila ni se več kot njegov njen ta to ti te vendar brez med tudi"
    " ko kjer lahko vse samo drug mora ki pri bo biti s z k"
    " leto čas boljše še zdaj vedno pred proti med ker tako dobro rekel narediti bilo vse nekaj nekdo noben isti"
    " tukaj danes stran ime vaš jaz on ona mi vsak tega te tem vas ni njihov kako bi kar če bodo bo",
    "hr": "i ili iz do u na o od po kroz za da je su bio bila nije se više kao njegov njezin ovaj ova ovo ali bez između"
    " također kada gdje može mogu sve samo drugi mora koji koja koje pri bit će biti s k te"
    " godina vrijeme bolje još sada uvijek prije protiv tijekom jer tako dobro rekao učiniti bilo sve nešto netko"
    " nijedan isti ovdje danas stranica ime vaš ja on ona mi svaki ovog ove ovom vas nije njihov kako bi što li će"
    " bit",
    "hu": "a az és vagy egy nem hogy is ez azt ezt van volt meg csak de el mint már még ha ki minden kell lehet"
    " között nélkül után fel lesz vannak amely",
    "eu": "eta edo ez da dira zen du dute bat hau hori baina gabe ere noiz non guztiak bakarrik beste behar dela izan duen"
    " dago daude egin du zuen baten bere honek egiten ditu zaio dute dezake mesedez badu duzu zure arte gero berri",
    "tr": "ve veya bir bu şu o için ile de da ne en çok daha gibi ama değil olan olarak kadar sonra her tüm ise mı mi var"
    " yok olduğu tarafından",
    "id": "dan atau di ke dari yang untuk dengan ini itu adalah tidak lebih seperti pada juga ketika dapat semua hanya lain"
    " harus akan oleh telah sudah ada anda bisa karena",
    "ms": "dan atau di ke dari yang untuk dengan ini itu adalah tidak lebih seperti pada juga apabila boleh semua hanya lain"
    " mesti akan oleh telah sudah ada anda kerana ialah daripada",
    "lt": "ir arba iš į su už ant apie nuo po per kad yra buvo ne daugiau kaip jo jos šis ši tai bet be tarp taip pat kai kur"
    " gali visi tik kitas turi kuris kuri prie nėra jūsų",
    "lv": "un vai no uz ar par pie pēc caur ka ir bija nav vairāk kā viņa šis šī tas bet bez starp arī kad kur var visi"
    " tikai cits jābūt kas kurš jūsu lai",
    "ru": "и или из до в во на о от по через для что это есть был была не более как его её этот эта эти но без между также"
    " когда где может могут все только другой должен который которая при с со к он они бы вы если"
    " год лет время лучше ещё еще теперь всегда после перед против во время потому так хорошо сказал сделал быть"
    " было будет всё что-то никто тот здесь сегодня страница имя ваш я она мы каждый этого этой этом вас нет их"
    " чтобы нельзя",
    "uk": "і й або з із до в у на про від по через для що це є був була не більше як його її цей ця ці але без між також коли"
    " де може можуть всі усі лише інший має повинен який яка при та він вони ви якщо буде"
    " рік час краще ще тепер завжди після перед проти під тому так добре сказав зробив бути було все щось ніхто той"
    " тут сьогодні сторінка ім'я ваш я вона ми кожен цього цієї цьому вас немає їх щоб не можна",
    "be": "і або з да ў у на пра ад па праз для што гэта ёсць быў была не больш як яго яе гэты гэтая але без паміж таксама"
    " калі дзе можа ўсе толькі іншы павінен які пры ён яны вы",
    "bg": "и или от до в във на за по през че това е са беше не повече как като неговият този тази тези но без между също"
    " когато където може могат всички само друг трябва който която при с със към той те се да ще ли"
    " година време по-добре още сега винаги след преди срещу през защото така добре каза направи бъде било всичко"
    " нещо никой тук днес страница име ваш аз тя ние всеки този няма ги за да може си му им",
    "mk": "и или од до во на за по низ дека ова е се беше не повеќе како овој оваа овие но без меѓу исто кога каде може сите"
    " само друг треба кој која при со кон тој тие да ќе",
    "sr": "i ili iz do u na o od po kroz za da je su bio bila nije se više kao njegov ovaj ova ovo ali bez između takođe"
    " kada gde može mogu sve samo drugi mora koji koja koje biće biti s k"
    " и или из до у на о од по кроз за да је су био била није се више као овај ова ово али без између такође када где"
    " може могу све само други мора који која које бити",
}

STOPWORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _LISTS.items()
}

# Letters beyond a–z that a language writes in its own words. A letter outside speaks against the language.
ALPHABETS: Mapping[str, frozenset[str]] = {
    language: frozenset(letters)
    for language, letters in {
        "es": "áéíóúüñ",
        "ca": "àçéèíïóòúü·ŀ",
        "gl": "áéíóúüïñ",
        "pt": "áâãàçéêíóôõúü",
        "it": "àèéìíîòóùú",
        "fr": "àâæçéèêëîïôœùûüÿ",
        "ro": "ăâîșțşţ",
        "en": "",
        "de": "äöüß",
        "nl": "éèëïöüó",
        "sv": "åäöé",
        "da": "æøåé",
        "no": "æøåéòôó",
        "nn": "æøåéòôó",
        "fi": "äöå",
        "et": "äöõüšž",
        "pl": "ąćęłńóśźż",
        "cs": "áčďéěíňóřšťúůýž",
        "sk": "áäčďéíĺľňóôŕšťúýž",
        "sl": "čšž",
        "hr": "čćđšž",
        "hu": "áéíóöőúüű",
        "eu": "ñçü",
        "tr": "çğıöşüâîû",
        "id": "é",
        "lt": "ąčęėįšųūž",
        "lv": "āčēģīķļņšūž",
        "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
        "bg": "абвгдежзийклмнопрстуфхцчшщъьюя",
        "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ",
    }.items()
}

# Letter groups that a language does not write, as regular expressions over lower-case text: the spelling of the
# same Latin word differs in predictable places (página, páxina; nação, nación, nació).
FOREIGN_LETTER_GROUPS: Mapping[str, str] = {
    "es": r"ss|nh|lh|l·l|ny\b|tx|tz|eir[oa]|ció\b|xe\b|ou|[aeo]is\b|[aeo]ix",
    "gl": r"j|ss|lh|g[eiéí]|ció\b|(?<![qg])ue[drnt]|[oe]r[rs]?ao|¿",
    "pt": r"¿|¡|ción|\bll|unha|x[eé]n|xión|(?<![qg])ue[drt]|\bun\b|\ben\b|\bcon\b|[aceiz][óo]n\b|ñ",
    "ca": r"¿|ção|ción|nh|lh|ie[mrn]t|\w{2}[ao]d[oa]s?\b",
    "fr": r"\bel\b|ció|\w{3}[oa]\b",
    "it": r"[jyxk]|ción?|\w{3}s\b",
    "da": r"sjon|øy|kk\b|tt\b|pp\b|nn\b|ll\b|ss\b|ei\b|gj|skj|kj",
    "no": r"tion|ej\b|[cz]|øj|gd\b|nd\b",
    "sl": r"ije|št",
    "hr": r"šč|oč\b",
    "cs": r"ť\b",
    "sk": r"ou\b",
    "ru": r"ът",
    "bg": r"ого\b|ии\b|ть\b",
}
