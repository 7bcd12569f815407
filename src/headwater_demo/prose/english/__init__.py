"""English."""

from headwater_demo.prose.english.business import BUSINESS
from headwater_demo.prose.english.markets import MARKETS
from headwater_demo.prose.english.protocols import PROTOCOLS
from headwater_demo.prose.english.regulation import REGULATION
from headwater_demo.prose.english.security import SECURITY
from headwater_demo.prose.text import ProseLanguage

_CITIES = (
    "Lisbon", "Singapore", "Toronto", "Zug", "Nairobi", "Tallinn", "São Paulo", "Rotterdam", "Osaka", "Dublin", "Austin", "Warsaw", "Dubai", "Seoul",
    "Valletta", "Vilnius", "Melbourne", "Montevideo", "Oslo", "Lagos", "Prague", "Copenhagen",
)  # fmt: skip

ENGLISH = ProseLanguage(
    topics={
        "markets": MARKETS,
        "protocols": PROTOCOLS,
        "regulation": REGULATION,
        "security": SECURITY,
        "business": BUSINESS,
    },
    quotes=(
        '"[Nobody|No one] here was surprised by the direction, only by the speed," said {analyst}, who follows {token} at {partner}.',
        '"We would rather be {few} weeks late than wrong once," {person} told {count} listeners at a meeting in {city}.',
        '"If you need more than one slide to explain it, [do not buy it|wait a month]," said {critic}.',
        '"Our clients asked for this since {month_past}, and now they have to read the small print," {person} said by telephone.',
        '"It is a plumbing story, and plumbing is where the money leaks," {analyst} wrote in a note to clients.',
        '"We have {count} people who do nothing but check these numbers," said {person}. "They slept badly this week."',
        '"The interesting part is what did not break," said {analyst} of {partner}.',
        '"I have seen this film before and I know how the second act ends," {critic} said in {other_city}.',
        '"There is no villain here, just {few} small decisions in a row," {person} said.',
        '"{token} is the symptom, not the illness," said {critic}, who advised {rival} until {month_past}.',
        '"Give it until {future} and nobody will remember why we argued," {analyst} predicted.',
        '"The honest answer is that we do not know yet, and I will not guess in front of a microphone," {person} said.',
    ),
    background=(
        "{company} was founded in {city} and employs {hundreds} people.",
        "A similar [episode|case] in {month_past} ended within {count} days and is hardly mentioned any more.",
        "{partner}, which supplies data to {count} newsrooms, confirmed the figures independently.",
        "{country} accounts for {percent} percent of the firm's activity, more than any other market.",
        "The news comes {few} weeks after {rival} changed its own rules.",
        "Neither {rival} nor {partner} wanted to comment on {weekday}.",
        "{token} has gained {percent} percent since the start of the year, {other_token} {fraction} percent.",
        "Interest rates, usually the first explanation, played no part this time.",
        "A survey of {hundreds} professional investors by {partner} found that {percent} percent had changed nothing.",
        "In {other_city}, where the sector employs {thousands} people, the reaction was calmer.",
        "Local newspapers in {city} had hinted at the matter on {past}.",
        "The {protocol} network, on which much of this rests, worked normally throughout.",
        "It is the [second|third|fourth|fifth|sixth] such announcement this quarter.",
        "Documents seen by this newsroom put the total closer to ${millions} million.",
    ),
    endings=(
        "The next [decision|milestone] is due on {future}. Until then, {company} [says it will|intends to] publish a short update every {weekday}.",
        "{agency} declined to comment. {company} plans to answer further questions in {city} on {future}.",
        "Whether the calm lasts will be clearer after {future}, when {rival} reports its own figures.",
        "For now the people at {company} are going home early, which has not happened since {month_past}.",
        "A full report is promised for {month}; this article will be updated if it changes the picture.",
    ),
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    date="{day} {month}",
    decimal=".",
    cities=_CITIES,
)
