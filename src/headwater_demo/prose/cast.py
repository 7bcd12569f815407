"""Invented companies, people and places; none of them exists."""

from random import Random

_FIRST = (
    "Ilse", "Tomás", "Priya", "Marek", "Adaeze", "Jonas", "Mireia", "Kenji", "Salma", "Oskar", "Lucía", "Bram", "Noor", "Elif", "Petra", "Rafael",
    "Hanne", "Dario", "Wanjiru", "Sunniva", "Anton", "Beatriz", "Colm", "Yara", "Viktor", "Amara", "Leif", "Joana", "Ravi", "Greta",
)  # fmt: skip
_LAST = (
    "Brandt", "Okonjo", "Vasquez", "Lindqvist", "Ferrer", "Nakata", "Halloran", "Dewitt", "Moreau", "Castellan", "Ashworth", "Petrov", "Iyer", "Solberg",
    "Quiroga", "Marchetti", "Adeyemi", "Thorne", "Kowalczyk", "Benavides", "Strand", "Oyelaran", "Whitcombe", "Duarte", "Haugen", "Falk", "Rowntree", "Tanaka-Reyes",
)  # fmt: skip
_STEM = (
    "North", "Amber", "Copper", "Quarry", "Tidal", "Granite", "Lantern", "Meridian", "Sable", "Willow", "Harrow", "Beacon", "Cobalt", "Juniper", "Falcon",
    "Marble", "Orchard", "Pelican", "River", "Summit", "Thistle", "Umber", "Velvet", "Winter", "Zephyr", "Alder", "Bramble", "Cinder", "Delta", "Ember",
)  # fmt: skip
_TAIL = (
    "gate",
    "field",
    "stone",
    "bridge",
    "mark",
    "vault",
    "point",
    "haven",
    "crest",
    "works",
    "ridge",
    "line",
)
_KIND = (
    "Labs",
    "Exchange",
    "Custody",
    "Markets",
    "Capital",
    "Digital",
    "Protocol Foundation",
    "Payments",
    "Technologies",
    "Trust",
    "Mining",
    "Analytics",
)
_COUNTRY = (
    "Portugal",
    "Singapore",
    "Canada",
    "Switzerland",
    "Kenya",
    "Estonia",
    "Brazil",
    "the Netherlands",
    "Japan",
    "Ireland",
    "Poland",
    "South Korea",
    "Malta",
    "Uruguay",
    "Norway",
    "Czechia",
)
_TOKEN = (
    "ASTR-9",
    "QUIL",
    "Maro",
    "Tessel",
    "Obol",
    "Kite",
    "Ferrum",
    "Lumen-X",
    "Drift",
    "Sorrel",
    "Peat",
    "Halo-2",
    "Vesper",
    "Cairn",
    "Rook",
    "Nimbus-7",
    "Bitcoin",
    "Ether",
)
_PROTOCOL = (
    "Tessel",
    "Cairn",
    "Ostara",
    "Longship",
    "Fathom",
    "Keystone-6",
    "Meander",
    "Palisade",
    "Undertow",
    "Corvid",
    "Foxglove",
    "Isobar",
    "Trellis",
    "Sundial",
    "Bulwark",
)
_FUND = (
    "Quayside Ventures",
    "Old Mill Partners",
    "Saltmarsh Capital",
    "Ninth Wave",
    "Fenwick Growth",
    "Tern Point",
    "Low Orbit Fund",
    "Kelp Street",
    "Brightwater Partners",
    "Two Rivers Equity",
)
_AGENCY = (
    "the Financial Conduct Board", "the Digital Assets Authority", "the Securities Office", "the Payments Inspectorate", "the Market Integrity Commission",
    "the Treasury Committee", "the Central Supervisory Council", "the Consumer Protection Tribunal",
)  # fmt: skip


def person_name(chance: Random) -> str:
    return f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"


def company_name(chance: Random) -> str:
    return f"{chance.choice(_STEM)}{chance.choice(_TAIL)} {chance.choice(_KIND)}"


def cast_for(chance: Random, cities: tuple[str, ...]) -> dict[str, str]:
    """The people, companies and places of one text."""
    tokens, places, protocols = (
        chance.sample(_TOKEN, 2),
        chance.sample(cities, 2),
        chance.sample(_PROTOCOL, 2),
    )
    return {
        "company": company_name(chance),
        "rival": company_name(chance),
        "partner": company_name(chance),
        "person": person_name(chance),
        "analyst": person_name(chance),
        "critic": person_name(chance),
        "token": tokens[0],
        "other_token": tokens[1],
        "protocol": protocols[0],
        "other_protocol": protocols[1],
        "city": places[0],
        "other_city": places[1],
        "country": chance.choice(_COUNTRY),
        "fund": chance.choice(_FUND),
        "agency": chance.choice(_AGENCY),
    }
