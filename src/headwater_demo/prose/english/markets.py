"""Phrases about prices and trading."""

from headwater_demo.prose.text import Phrases

MARKETS = Phrases(
    openings=(
        (
            "{token} [slides|drops|falls] {percent} percent as [thin books|forced selling|a broken peg] [unsettles|rattles] {city} desks",
            "[The price of {token}|{token}] [fell|slipped|dropped] by {percent} percent on {weekday} after [a large holder|an unnamed fund|a single account] sold {thousands} coins through {company} within {hours} hours.",
        ),
        (
            "Why {company} thinks the {token} rally [has run its course|is only half done|rests on {count} wallets]",
            "{token} has risen by {percent} percent in a month, but {company} [warns|argues] that {count} wallets in and around {city} hold most of what was bought.",
        ),
        (
            "{token} options: traders at {company} pay up for {month} protection",
            "[Derivatives|Futures] on {token} [pointed to|priced in] a calmer {month}, even though {company} [recorded|counted] {thousands} liquidations in a single session.",
        ),
        (
            "Open interest in {token} [reaches|passes] ${millions} million after {weekday} squeeze",
            "Short sellers of {token} [had to|were forced to] cover on {weekday}, and open interest [climbed|rose] to ${millions} million before it eased.",
        ),
        (
            "{company} [widens|cuts] spreads on {token} pairs as {other_city} volume [dries up|returns]",
            "A [quiet|sleepy|dull] week for {token} ended abruptly when {rival} halted withdrawals for {hours} hours and order books at {company} lost {percent} percent of their depth.",
        ),
        (
            "{fund} moves ${millions} million of {token} to {rival}, and the market notices",
            "{fund} [moved|transferred] {token} worth ${millions} million to {rival} on {weekday}, and within {hours} hours everyone with a screen in {city} had an opinion about it.",
        ),
        (
            "Stable coin premium in {city} hints at [fresh demand|a dollar shortage|nervous importers], says {company}",
            "In {city}, a dollar in coins costs {fraction} percent more than a dollar in a bank, [according to|by the count of] {company}, which tracks {count} dealers in the city.",
        ),
    ),
    facts=(
        "The bid side of the book at {company} was {percent} percent thinner than its thirty-day average.",
        "Funding rates [turned negative|flipped] for the first time since {past}, which made short positions [expensive to hold|less comfortable].",
        "[Roughly|About] {count} percent of the volume came from accounts that had been [dormant|silent] for more than a year.",
        "The spread between {city} and {other_city} prices [widened|grew] to {fraction} percent before arbitrage desks closed it.",
        "Market makers [pulled|withdrew] quotes worth ${millions} million in the first ten minutes and [returned|came back] only slowly.",
        "{rival}, the second venue for the pair, matched {thousands} trades in the same hour without an interruption.",
        "Options that expire on {future} now imply a move of {percent} percent in either direction.",
        "On-chain data collected by {partner} [show|suggest] that {count} wallets received most of the coins.",
        "The selling started shortly after 03:00 in {city}, when liquidity is usually at its lowest.",
        "Lenders [asked|called] for additional collateral of ${millions} million, according to two people who saw the notices.",
        "{other_token} moved in the opposite direction and gained {fraction} percent against the dollar.",
        "A basket of mid-sized tokens kept by {company} lost {fraction} percent, less than half of the main move.",
        "Volume on decentralised venues rose to {percent} percent of the total, an unusual share for a {weekday}.",
        "The largest single print was an order for {hundreds} coins that crossed at a discount of {fraction} percent.",
        "Exchange balances have fallen by {thousands} coins since {past}, so there was little to absorb the orders.",
        "Basis traders unwound positions of ${millions} million as the gap between spot and futures narrowed.",
        "Retail accounts, by contrast, were net buyers for the [third|fourth|fifth|sixth|ninth] session in a row.",
        "The insurance fund of the venue covered losses of {hundreds},000 dollars and was topped up the same evening.",
        "{fund} said it had neither bought nor sold during the move and would keep its allocation unchanged.",
        "By the close in {other_city} the price had recovered {percent} percent of the loss.",
    ),
    keywords=("prices", "derivatives", "liquidity", "options", "volume", "funding"),
)
