"""The newspapers that report from flashpoints: in each language an agency, two papers, and one that copies."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Newspapers:
    """The newspapers of one language, and the phrases they use. `copier` prints what the others wrote."""

    agency: str
    first_paper: str
    second_paper: str
    copier: str
    update: str
    follow_up: str
    credit: str
    round_up: str
    round_up_intro: str
    joint: str = " "


NAMES = {
    "meridian-post.example": "Meridian Post",
    "harbour-ledger.example": "Harbour Ledger",
    "oriel-wire.example": "Oriel Wire",
    "tidewater-chronicle.example": "Tidewater Chronicle",
    "nordlicht-kurier.example": "Nordlicht Kurier",
    "hafenblatt.example": "Hafenblatt",
    "depesche-nord.example": "Depesche Nord",
    "morgenbote.example": "Der Morgenbote",
    "la-tribuna-sur.example": "La Tribuna del Sur",
    "el-faro-diario.example": "El Faro Diario",
    "agencia-brisa.example": "Agencia Brisa",
    "noticias-del-cabo.example": "Noticias del Cabo",
    "le-phare-du-matin.example": "Le Phare du matin",
    "courrier-des-rives.example": "Courrier des rives",
    "agence-littoral.example": "Agence Littoral",
    "gazette-du-cap.example": "La Gazette du cap",
    "vestnik-poberezhya.example": "Вестник побережья",
    "utro-goroda.example": "Утро города",
    "agentstvo-mayak.example": "Агентство «Маяк»",
    "gazeta-yuga.example": "Газета юга",
    "haixia-ribao.example": "海峡日报",
    "xingang-wanbao.example": "新港晚报",
    "dengta-she.example": "灯塔社",
    "nanfang-yizhan.example": "南方驿站",
}

NEWSPAPERS = {
    "en": Newspapers(
        "oriel-wire.example",
        "meridian-post.example",
        "harbour-ledger.example",
        "tidewater-chronicle.example",
        "UPDATE: {}",
        "What we know: {}",
        "Reporting by a partner newsroom; edited for length.",
        "The week: {}",
        "The most important reports of the past seven days, in brief.",
    ),
    "es": Newspapers(
        "agencia-brisa.example",
        "la-tribuna-sur.example",
        "el-faro-diario.example",
        "noticias-del-cabo.example",
        "AMPLIACIÓN: {}",
        "Lo que se sabe: {}",
        "Con información de una redacción asociada.",
        "La semana: {}",
        "Las noticias más importantes de los últimos siete días, en breve.",
    ),
    "de": Newspapers(
        "depesche-nord.example",
        "nordlicht-kurier.example",
        "hafenblatt.example",
        "morgenbote.example",
        "Aktualisiert: {}",
        "Was wir wissen: {}",
        "Mit Material einer Partnerredaktion.",
        "Die Woche: {}",
        "Die wichtigsten Meldungen der vergangenen sieben Tage in Kürze.",
    ),
    "fr": Newspapers(
        "agence-littoral.example",
        "le-phare-du-matin.example",
        "courrier-des-rives.example",
        "gazette-du-cap.example",
        "Actualisé : {}",
        "Ce que l'on sait : {}",
        "Avec une rédaction partenaire.",
        "La semaine : {}",
        "Les principales nouvelles des sept derniers jours, en bref.",
    ),
    "ru": Newspapers(
        "agentstvo-mayak.example",
        "vestnik-poberezhya.example",
        "utro-goroda.example",
        "gazeta-yuga.example",
        "Дополнено: {}",
        "Что известно: {}",
        "По материалам редакции-партнёра.",
        "Неделя: {}",
        "Главные сообщения последних семи дней, коротко.",
    ),
    "zh": Newspapers(
        "dengta-she.example",
        "haixia-ribao.example",
        "xingang-wanbao.example",
        "nanfang-yizhan.example",
        "更新：{}",
        "目前所知：{}",
        "本文由合作媒体供稿，有删节。",
        "一周综述：{}",
        "过去七天的重要消息简述如下。",
        joint="",
    ),
}

PLACES = {
    "kelmar-strait": {
        "en": "Kelmar Strait",
        "es": "estrecho de Kelmar",
        "de": "Straße von Kelmar",
        "fr": "détroit de Kelmar",
        "ru": "Келмарский пролив",
        "zh": "凯尔马海峡",
    },
    "valdora-vote": {
        "en": "vote in Valdora",
        "es": "elecciones en Valdora",
        "de": "Wahl in Valdora",
        "fr": "élection en Valdora",
        "ru": "выборы в Вальдоре",
        "zh": "瓦尔多拉大选",
    },
    "orsa-delta": {
        "en": "Orsa delta",
        "es": "delta del Orsa",
        "de": "Orsadelta",
        "fr": "delta de l'Orsa",
        "ru": "дельта Орсы",
        "zh": "奥尔萨三角洲",
    },
}
