"""Phrases about attacks, losses and repairs."""

from headwater_demo.prose.text import Phrases

SECURITY = Phrases(
    openings=(
        (
            "{protocol} bridge loses ${millions} million to [a forged proof|a stale key|a rounding error]",
            "[An attacker|Somebody] took ${millions} million from the {protocol} bridge on {weekday} by [presenting a forged withdrawal proof|replaying an old signature|using a key that should have been retired].",
        ),
        (
            "{company} [freezes|pauses] withdrawals after [odd|unusual] transfers of {token}",
            "{company} [paused|suspended] withdrawals for {hours} hours on {weekday} after its monitoring [flagged|noticed] transfers of {thousands} {token} to new addresses.",
        ),
        (
            "Attacker returns {percent} percent of the coins taken from {protocol}",
            "The person who drained {protocol} in {month_past} has [sent back|returned] {percent} percent of the coins and [asked|bargained] to keep the rest as a reward.",
        ),
        (
            "Phishing wave copies {company} login page in {few} languages",
            "Criminals have copied the login page of {company} in {few} languages and [sent|mailed] links to {thousands} customers since {past}.",
        ),
        (
            "How an intern at {company} noticed the {token} drain before the alarms did",
            "An intern at {company} [noticed|saw] on {weekday} that a balance of {token} was shrinking by the same amount every {few} minutes, {hours} hours before any alarm.",
        ),
        (
            "Audit of {protocol} [missed|overlooked] the line that cost ${millions} million",
            "The line that cost {protocol} ${millions} million had been read by {few} auditors and [understood|questioned] by none of them, a report commissioned by {company} finds.",
        ),
        (
            "{company} pays {hundreds},000-dollar bounty for flaw in {protocol} wallet",
            "A flaw in the {protocol} wallet that [exposed|revealed] recovery phrases to other applications has been [closed|repaired], {company} said on {weekday}.",
        ),
    ),
    facts=(
        "The first transfer left the contract at block {block}; the last followed {count} minutes later.",
        "Developers stopped the contract by a vote of [five|six|seven] of nine key holders.",
        "{partner} traced {percent} percent of the funds to {few} addresses that have not moved since.",
        "The flaw had been in the code since {past} and survived two reviews.",
        "Users who had approved the contract were told to revoke the permission at once.",
        "{company} said it would make affected clients whole from its own reserves.",
        "The police in {city} opened a file and asked other exchanges to watch for the coins.",
        "An attempt to sell part of the loot on {rival} failed because the deposit was frozen.",
        "About {thousands} accounts were affected, with a median loss of {hundreds} dollars.",
        "The signing key was stored on a machine that also ran the build server, the report concedes.",
        "No customer passwords were taken, and hardware wallets were never at risk.",
        "The forged message passed because the verifier compared only the first {count} bytes.",
        "Insurance covers ${few} million; the rest will come out of the foundation's treasury.",
        "A patch was ready within {hours} hours, but deploying it took a further {few} days.",
        "Researchers at {rival} reported the same pattern privately in {month_past} and got no answer.",
        "The phishing pages were hosted on {count} domains registered on the same afternoon.",
        "Withdrawals resumed in stages, starting with accounts below {hundreds} dollars.",
        "The attacker paid fees from an account funded through a mixing service on {past}.",
        "{critic}, who led the earlier audit, said the function had been added after the review.",
        "From {future} every upgrade will wait {count} hours before it takes effect.",
    ),
    keywords=("exploit", "bridge", "audit", "phishing", "wallets", "bounty"),
)
