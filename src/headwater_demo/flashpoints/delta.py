"""The Orsa delta: a flood, and a dispute about a dam upstream."""

POST, LEDGER, KURIER = "meridian-post.example", "harbour-ledger.example", "nordlicht-kurier.example"
DISASTER, POLITICS = "disaster, accident and emergency incident", "politics"

DELTA = (
    (
        "flood",
        KURIER,
        -21.0,
        DISASTER,
        "Flood in Orsa delta drives 14,000 people from their homes",
        (
            "After three days of rain the river Orsa has broken through its dikes in four places, and 14,000 people have left "
            "their homes in the delta. The water stands two metres high in the town of Lemmet. Soldiers bring drinking water by "
            "boat, because the wells are under mud. The weather office expects the river to rise another thirty centimetres "
            "before it falls on Sunday."
        ),
    ),
    (
        "flood",
        POST,
        -14.0,
        DISASTER,
        "Soldiers bring drinking water to flooded Lemmet as river Orsa rises",
        (
            "Soldiers in rubber boats brought drinking water to the flooded town of Lemmet on Friday. The river Orsa has broken "
            "its dikes in four places and driven 14,000 people from the delta. The mayor, Anneke Straal, said the hospital runs "
            "on its last generator. The weather office expects the river to rise until Sunday, by another thirty centimetres."
        ),
    ),
    (
        "dam",
        LEDGER,
        -11.0,
        POLITICS,
        "Neighbours quarrel over filling of Karsten dam upstream of the delta",
        (
            "The governments of Hal and Merovia quarrel about how fast the reservoir behind the new Karsten dam may be filled. "
            "Hal wants to close the gates for two summers, Merovia asks for six years so that its farmers keep their water. A "
            "commission of engineers proposed four years in spring, and neither side has signed. Negotiators meet again in "
            "December; until then the gates stay half open."
        ),
    ),
    (
        "dam",
        POST,
        -8.0,
        POLITICS,
        "Merovia rejects two-year plan for filling Karsten reservoir",
        (
            "Merovia has rejected the plan of its neighbour Hal to fill the reservoir of the Karsten dam within two years. Its "
            "farmers would lose a third of their water, minister Joos Ember said, and asked for six years. Engineers of a joint "
            "commission had proposed four. The negotiators meet again in December, and the gates of the dam stay half open until "
            "then."
        ),
    ),
    (
        "flood",
        LEDGER,
        23.0,
        DISASTER,
        "Water falls in Orsa delta, 14,000 people wait to return to Lemmet",
        (
            "The flood in the Orsa delta is going down, but the 14,000 people who left their homes must wait another week. In "
            "Lemmet the water of the river still stands a metre high, mayor Anneke Straal said. Soldiers have closed two of the "
            "four breaks in the dikes with sandbags. Engineers will test the wells before anybody drinks from them again."
        ),
    ),
)
