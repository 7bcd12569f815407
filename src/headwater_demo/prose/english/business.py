"""Phrases about companies and their money."""

from headwater_demo.prose.text import Phrases

BUSINESS = Phrases(
    openings=(
        (
            "{company} raises ${millions} million to [take custody to|build settlement for] {city} banks",
            "{company} has [raised|collected] ${millions} million from {fund} and others to [expand|extend] its custody service from {city} to {few} further markets.",
        ),
        (
            "{company} buys {rival} in a deal worth ${millions} million",
            "{company} will [buy|acquire] {rival} for ${millions} million in [cash|cash and shares], the two firms [announced|said] on {weekday}.",
        ),
        (
            "{company} cuts {count} jobs and [leaves|closes its office in] {city}",
            "{company} will [cut|shed] {count} jobs and give up its office in {city}, {person} [told|informed] staff on {weekday}.",
        ),
        (
            "{person} steps down at {company}, {analyst} takes over in {month}",
            "{person}, who founded {company} in a rented garage in {city}, will [step down|leave] at the end of {month}; {analyst} [takes over|follows].",
        ),
        (
            "{fund} backs {company} as payments in {token} reach shops in {country}",
            "Shops in {country} [begin|start] to take {token} at the till, with terminals from {company} and money from {fund}.",
        ),
        (
            "Quarterly figures: {company} lifts revenue to ${millions} million on custody fees",
            "{company} [reported|posted] revenue of ${millions} million for the quarter, {percent} percent more than a year ago, and [credited|thanked] its custody business.",
        ),
        (
            "{company} and {partner} open a mining site next to a {country} dairy",
            "{company} and {partner} have [switched on|opened] a mining site that heats a dairy in {country} and pays {cents} euros for each kilowatt hour.",
        ),
    ),
    facts=(
        "The round values the firm at about ${hundreds} million, people close to it said.",
        "{fund} takes a seat on the board and has agreed not to sell before {month}.",
        "Headcount will grow from {count} to {hundreds} within a year, mostly engineers in {other_city}.",
        "The firm holds assets of ${hundreds} million for {count} institutions.",
        "Fees brought in {percent} percent of revenue, interest the rest.",
        "The purchase still needs the consent of {agency}, expected by {future}.",
        "{rival} will keep its name and its office in {other_city} for at least {few} years.",
        "About {count} people lose their jobs; most worked in marketing and in the token listing team.",
        "A pilot with {few} supermarkets in {country} handled {thousands} payments in its first month.",
        "Cash on hand came to ${millions} million at the end of the quarter, enough for {count} months.",
        "The company stopped offering margin loans in {month_past} and does not plan to return to them.",
        "Heat from the machines will warm {hundreds} cubic metres of water a day for the neighbouring plant.",
        "Electricity is bought at {cents} euros per kilowatt hour under a contract that runs for {few} years.",
        "Shares of the parent rose {fraction} percent in {city} before settling near the previous close.",
        "{person} keeps {percent} percent of the shares and remains an adviser.",
        "Two earlier bidders, among them {partner}, had dropped out in {month_past}.",
        "The software is licensed to {count} banks, none of which wanted to be named.",
        "Clients can now settle in {token} and {other_token} as well as in euros.",
        "Costs rose {percent} percent because the firm moved its vaults to a second site.",
        "A listing on the exchange in {other_city} is possible but not before next year.",
    ),
    keywords=("funding", "acquisition", "results", "jobs", "mining", "payments"),
)
