"""The vote in Valdora: a recount, and a strike that has little to do with it."""

POST, WIRE, TRIBUNA = "meridian-post.example", "oriel-wire.example", "la-tribuna-sur.example"
POLITICS, LABOUR = "politics", "labour"

VOTE = (
    (
        "recount",
        POST,
        -22.0,
        POLITICS,
        "Valdora orders recount of presidential vote in two provinces",
        (
            "The electoral court of Valdora has ordered a recount of the presidential vote in the provinces of Alta Mira and "
            "Costa Brava Norte. The sitting president Ramiro Quell leads his rival Teodora Lanz by 4,100 votes. Observers found "
            "that in 212 polling stations the number of ballots was higher than the number of voters on the list. The recount "
            "begins on Monday and is to last five days; both candidates have said they will accept its result."
        ),
    ),
    (
        "recount",
        WIRE,
        -18.0,
        POLITICS,
        "Lanz calls for calm as Valdora prepares recount of ballots",
        (
            "Teodora Lanz, who trails president Ramiro Quell by 4,100 votes, has asked her supporters in Valdora to stay calm "
            "until the recount is over. The electoral court will count the ballots of two provinces again from Monday on. "
            "Observers had reported 212 polling stations with more ballots than voters. Quell said he had nothing to fear from "
            "a recount and would accept its result."
        ),
    ),
    (
        "recount",
        TRIBUNA,
        -16.0,
        POLITICS,
        "El tribunal electoral de Valdora repetirá el recuento en dos provincias",
        (
            "El tribunal electoral de Valdora ha ordenado un nuevo recuento de los votos en las provincias de Alta Mira y Costa "
            "Brava Norte. El presidente Ramiro Quell aventaja a Teodora Lanz en 4.100 votos. Los observadores encontraron 212 "
            "mesas con más papeletas que votantes inscritos. El recuento empieza el lunes y durará cinco días."
        ),
    ),
    (
        "strike",
        POST,
        -6.0,
        LABOUR,
        "Bus drivers in Valdora's capital walk out over unpaid overtime",
        (
            "Bus drivers in San Ferrol, the capital of Valdora, stopped work on Friday because the city has not paid their "
            "overtime since July. The union says 1,800 drivers took part and nine of ten lines stood still. The city council "
            "blames a delayed transfer from the ministry of transport and promises to pay half of the sum next week. Schools "
            "opened two hours later, and many people walked to work along the closed tram line."
        ),
    ),
    (
        "strike",
        WIRE,
        -4.0,
        LABOUR,
        "San Ferrol bus strike leaves nine of ten lines standing still",
        (
            "A strike of bus drivers brought public transport in San Ferrol to a halt on Friday. The drivers have waited for "
            "their overtime pay since July. According to their union 1,800 drivers joined the strike. The city council offered "
            "half of the sum next week and pointed to a late transfer from the ministry of transport. The union will vote on "
            "the offer on Sunday."
        ),
    ),
    (
        "recount",
        WIRE,
        22.0,
        POLITICS,
        "Recount in Valdora shrinks lead of president Quell to 2,900 votes",
        (
            "After the first day of the recount in Valdora the lead of president Ramiro Quell over Teodora Lanz has shrunk from "
            "4,100 to 2,900 votes. The electoral court has examined the ballots of 60 of the 212 polling stations that observers "
            "had named. In Alta Mira 41 boxes were set aside because their seals were broken. Both candidates repeated that they "
            "will accept the result of the recount."
        ),
    ),
)
