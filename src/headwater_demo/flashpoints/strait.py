"""The Kelmar Strait: a seized tanker, talks about it, and a cable at the bottom of the sea."""

POST, LEDGER, WIRE, KURIER = (
    "meridian-post.example",
    "harbour-ledger.example",
    "oriel-wire.example",
    "nordlicht-kurier.example",
)
WAR, MONEY = "conflict, war and peace", "economy, business and finance"

STRAIT = (
    (
        "tanker",
        POST,
        -20.0,
        WAR,
        "Tarn coast guard seizes tanker Halcyon Dawn in Kelmar Strait",
        (
            "The coast guard of the Federation of Tarn boarded the tanker Halcyon Dawn on Thursday night and brought it to "
            "the naval harbour of Port Isel. The ship carried 90,000 tonnes of crude oil and a crew of 23 people. Tarn says "
            "the tanker left the agreed shipping lane in the Kelmar Strait and ignored four radio calls. The owner, Brightwater "
            "Shipping, rejects that and says the vessel was in open water when armed men came aboard from two patrol boats."
        ),
    ),
    (
        "tanker",
        LEDGER,
        -17.5,
        WAR,
        "Owner of seized tanker Halcyon Dawn says crew of 23 is unharmed",
        (
            "Brightwater Shipping has spoken to the captain of the Halcyon Dawn, the tanker seized by the Tarn coast guard in "
            "the Kelmar Strait. All 23 members of the crew are unharmed and remain aboard in Port Isel, the company said. "
            "The owner calls the boarding an act of piracy and has asked its insurers for help. Patrol boats of Tarn still "
            "lie alongside the ship, and nobody has been allowed to leave it since Thursday night."
        ),
    ),
    (
        "tanker",
        WIRE,
        -15.0,
        WAR,
        "Ostrel Republic demands release of tanker held by Tarn in Port Isel",
        (
            "The Ostrel Republic has demanded that the Federation of Tarn release the tanker Halcyon Dawn and its crew at "
            "once. Foreign minister Ilse Varn called the seizure in the Kelmar Strait a breach of the law of the sea. Tarn "
            "answered that the tanker had left the shipping lane and would stay in Port Isel until a court has heard the "
            "case. The ship carries 90,000 tonnes of crude oil for refineries in Ostrel."
        ),
    ),
    (
        "cable",
        LEDGER,
        -9.0,
        MONEY,
        "Damaged data cable under Kelmar Strait slows banks in three cities",
        (
            "A data cable on the sea market was torn on Friday morning, and banks in three cities reported payments that took "
            "hours. The operator Deepline expects repairs to last nine days because only one cable ship is free. Engineers "
            "found scratch marks of an anchor over a length of two kilometres. Traffic now runs over an older line with a "
            "tenth of the capacity, and the operator asks its customers to put off large transfers of data."
        ),
    ),
    (
        "cable",
        POST,
        -7.0,
        MONEY,
        "Deepline sends repair ship after anchor tears data cable",
        (
            "The cable ship Marisol left harbour on Friday to mend the data cable that an anchor tore on the sea market. Deepline, "
            "which operates the line, says the repairs will last about nine days. Until then data runs over an older line, and "
            "banks in three cities have asked customers to be patient with payments. Engineers followed scratch marks for two "
            "kilometres and will hand their pictures to the harbour police."
        ),
    ),
    (
        "tanker",
        KURIER,
        20.0,
        WAR,
        "Tarn lets crew of tanker Halcyon Dawn go home, keeps the ship",
        (
            "The Federation of Tarn has allowed the 23 members of the crew of the tanker Halcyon Dawn to leave Port Isel. The "
            "ship itself, seized by the coast guard in the Kelmar Strait, stays under guard until a court has heard the case. "
            "Brightwater Shipping, the owner, called the release of the crew a first step. Ilse Varn, foreign minister of the "
            "Ostrel Republic, will meet her colleague from Tarn next week to speak about the tanker and its crude oil."
        ),
    ),
)
