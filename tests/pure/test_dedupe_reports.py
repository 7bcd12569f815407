"""Reports that recur: the same form again and again with other figures, names or dates must not block one another."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.dedupe_stream import dedupe_stream

from headwater.documents.dedupe.articles import Article

TOWNS = ["Arden", "Belmont", "Corvale", "Dunmore", "Eastwick", "Farrow", "Glenhaven", "Harrowgate"]
FIRMS = [
    "Brindle Foods",
    "Calder Steel",
    "Dovetail Energy",
    "Elmstead Bank",
    "Fennimore Air",
    "Garnet Mining",
]
PEOPLE = ["Anna Reed", "Boris Lund", "Carla Voss", "Dmitri Hale", "Esther Quill", "Farid Noor"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August"]
FORMS = {
    "jobless claims": (168, "First claims for unemployment benefit {move} by {k},000 to {h},000 in the week ended {date}, the labour office said. The four-week average stood at {h},000 against {h},000 a week before.\n\nThe number already drawing benefit was {h}{k},000 in the week ended {date}. Figures are adjusted for the season."),
    "money market": (24, "The central bank said it gave the money market {h} mln crowns of help in the morning session. It bought {k} mln crowns of band one bills at {d}-{d}/8 pct and {h} mln of band two. This compares with its estimate of a shortage of around {h} mln crowns."),
    "no operation": (24, "The central bank said it did not operate in the money market during the morning session. Earlier it had said it saw a flat position in the system today."),
    "crop estimate": (700, "The ministry put the wheat crop at {d}.{d} mln tonnes, compared with its {month} estimate of {k}.{d} mln and {k}.{d} mln a year earlier. Barley was seen at {d}.{d} mln tonnes and maize at {d}.{d} mln. Exports were put at {d}.{d} mln tonnes and stocks at {d}.{d} mln."),
    "bill auction": (168, "The treasury said its weekly auction of three-month bills gave an average rate of {d}.{k} pct, with {d}.{k} pct on six-month bills. These compare with {d}.{k} pct and {d}.{k} pct last week. Bids ranged from {d}.{k} to {d}.{k} pct."),
    "dividend": (5, "Qtly div {k} cts vs {k} cts prior. Pay {date}. Record {date}."),
    "quarter": (4, "Shr {k} cts vs {k} cts\nNet {h},000 vs {h},000\nRevs {k}.{d} mln vs {k}.{d} mln\nSix mths\nShr {d}.{k} dlrs vs {d}.{k} dlrs\nNet {k}.{d} mln vs {k}.{d} mln"),
    "stake": (11, "A group led by investor {person} said it raised its stake in {firm} to {h},000 shares, or {d}.{d} pct, from {h},000 shares, or {d}.{d} pct. In a filing the group said it bought the shares between {date} and {date} at {k} dollars each for investment. It said it might buy more or sell some or all of its holding."),
    "bond tranche": (1, "{firm} is issuing a {h} mln dollar bond due {date} paying {d}-{d}/8 pct and priced at {k}-{d}/8 pct, lead manager {firm} said. The bond comes in pieces of {d},000 dollars and will be listed in {town}. The selling concession is {d}/8 pct, and management and underwriting take {d}/8 pct together. Payment is due on {date}."),
    "council": (160, "The {town} council meets on {date} at {d} in the evening in the town hall. The public may attend. The papers can be read at the library and on the council's site. Those who wish to speak must register with the clerk, {person}, before noon. A recording will be kept for one year."),
    "recall": (40, "{firm} is recalling about {k},000 heaters because of a risk of fire. Owners should stop using them at once and ask the company for a refund. They were sold from {month} to {month} for {k} dollars. The company has had {k} reports of incidents. No one was hurt, it said, and the watchdog praised its quick step."),
    "quake": (17, "An earthquake of magnitude {d}.{d} shook the {town} area on {date}, the institute said. The centre was {k} kilometres from {town} at a depth of {k} kilometres. There were no reports of damage. Smaller shocks could be felt over the next days, it said, and asked people to stay calm."),
}  # fmt: skip


def fill(form, chance):
    while "{" in form:
        slot = form[form.index("{") + 1 : form.index("}")]
        value = {
            "d": lambda: chance.randint(1, 9),
            "k": lambda: chance.randint(11, 99),
            "h": lambda: chance.randint(101, 989),
            "move": lambda: chance.choice(["rose", "fell"]),
            "month": lambda: chance.choice(MONTHS),
            "date": lambda: f"{chance.choice(MONTHS)} {chance.randint(1, 28)}",
            "firm": lambda: chance.choice(FIRMS),
            "person": lambda: chance.choice(PEOPLE),
            "town": lambda: chance.choice(TOWNS),
        }[slot]()
        form = form.replace(f"{{{slot}}}", str(value), 1)
    return form


def series(name, publishers, chance, count=60):
    gap, form = FORMS[name]
    moment = datetime(2026, 1, 5, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(hours=gap * chance.uniform(0.8, 1.2))
        title = f"{chance.choice(FIRMS)} {name}" if name in {"dividend", "quarter"} else f"Report: {name}"
        yield Article(
            id=f"{name}-{number}",
            title=title,
            body=fill(form, chance),
            publisher=chance.choice(publishers),
            url=f"https://wire.example/{name.replace(' ', '-')}/{number}",
            published_at=moment,
        )


@pytest.mark.parametrize("publishers", [["Wire"], ["Wire", "Post", "Star", "Globe"]], ids=["one", "four"])
@pytest.mark.parametrize("name", FORMS)
def test_c23_recurring_reports_do_not_block_one_another(name, publishers):
    decisions = list(dedupe_stream(series(name, publishers, random.Random(f"{name}{publishers}"))))
    assert [decision for decision in decisions if decision.duplicate_of] == []


@pytest.mark.parametrize("name", sorted(set(FORMS) - {"dividend"}))
def test_c20_a_copy_is_found_among_similar_reports(name):
    chance = random.Random(f"copies {name}")
    reports = list(series(name, ["Wire"], chance, count=40))
    original = reports[25]
    copy = Article(
        id="copy",
        title=f"Update: {original.title}",
        body=f"ARDEN, May 3 (Wire) - {original.body}\n\nCopyright 2026 Post. All rights reserved.",
        publisher="Post",
        published_at=original.published_at + timedelta(minutes=20),
    )
    decisions = {decision.id: decision for decision in dedupe_stream([*reports[:26], copy, *reports[26:]])}
    assert decisions["copy"].duplicate_of == original.id
