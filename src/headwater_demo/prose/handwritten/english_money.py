"""Written articles about markets, companies and the law."""

from headwater_demo.prose.handwritten.short_form import handwritten

MONEY = (
    handwritten(
        "markets",
        "The quiet hour: why coins move most when nobody is watching",
        "Priya Marchetti",
        "liquidity, volatility, market structure",
        """
        Between three and four in the morning, London time, the market for digital assets belongs to nobody, and that is when it tends to move.
        A study by Lanternmark Analytics, based on two years of trades from six venues, finds that this single hour accounts for fourteen percent of all large price swings, although it brings less than two percent of the volume. American desks have gone home, Asian ones are at lunch and European ones are asleep.
        The authors looked for news that might explain the swings and found none in four cases out of five. What they found instead were empty order books. During the quiet hour it takes an order of about two million dollars to move the price of Bitcoin by one percent; at four in the afternoon it takes eleven million.
        Some traders have made a profession of it. "You do not need to know anything, you only need to be awake," says Anton Dewitt, who trades from a farmhouse near Montevideo, where the hour falls at a civilised time.
        Exchanges would like to see it disappear. Two of them, Amberpoint Exchange and Tidalcrest Markets, now pay market makers extra for quotes in the small hours. Since they began in June the gap has shrunk by a third.
        The study closes with a piece of advice that its authors admit is not scientific: put a limit on your order, and go to bed.
        """,
    ),
    handwritten(
        "markets",
        "Coffee exporters in Nairobi discover the dollar that is not a dollar",
        "Yara Benavides",
        "stable coins, trade, payments",
        """
        When the bank told Amara Okonjo in May that her transfer to a shipping company in Rotterdam would take nine days, she asked her nephew about the coins on his telephone.
        Six months later about a third of the coffee exporters in her street pay their freight in stable coins, according to a count by the local chamber of trade. The coins are meant to be worth one dollar each, and on most days in Nairobi they cost a little more: between one and three cents, the price of not waiting.
        That premium has become a signal. Cobaltbridge Markets, which publishes it every morning, says it rises about a week before dollars become scarce at the banks. In September it reached seven cents, and the central bank raised its weekly auction a few days later.
        The exporters care less about signals than about containers. Okonjo pays on Monday, the shipping company sees the money the same afternoon, and the container leaves on Wednesday. Before, she had to borrow against the cargo for two weeks, at a rate she describes as a kind of weather.
        There are risks, and she has met one of them. In July a dealer sold her coins of a different name which turned out to be worth ninety-one cents. She now checks the address of the contract, letter by letter, with a magnifying glass that used to belong to a jeweller.
        """,
    ),
    handwritten(
        "regulation",
        "Portugal tells custodians to prove every night that the coins are there",
        "Beatriz Quiroga",
        "portugal, custody, proof of reserves",
        """
        Custodians of digital assets in Portugal will have to prove every night that they hold what their clients own, under rules presented in Lisbon on Wednesday.
        At midnight each firm is to publish a cryptographic summary of all client balances together with signatures from the wallets that cover them. Clients can check that their own balance is part of the sum without learning anything about others. A firm that misses three nights in a row has to stop taking deposits until an inspector has visited.
        The Financial Conduct Board says it copied the idea from bakeries, which must be able to show at any time what is in the flour store. Its chair, Joana Duarte, added that the comparison should not be carried too far.
        The industry had asked for a monthly proof. It argued that signing with wallets kept offline means carrying keys out of vaults, which is itself a risk. The final text allows firms to sign in advance for thirty nights, provided that the coins do not move.
        Small custodians worry about the cost. Quarryfield Custody in Porto, with eleven employees, expects to spend 90,000 euros on the change and 20,000 a year afterwards. The board will lend its own software to firms with fewer than a thousand clients.
        The rules take effect on the first of April. The date, officials said, had been chosen with care and was not open to discussion.
        """,
    ),
    handwritten(
        "regulation",
        "Court in Dublin: a lost password is not a lost debt",
        "Rafael Strand",
        "courts, estates, ireland",
        """
        Heirs who cannot open a wallet still have to list it, a court in Dublin has decided in a case that lawyers across Europe had been waiting for.
        The case concerned a carpenter who died in 2023 and left behind a notebook, a workshop and an address that held forty-one coins. His daughters found no key. They told the tax office about the workshop and the notebook. The tax office, which reads the same public ledger as everyone else, asked about the coins.
        The daughters argued that something nobody can spend has no value. The tax office argued that gold at the bottom of the sea still belongs to somebody. The judge agreed with neither. What is owned must be declared, she wrote, but its value is what a careful buyer would pay for the chance of recovering it; in this case she put that chance at four percent.
        The ruling names three signs by which the chance can be estimated: whether the owner ever wrote down a recovery phrase, whether the device still exists, and whether the coins were moved in the last five years.
        Brambleworks Trust, a firm that tries to recover lost keys, said it had received two hundred enquiries within a day. It warned that it succeeds in about one case out of nine, and that it cannot do anything with a notebook.
        The daughters may appeal until the end of January. They are, their lawyer said, still looking through the workshop.
        """,
    ),
    handwritten(
        "business",
        "Harrowgate Payments buys its smallest rival to get its largest customer",
        "Dario Rowntree",
        "acquisition, payments, harrowgate",
        """
        Harrowgate Payments will pay 64 million dollars for Kelpline, a company with nine employees, one product and one very large customer.
        The customer is Northsea Ferries, which sells eleven million tickets a year and since spring has let passengers pay for them in coins. Kelpline wrote the software in four months after two bigger firms, Harrowgate among them, had said that it would take a year.
        What Kelpline had understood, says its founder Bram Falk, is that ferries are offline for most of the day. Its terminals collect signed payments on board and settle them when the ship comes within reach of land. If a payment turns out to be bad, which happens about once in nine thousand tickets, the ferry line has agreed to bear the loss.
        Harrowgate intends to offer the same to airlines and mountain railways. It will keep the nine employees, move none of them and leave the name on the door in Bergen until at least 2028. Falk becomes head of products; he told colleagues that he had asked for a smaller title and a larger window.
        The price is about twenty times Kelpline's yearly revenue. Harrowgate's finance chief, Hanne Castellan, called it expensive and correct. Shares of the parent company fell by 1.4 percent and recovered before lunch.
        The deal needs the consent of supervisors in Norway and the Netherlands, which both firms expect in the first quarter.
        """,
    ),
)
