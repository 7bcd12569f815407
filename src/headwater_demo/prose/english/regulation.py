"""Phrases about law and supervision."""

from headwater_demo.prose.text import Phrases

REGULATION = Phrases(
    openings=(
        (
            "{country} [drafts|proposes] custody rules: separate wallets, and proof every {count} days",
            "{agency} [presented|published] draft rules on {weekday} that would [oblige|require] custodians to keep client coins in separate wallets and to prove it every {count} days.",
        ),
        (
            "{company} wins licence in {country} after {count} months of waiting",
            "After {count} months of [waiting|correspondence], {company} has [received|obtained] a licence to serve retail clients in {country}.",
        ),
        (
            "{agency} fines {company} ${few} million over [late reports|weak identity checks|missing records]",
            "{agency} has fined {company} ${few} million because [suspicious transfers were reported late|records of {thousands} accounts were incomplete].",
        ),
        (
            "Court in {city} [sides with|rejects the appeal of] {company} in {token} case",
            "A court in {city} [ruled|decided] on {weekday} that {token} is not a security when it is [sold|traded] between private holders.",
        ),
        (
            "Tax office of {country} [explains|spells out] how {token} staking rewards are counted, {company} relieved",
            "Rewards from staking {token} count as income in {country} on the day they can be sold, the tax office [wrote|explained] in guidance that {company} had asked for.",
        ),
        (
            "{agency} [asks|presses] {company} and others for proof of reserves every {count} days",
            "{agency} [wants|expects] exchanges to show every {count} days that they hold what they owe, starting with {company} and {few} others.",
        ),
        (
            "Lawmakers in {country} argue over who should supervise {token} and {company}",
            "Two committees in {country} both [claim|want] the right to supervise {token}, and {company} [finds itself|is caught] in the middle.",
        ),
    ),
    facts=(
        "The consultation is open until {future}; the rules could apply from the following spring.",
        "Firms with fewer than {hundreds} clients would be exempt from the quarterly report.",
        "The authority received {count} comments on an earlier draft, most of them critical of the cost.",
        "{company} estimates that compliance will cost it {hundreds},000 euros a year.",
        "The decision runs to {count} pages and leaves open how older contracts are treated.",
        "An appeal is possible within {count} days, and both sides said they were studying the text.",
        "{agency} inspected {few} other firms in {city} and found no serious shortcomings there.",
        "The licence covers custody and exchange but not lending, which needs a separate permit.",
        "Supervisors from {few} neighbouring countries were consulted and raised no objection.",
        "The fine is {percent} percent lower than first proposed because the firm co-operated.",
        "Client money has to be held with at least {few} banks, none of which may belong to the same group.",
        "{critic}, a professor of financial law in {other_city}, called the approach careful but slow.",
        "Advertising to retail clients must carry a warning that takes up {count} percent of the space.",
        "The bill passed its first reading on {past} by a margin of {few} votes.",
        "Stable coin issuers would publish the composition of their reserves every {weekday}.",
        "The tax guidance treats rewards as income on the day they can first be sold.",
        "Small holders may deduct up to {hundreds} euros without keeping receipts.",
        "A register of authorised firms goes online on {future} and will be updated daily.",
        "The ministry expects {count} applications in the first year.",
        "{rival}, which had withdrawn its own application in {month_past}, said it would try again.",
    ),
    keywords=("licences", "custody rules", "courts", "tax", "supervision", "fines"),
)
