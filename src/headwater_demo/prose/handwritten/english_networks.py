"""Written articles about networks and their safety."""

from headwater_demo.prose.handwritten.short_form import handwritten

NETWORKS = (
    handwritten(
        "protocols",
        "Trellis validators vote to let small stakers leave first",
        "Ilse Brandt",
        "trellis, staking, governance",
        """
        Operators of the Trellis network have voted to change the order in which stakers may withdraw, putting accounts with less than four coins at the head of the queue.
        Under the old rule everybody waited in one line. In calm weeks that took a day or two, but in March the line grew to nineteen days after a large pool decided to move its stake elsewhere. People who had put aside a few hundred dollars found themselves standing behind a single request worth eighty million.
        The new rule splits the line in two. A third of every day's exits is reserved for small accounts, and what they do not use goes back to the others. Simulations published with the proposal suggest that small stakers will almost never wait longer than two days, while the largest will wait about a fifth longer than now.
        "We did not want to punish size, we wanted to stop size from being contagious," said Marek Solberg, who wrote the proposal together with two operators from Tallinn.
        Not everybody is convinced. The pool Saltmarsh Staking pointed out that an account can be split into many small ones at little cost. The authors answer that splitting has to be done before staking, costs a deposit each time, and would be visible to everyone.
        The change passed with 71 percent of the stake in favour and will be part of the February release. A rehearsal on the test network starts next week.
        """,
    ),
    handwritten(
        "protocols",
        "A compiler from a kitchen table becomes the default for Fathom contracts",
        "Jonas Ashworth",
        "fathom, compilers, open source",
        """
        For three years Wanjiru Iyer maintained a compiler for Fathom contracts in the evenings, after her children had gone to bed. From this week it is the one that the network recommends.
        The Fathom Council announced on Tuesday that new contracts should be built with her tool, called Sorrel, because it is the only one whose output can be checked against a formal description of the language. The older compiler stays available but will receive only repairs.
        Iyer began the project out of annoyance. A contract she had written for a school lottery in Nairobi behaved differently on two machines, and it took her a week to learn that the compiler had reordered two additions. "I did not set out to write a compiler," she says. "I set out to find out who had moved my parentheses."
        Sorrel is slow. A contract that the old tool translates in two seconds takes nearly a minute, most of it spent on proving that nothing was lost in translation. Developers grumble about it, and then, says Iyer, they send her the bugs that the proof has found in their own code.
        The council has offered to pay for two full-time maintainers. Iyer has asked for three months to think about it, and for a second kitchen table.
        """,
    ),
    handwritten(
        "security",
        "The bridge that forgot to count: how Undertow lost eleven million",
        "Adaeze Thorne",
        "undertow, bridge, exploit",
        """
        The bridge between Undertow and Cairn was emptied of eleven million dollars on Saturday night because a counter that should have gone up stayed where it was.
        Every transfer across the bridge carries a number, and each number may be used once. That rule lived in a small function which was rewritten in September to save fees. The new version read the counter, compared it and returned; the line that stored the increased value had been moved into a branch that was never reached for transfers of less than ten coins.
        The attacker found this by accident or by patience. The first transfers repeated the same number four times with tiny amounts. Twelve minutes later the same message was sent 1,140 times.
        Undertow's guardians stopped the bridge after thirty-one minutes. Two of the five people who can do so were asleep and one was on a ferry without reception, according to a log the team published on Sunday. They have since added four guardians in other time zones.
        About three million dollars were recovered from an exchange account in Vilnius that had been opened the same week. The rest sits untouched at two addresses, and the team has offered the holder a tenth of it for the return of the remainder.
        "The review looked at what the function did with large transfers, because that is where the money is," said Petra Halloran, who leads the project. "It turns out the money was in the small ones."
        """,
    ),
    handwritten(
        "security",
        "Hardware wallet maker recalls nine thousand devices over a shy random number",
        "Colm Whitcombe",
        "hardware wallets, recall, randomness",
        """
        Granitevault Technologies is calling back 9,200 wallets of its second series because some of them chose their secret keys from a smaller set of numbers than they should have.
        The fault affects devices that were set up within the first forty seconds after being switched on for the first time. In that period the sensor that collects noise for the keys has not warmed up, and the firmware, instead of waiting, filled the missing bits with the serial number of the chip.
        Keys made in this way are not trivial to guess, but an attacker who knows the serial number would need hours rather than the age of the universe. Granitevault says it knows of no theft. It found the problem when a customer in Oslo, a retired meteorologist, plotted the first bytes of the keys of twelve devices she had bought for her family and saw a line where there should have been a cloud.
        Owners can check their device on the screen under Settings, About, where affected ones show a series number that begins with 2B. They are asked to move their funds to a new key first and to send the device back second. Replacements are free and ship from Rotterdam.
        The firm has paid the meteorologist a reward of 150,000 euros. She has said that she will spend part of it on a better plotter.
        """,
    ),
    handwritten(
        "protocols",
        "Longship drops its clock and learns to live without it",
        "Sunniva Lindqvist",
        "longship, consensus, research",
        """
        The Longship network has run for a week without the shared clock that every one of its nodes had relied on since the beginning, and hardly anybody noticed.
        Until the update, nodes agreed on the time to within half a second and rejected blocks that seemed to come from the future. That worked well enough in data centres. It worked badly on ships, where the network has many users and where clocks drift, and it failed altogether in August when a faulty time server in Osaka told two hundred nodes that it was Thursday.
        The new scheme orders blocks by what their makers had seen rather than by when they saw it. Each block lists its predecessors, and a node accepts it once it knows all of them. Time is still written down, but nothing depends on it.
        The price is a slightly longer wait. A payment now counts as settled after eleven seconds instead of eight. The developers consider that a fair exchange for never again having to explain to a fishing company why its coins were in the wrong week.
        "Clocks are a rumour that computers tell each other," said Leif Haugen, who worked on the change for two years. "We have stopped listening to rumours."
        Research groups in Zug and Seoul are examining the proof behind the scheme, and a bounty for anyone who can make two honest nodes disagree remains unclaimed.
        """,
    ),
)
