"""Reports of one event are recognised however they are worded; reports of the same kind about others are not."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model.document import Document
from headwater.stories.clustering.events import cluster_by_event

MORNING = datetime(2026, 11, 13, 8, tzinfo=UTC)


def report(number: int, title: str, text: str = "", *, hours: float = 0.0, language: str = "en") -> Document:
    return Document(
        id=f"{number:03}", recipe="r", source="s", lead="l", url=f"https://p{number}.example/{number}", title=title,
        text=text, published=MORNING + timedelta(hours=hours), language=language,
    )  # fmt: skip


EVENTS: dict[str, tuple[tuple[str, str], ...]] = {
    "bridge": (
        ("Bulwark bridge loses $116 million to a forged proof",
         ("An attacker took 116 million dollars from the Bulwark bridge on Tuesday night with a forged proof of deposit, "
         "its operator Harrowgate Labs said. Withdrawals are suspended.")),
        ("Hackers make off with $116m in Bulwark heist",
         ("Harrowgate Labs has halted its cross-chain service Bulwark. Thieves had tricked the verification code into "
         "releasing coins that were never paid in, worth about $116m at Wednesday's prices.")),
        ("Harrowgate halts transfers after nine-figure theft",
         ("Customers of Harrowgate Labs cannot move their funds since Wednesday. The company said that somebody had "
         "exploited a weakness in Bulwark, which links two networks, and emptied its reserve.")),
    ),
    "fine": (
        ("Regulator fines Tidalstone $3 million over missing records",
         ("The Market Integrity Commission has fined Tidalstone Analytics three million dollars because it could not "
         "show who had approved 1,400 trades. Tidalstone said that it had since hired Ines Okafor to mend its books.")),
        ("Tidalstone to pay for sloppy bookkeeping, watchdog says",
         ("Poor paperwork has cost Tidalstone Analytics dearly: the Market Integrity Commission announced a penalty on "
         "Thursday. For 1,400 deals nobody could say who had signed. Ines Okafor, who joined in May, will clean up.")),
    ),
    "licence": (
        ("Norway grants custody licence to Falconmark after two years",
         ("Falconmark Technologies may keep digital assets for banks in Norway. The supervisor in Oslo granted the "
         "licence on Friday, 26 months after the company had applied. Chief executive Runa Dahl called it a relief.")),
        ("After a long wait, Runa Dahl gets her permit",
         ("It took 26 months, but since Friday Falconmark Technologies is allowed to hold coins for Norwegian lenders. "
         "The authority in Oslo had asked four times for further papers, Dahl said.")),
    ),
    "outage": (
        ("Exchange Northmark goes dark for three hours during sell-off",
         ("Traders in Lisbon and Porto could not reach Northmark Exchange for three hours on Monday, while Sorrel lost "
         "18 percent. A failed database was to blame, technical director Hugo Pires said.")),
        ("Sorrel slump: customers locked out of Northmark as prices tumble 18%",
         ("As Sorrel fell by 18 percent on Monday, Northmark Exchange showed only an error page. Hugo Pires, who runs "
         "its machines, apologised in Lisbon and promised to refund fees.")),
    ),
}  # fmt: skip
# The same kinds of news about others, on the same day.
OTHERS = (
    ("Palisade bridge loses $62 million to a rounding error",
     ("An attacker took 62 million dollars from the Palisade bridge on Tuesday night by way of a rounding error, its "
     "operator Marblegate Labs said. Withdrawals are suspended.")),
    ("Regulator fines Winterfield $3 million over late reports",
     ("The Market Integrity Commission has fined Winterfield Payments three million dollars because it filed 12 reports "
     "too late. Winterfield said that it had since changed its software.")),
    ("Kenya grants custody licence to Cobaltworks after six years",
     ("Cobaltworks Custody may keep digital assets for banks in Kenya. The supervisor in Nairobi granted the licence on "
     "Friday, 80 months after the company had applied.")),
    ("Harrowgate Labs opens an office in Prague",
     ("Harrowgate Labs will hire 40 people in Prague. The new office will look after customers in Czechia and Poland, "
     "regional manager Jana Novotna said on Thursday.")),
    ("Sorrel developers postpone their upgrade to spring",
     ("The developers of Sorrel need more time for the next version, Mila Brandt wrote to the operators of the network. "
     "Tests on two machines had failed.")),
)  # fmt: skip


def _stories(documents: Sequence[Document]) -> set[frozenset[str]]:
    clusters = cluster_by_event(documents)
    return {frozenset(documents[position].id for position, _ in cluster.members) for cluster in clusters}


def _reports() -> tuple[list[Document], set[frozenset[str]]]:
    documents, expected = [], set()
    for reports in EVENTS.values():
        first = len(documents)
        documents += [report(first + n, *words, hours=3 * n) for n, words in enumerate(reports)]
        expected.add(frozenset(document.id for document in documents[first:]))
    for words in OTHERS:
        documents.append(report(len(documents), *words, hours=1))
        expected.add(frozenset([documents[-1].id]))
    return documents, expected


def test_c19_reworded_reports_of_one_event_are_one_story_and_similar_news_is_another():
    documents, expected = _reports()
    assert _stories(documents) == expected


@given(st.randoms(use_true_random=False))
def test_c19_the_order_of_arrival_does_not_matter(chance):
    documents, expected = _reports()
    chance.shuffle(documents)
    assert _stories(documents) == expected


def test_c19_an_event_is_recognised_in_another_language():
    documents = [
        report(1, *EVENTS["outage"][0]),
        report(2, "Northmark, tres horas a oscuras mientras Sorrel se hunde",
               "Los clientes de Northmark Exchange en Lisboa y Porto no pudieron operar durante tres horas el lunes. "
               "Hugo Pires culpó a una base de datos. Sorrel perdió un 18 por ciento.", language="es"),
    ]  # fmt: skip
    assert _stories(documents) == {frozenset({"001", "002"})}


def test_c19_summaries_are_enough():
    documents = [
        report(1, "Bulwark bridge loses $116 million to a forged proof", "Operator Harrowgate Labs stops withdrawals."),
        report(2, "Harrowgate Labs stops Bulwark withdrawals after theft", "About $116m is missing."),
        report(3, "Palisade bridge loses $62 million", "Operator Marblegate Labs stops withdrawals."),
    ]  # fmt: skip
    assert _stories(documents) == {frozenset({"001", "002"}), frozenset({"003"})}


def test_the_same_form_about_another_day_is_another_event():
    words = "Bitcoin and Ether moved little. Sorrel gained most, Tidalstone Analytics wrote to customers in Lisbon."
    documents = [
        report(1, "Daily price report, 11 November: Bitcoin 4.2 percent higher", words),
        report(2, "Daily price report, 12 November: Bitcoin 0.4 percent lower", words, hours=24),
        report(3, "Daily price report, 12 November: Bitcoin 0.4 percent lower", words, hours=25),
    ]
    assert _stories(documents) == {frozenset({"001"}), frozenset({"002", "003"})}


def test_reports_far_apart_are_two_events():
    documents = [report(1, *EVENTS["bridge"][0]), report(2, *EVENTS["bridge"][1], hours=72)]
    assert len(_stories(documents)) == 2


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("因为大雾港口在星期一关闭了三个小时", "星期一港口因为大雾关闭了三个小时", 1),
        ("因为大雾港口在星期一关闭了三个小时", "中央银行下调了基准利率", 2),
        ("", "", 2),
    ],
)
def test_texts_without_capital_letters_are_compared_by_their_words(first: str, second: str, count: int):
    assert len(_stories([report(1, first, language="zh"), report(2, second, language="zh")])) == count


def test_a_letter_that_is_only_a_mark_is_no_figure():
    marks = "ﾞ 12 ﾟ"
    assert len(_stories([report(1, marks, marks, language="ja"), report(2, "Bridge opens", "")])) == 2


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=200)), max_size=8))
def test_every_document_is_in_exactly_one_cluster(texts: list[tuple[str, str]]):
    documents = [report(number, *words) for number, words in enumerate(texts)]
    positions = [position for cluster in cluster_by_event(documents) for position, _ in cluster.members]
    assert sorted(positions) == list(range(len(documents)))
    assert all(
        0 <= similarity <= 1 for cluster in cluster_by_event(documents) for _, similarity in cluster.members
    )


def test_c19_a_common_figure_speaks_for_one_event_and_other_figures_against_it():
    fire = report(
        1,
        "Telmar recalls 85,000 scooters",
        "In eleven cases the battery of a Telmar S3 caught fire. 85,000 owners get another one.",
    )
    warning = report(
        2,
        "Do not plug it in, maker warns",
        "After eleven fires Telmar takes the battery of the S3 back from all 85,000 customers, and pays for it.",
    )
    seats = report(
        3,
        "Telmar recalls 12,000 child seats",
        "The buckle of a Telmar seat may open. 12,000 owners get another one from the maker.",
    )
    stories = [
        {position for position, _ in cluster.members} for cluster in cluster_by_event([fire, warning, seats])
    ]
    assert stories == [{0, 1}, {2}]


def test_g13_two_headlines_of_unread_pages_are_one_event_only_if_they_are_the_same():
    titles = (
        "Orrin Mining cuts rewards in Almaty",
        "Orrin Mining buys site in Almaty",
        "Orrin Mining buys site in Almaty",
    )
    headlines = [replace(report(number, title), page="missing") for number, title in enumerate(titles)]
    stories = [{position for position, _ in cluster.members} for cluster in cluster_by_event(headlines)]
    assert stories == [{1, 2}, {0}]
