"""Phrases about networks and their software."""

from headwater_demo.prose.text import Phrases

PROTOCOLS = Phrases(
    openings=(
        (
            "{protocol} validators [approve|back|wave through] [fee change|smaller blocks|faster exits] before {month} fork",
            "Validators of the {protocol} network [approved|accepted] a change to the fee schedule on {weekday}, with {count} percent of the stake taking part in the vote.",
        ),
        (
            "{company} ships a lighter {protocol} client that syncs in {hours} hours",
            "The team behind {protocol} [released|published] a new client on {weekday} that [needs|uses] {percent} percent less memory and can be synchronised in {hours} hours.",
        ),
        (
            "Bug in {protocol} client [stalls|delays] {percent} percent of nodes, fix is out",
            "A faulty cache in the most widely used {protocol} client [kept|left] {hundreds} nodes [stuck|stranded] at block {block} for most of {weekday}.",
        ),
        (
            "{protocol} and {other_protocol} [agree on|test] a message format drawn up by {company}",
            "{company} and the {protocol} developers have [agreed|settled] on a common format for messages between {protocol} and {other_protocol}, [ending|closing] a dispute of {few} years.",
        ),
        (
            "What the {protocol} upgrade [means|changes] at home, explained by {company}",
            "Home operators of {protocol} will need {count} gigabytes less disk and a little more patience after the {month} upgrade, a guide by {company} [explains|shows].",
        ),
        (
            "{protocol} developers [drop|postpone] account recovery that {company} had promised for {month}",
            "Account recovery, the feature that {company} had promised to users of {protocol}, will not be [part of|ready for] the {month} release.",
        ),
        (
            "Storage on {protocol} gets {percent} percent cheaper, at least on paper, says {company}",
            "Keeping data on {protocol} should cost {percent} percent less from {future}, if the calculations of {company} [hold|are right].",
        ),
    ),
    facts=(
        "The change takes effect at block {block}, expected around {future}.",
        "Node operators have {count} days to update; clients that do not will follow the old chain.",
        "A test network has run the new rules since {past} and processed {thousands} transactions without a split.",
        "The proposal lowers the cost of a plain transfer by {percent} percent and raises that of large data entries.",
        "{company} maintains one of the {few} independent implementations and pays {count} full-time engineers.",
        "Blocks will carry up to {count} data entries instead of {few}, which mainly helps rollups.",
        "The specification was cut from {hundreds} to {count} pages after two rounds of review.",
        "Home stakers worried about bandwidth: the new limit asks for {count} megabits per second in both directions.",
        "An audit by {partner} found {few} issues of medium severity, all of them closed before release.",
        "State growth, the chronic problem of the network, slowed to {fraction} gigabytes per week.",
        "Light clients can now verify a header chain of a full year in under {count} seconds on a telephone.",
        "The exit queue shrinks from {count} to {few} days when the network is calm.",
        "{critic}, who maintains a rival client, had asked for a longer test period.",
        "The fork was first pencilled in for {month_past} and has been moved twice.",
        "Proposers that miss their slot lose a little more than before, a measure aimed at careless operators.",
        "Bridges between {protocol} and {other_protocol} will pause for {hours} hours around the fork.",
        "About {percent} percent of the nodes already announce the new version in their handshake.",
        "Wallet makers need no change unless they estimate fees on their own.",
        "The treasury of the network set aside ${few} million for operators in regions with costly electricity.",
        "A bounty of {hundreds},000 dollars for consensus faults stays open until {future}.",
    ),
    keywords=("upgrade", "validators", "clients", "consensus", "rollups", "fees"),
)
