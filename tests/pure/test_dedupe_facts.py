"""Where the wording does not decide: figures, names, leads and headlines tell copies from updates and from other reports."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.dedupe_stream import dedupe_stream

from headwater.documents.dedupe.articles import Article
from headwater.documents.dedupe.comparison import compare
from headwater.documents.dedupe.figures import is_distinctive, same_quantity, shared_figures

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TABLE = (
    "Shr 71 cts vs 43 cts\nNet 7,274,000 vs 4,447,000\nRevs 161.6 mln vs 77.6 mln\n"
    "Year\nShr 1.51 dlrs vs 1.32 dlrs\nNet 15,401,000 vs 13,525,000\nRevs 454.0 mln vs 304.9 mln"
)
STRIKE = (
    "Members of the Dockers and Carriers union, branch 22, voted on Sunday to strike at the Brindle Foods plant in Dunmore "
    "from Tuesday.\n\nThe company had sent the union its latest offer while saying that it would end the lockout that began "
    "on December 14.\n\nMembers rejected the offer unanimously. Most of the 2,500 people at the meeting then voted for the "
    "strike, union spokesman Hugo Marsh said.\n\nMarsh said a cut in wages was not acceptable and that Brindle Foods refused to "
    "bargain in good faith. The offer included cuts of 60 cents an hour in the kitchens and 45 cents in the packing halls of "
    "Dunmore. Overtime after eight hours would also have ended.\n\nThe last strike at Dunmore was in 1982, when Brindle Foods "
    "and the union agreed on a freeze of wages that has lasted since then. Marsh said members had waited long enough."
)
FUND = (
    "Garnet Mining said it agreed to sell its tool division to Quarles and Lund, a private firm in Arden, and to the division's "
    "managers for about 240 mln crowns.\n\nThe division is based in Farrow, has sales of about 310 mln crowns and employs 3,000 "
    "people. It makes pumps and valves for the oil industry."
)


def article(key, title, body, hours=0.0, **fields):
    return Article(
        id=key,
        title=title,
        body=body,
        publisher="Wire",
        published_at=NOON + timedelta(hours=hours),
        **fields,
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2303000", "2.3"),
        ("12231000", "12.2"),
        ("10.0", "10005000"),
        ("1300000", "1.3"),
        ("1.0", "1"),
        ("9.93", "9.9"),
    ],
)
def test_rounded_figures_state_the_same_quantity(first, second):
    assert same_quantity(first, second)
    assert same_quantity(second, first)


@pytest.mark.parametrize(
    ("first", "second"), [("33.0", "32.9"), ("50", "250"), ("100", "1000"), ("500", "5"), ("0.05", "50")]
)
def test_other_figures_do_not(first, second):
    assert not same_quantity(first, second)
    assert not same_quantity(second, first)


@given(st.lists(st.decimals(0, 10**9, places=2).map(str), max_size=20))
def test_every_figure_is_shared_with_itself(values):
    assert shared_figures(values, values) == set(values)


def test_a_year_and_a_small_number_are_not_distinctive():
    assert [is_distinctive(value) for value in ("1986", "2024", "50", "100", "7274000", "1.51")] == [
        False, False, False, False, True, True,
    ]  # fmt: skip


def test_c20_a_table_with_other_names_of_rows_and_rounded_figures_is_a_copy():
    first = article("a", "GARNET MINING <GRM> 4TH QTR NET", TABLE)
    renamed = TABLE.replace("Revs", "Sales").replace("Year", "12 mths").replace("15,401,000", "15.4 mln")
    note = "\nNote: net includes a gain of 3.8 mln dlrs, or 37 cts a share, from the sale of a quarry."
    verdict = compare(first, article("b", "GARNET MINING <GRM> 4TH QTR NET", renamed + note, 1.5))
    assert (verdict.relation, verdict.rule) == ("duplicate", "same-figures")


def test_c23_the_table_of_another_company_or_quarter_is_new():
    first = article("a", "GARNET MINING <GRM> 4TH QTR NET", TABLE)
    other_company = TABLE.replace("7,274,000", "9,101,000").replace("161.6", "88.3").replace("454.0", "390.2")
    other_company = other_company.replace("15,401,000", "21,700,000").replace("71 cts", "88 cts")
    assert (
        compare(first, article("b", "LARKSPUR MOTORS <LKM> 4TH QTR NET", other_company, 1)).relation
        != "duplicate"
    )


def test_c20_the_beginning_of_a_long_text_is_a_cut():
    first = article("a", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE + "\n\n" + STRIKE[600:])
    verdict = compare(
        first,
        article("b", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE[: STRIKE.index("Members rej")], 0.7),
    )
    assert verdict.evidence["earlier_coverage"] < 0.35
    assert (verdict.relation, verdict.rule) == ("duplicate", "known-facts")


def test_c23_an_item_of_a_digest_is_not_a_cut_of_it():
    items = [
        f"Item {n}: the council of town number {n} met for an hour and spoke about roads, schools and water."
        for n in range(40)
    ]
    digest = article("a", "Morning digest", "\n\n".join([STRIKE, *items]))
    item = article("b", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE, 1)
    assert compare(digest, item).relation != "duplicate"


def test_c20_the_same_facts_in_other_words_are_a_copy():
    reworded = (
        "Garnet Mining said Quarles and Lund of Arden and managers of the division agreed on about 240 mln crowns for its tool division "
        "in Farrow. It sells pumps and valves to the oil industry, with 3,000 people and sales of 310 mln crowns."
    )
    first = article("a", "GARNET <GRM> TO SELL TOOL DIVISION", FUND)
    verdict = compare(first, article("b", "GARNET <GRM> SELLS DIVISION", reworded, 3))
    assert (verdict.relation, verdict.rule) == ("duplicate", "known-facts")


def test_c23_a_new_figure_in_the_headline_is_news():
    first = article("a", "GARNET <GRM> TO SELL TOOL DIVISION", FUND)
    raised = FUND.replace("agreed to sell", "raised the price at which it will sell").replace(
        "for about 240", "to 275"
    )
    verdict = compare(first, article("b", "GARNET <GRM> GETS 275 MLN FOR TOOL DIVISION", raised, 20))
    assert verdict.relation == "related"


def test_c23_three_sentences_on_the_matter_after_the_whole_text_are_news():
    first = article("a", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE)
    news = (
        " A judge forbade Brindle Foods to hire other people for the kitchens while the strike lasts. The governor offered the union "
        "and the company rooms for talks in the capital on Friday. Shops in Dunmore said they had food of Brindle for two weeks."
    )
    verdict = compare(first, article("b", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE + news, 3))
    assert (verdict.relation, verdict.rule) == ("related", "news-added")


def test_c23_one_sentence_on_the_matter_with_new_names_is_news_in_a_short_text():
    title = "GARNET <GRM> TO SELL TOOL DIVISION"
    named = (
        " Trading in Garnet shares was suspended on the Halden exchange after the announcement, Nora Vik of the Market Council said. "
        "It would resume on Thursday."
    )
    unnamed = " Trading in Garnet shares was suspended after the news, which is usual, it said. It would resume in two days or three at most."
    verdicts = [
        compare(article("a", title, FUND), article("b", title, FUND + added, 3)) for added in (named, unnamed)
    ]
    assert [(one.relation, one.rule) for one in verdicts] == [
        ("related", "news-added"),
        ("duplicate", "sentence-added"),
    ]


def test_c23_the_same_deal_of_another_company_is_not_a_copy():
    form = (
        "{} said it raised the price that it will pay for crude oil by 50 cents a barrel from today. The increase brings {}'s price "
        "for the northern and the western grades to 17.50 crowns, and for the light grade to 17.85 crowns. It last changed its prices "
        "on March 4, when it cut them by 25 cents."
    )
    first = article("a", "CALDER <CLD> RAISES CRUDE PRICES", form.format("Calder", "Calder"))
    verdict = compare(
        first, article("b", "DOVETAIL <DVT> UNIT RAISES CRUDE PRICES", form.format("Dovetail", "Dovetail"), 2)
    )
    assert verdict.relation != "duplicate"


def test_c20_a_correction_that_exchanges_two_names_is_a_copy():
    text = (
        "Calder Steel said it will buy five mln shares, or 16 pct, of Garnet Mining for 3.28 crowns a share.\n\nFennimore Air, an "
        "affiliate of {}, will buy four mln shares, or a 12 pct stake, of {} for 20 mln crowns, Calder Steel said."
    )
    first = article("a", "CALDER <CLD> TO BUY GARNET SHARES", text.format("Calder", "Garnet"))
    corrected = article(
        "b", "CORRECTED - CALDER <CLD> TO BUY GARNET SHARES", text.format("Garnet", "Calder"), 1
    )
    assert compare(first, corrected).relation == "duplicate"


def test_r57_evidence_shows_both_passages():
    first = article("a", "UNION VOTES TO STRIKE AT DUNMORE PLANT", STRIKE)
    verdict = compare(first, replace(first, id="b", body=STRIKE.replace("2,500", "2,800")))
    earlier, later = verdict.evidence["passages"]
    assert "Most of the 2500 people at the meeting" in earlier
    assert "Most of the 2800 people at the meeting" in later


def test_r57_a_text_found_by_its_hash_shows_its_passage():
    first = article("a", "UNION VOTES", STRIKE)
    _, second = dedupe_stream([first, replace(first, id="b", published_at=NOON + timedelta(hours=1))])
    assert second.rule == "text"
    assert second.evidence["passages"][0].startswith("Members of the Dockers")


def test_a_follow_up_in_other_words_is_linked_by_its_headline():
    first = article("a", "GARNET MINING <GRM> TO SELL TOOL DIVISION", FUND)
    later = (
        "Shareholders of Garnet Mining asked a court in Corvale to stop the sale of pump and valve works to Quarles and Lund, saying "
        "the board had not looked for other buyers. Lawyers of the company in Arden and Farrow did not answer calls."
    )
    _, second = dedupe_stream([first, article("b", "GARNET MINING <GRM> SALE OF DIVISION FOUGHT", later, 40)])
    assert (second.duplicate_of, second.related_to, second.rule) == (None, ("a",), "same-subject")


def test_a_report_weeks_later_that_starts_from_the_figures_of_the_earlier_one_is_linked():
    text = (
        "A group of investors led by Quarles and Lund of Arden said it lowered its stake in Garnet Mining Corp to {} shares, or {} pct of "
        "the total, from {} shares, or {} pct.\n\nIn a letter to the Exchange Office the group said it sold {} common shares of "
        "Garnet Mining {}."
    )
    title = "INVESTORS CUT GARNET MINING <GRM> STAKE"
    first = article("a", title, text.format("260,500", "6.4", "370,500", "9.2", "110,000", "in February"))
    later = article(
        "b", title, text.format("200,500", "5.0", "260,500", "6.4", "60,000", "since then for cash"), 356
    )
    notice = text.format("812,300", "3.1", "934,700", "3.6", "122,400", "in February")
    verdict = compare(first, later)
    assert (verdict.relation, verdict.rule) == ("related", "figures-replaced")
    assert compare(first, article("c", title, notice, 356)).relation == "new"


MEETING = (
    "The council of the town met in the old hall and spoke about the bridge, the school and the market. Traders want the bridge; "
    "teachers want the school before the winter."
)
OTHER_MEETING = (
    "The council of the town met in the old hall: the school before the bridge, teachers said, and the market in winter. Traders spoke "
    "about the town, not about the school."
)


@pytest.mark.parametrize(
    ("first", "second"), [(MEETING, OTHER_MEETING), (OTHER_MEETING, MEETING), (MEETING, OTHER_MEETING[:90])]
)
def test_c23_a_short_text_of_the_same_common_words_is_another_text_in_either_order(first: str, second: str):
    title = "Council speaks about bridge"
    verdict = compare(article("a", title, first), article("b", title, second, 1))
    assert verdict.relation != "duplicate"


def test_a_later_report_with_the_same_figures_is_linked_though_it_shares_few_names_and_no_phrase():
    first = article(
        "a",
        "GARNET <GRM> COMPLETES OFFERING",
        "Garnet Corp said it sold 50 mln crowns of 5.5 pct convertible notes due 2037 to the public. Each note can be exchanged for "
        "common stock at 20.50 crowns. The proceeds will repay bank credit.",
    )
    body = (
        "Through lead manager Quarles and Lund, Garnet Corp is raising 50 mln crowns with notes that mature in 2037, carry a coupon of 5.5 pct and "
        "convert at 20.50 crowns a share, a premium of 25.19 pct over the price when terms were set. The offering grew from 40 mln."
    )
    verdict = compare(first, article("b", "GARNET <GRM> SELLS CONVERTIBLE NOTES", body, 24))
    assert (verdict.relation, verdict.rule) == ("related", "same-subject")
    other = (
        body.replace("50 mln", "75 mln")
        .replace("2037", "2041")
        .replace("5.5", "6.1")
        .replace("20.50", "31.75")
    )
    assert compare(first, article("c", "GARNET <GRM> SELLS CONVERTIBLE NOTES", other, 24)).relation == "new"
