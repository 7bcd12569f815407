"""Phrases about companies and their money."""

from headwater_demo.prose.text import Phrases

BUSINESS = Phrases(
    headlines=(
        "{company} raises ${millions} million to [take custody to|build settlement for] {city} banks",
        "{company} buys {rival} in a deal worth ${millions} million",
        "{company} cuts {count} jobs and [leaves|closes its office in] {city}",
        "{person} steps down at {company}, {analyst} takes over",
        "{fund} backs {company} as payments in {token} reach shops in {country}",
        "Quarterly figures: {company} [earns|loses] ${few} million on custody fees",
        "{company} and {partner} open a mining site next to a {country} dairy",
    ),
    leads=(
        "{company} has [raised|collected] ${millions} million from {fund} and others to [expand|extend] its custody service from {city} to {few} further markets.",
        "{company} will [buy|acquire] {rival} for ${millions} million in [cash|cash and shares], the two firms [announced|said] on {weekday}.",
        "{person}, who founded {company} in a rented garage in {city}, will [step down|leave] at the end of {month}; {analyst} [takes over|follows].",
        "{company} [reported|posted] revenue of ${millions} million for the quarter, {percent} percent more than a year ago, and [credited|thanked] its custody business.",
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
