import pytest
from selectolax.lexbor import LexborHTMLParser

from headwater.extract.html.profiles import cascade
from headwater.extract.html.profiles.registry import html_reader
from headwater.extract.html.profiles.selectors import clean, density, selectors_text
from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

WORDS = "The keeper of the lamp wrote down the wind, the tide and the names of those who came to visit. "


def test_r65_r66_boilerplate_is_stripped_by_tag_and_by_name():
    page = f"""<nav>Menu of things</nav><header>Big banner here</header><aside>Aside words here</aside><footer>Foot words here</footer>
    <div class="article-body"><p>{WORDS * 4}</p><div class="newsletter signup"><p>Get our letter every single day.</p></div>
    <div class="social share"><p>Share this on every network now.</p></div><script>var x;</script></div>"""
    text = selectors_text(page)
    assert "keeper of the lamp" in text
    for unwanted in ("Menu", "banner", "Aside", "Foot", "letter every", "every network", "var x"):
        assert unwanted not in text


def test_r67_the_first_selector_with_enough_text_wins():
    page = (
        f"<div class='content'><p>{WORDS * 9}</p></div><article><p>{WORDS * 3} In the article.</p></article>"
    )
    assert selectors_text(page).endswith("In the article.")


def test_r68_without_a_selector_the_densest_container_is_taken():
    links = "".join(f"<a href='/{number}'>A link with some words in it</a> " for number in range(60))
    page = f"<div id='a'>{links}</div><table><tr><td><p>{WORDS * 5}</p><p>{WORDS * 5}</p></td></tr></table>"
    text = selectors_text(page)
    assert text.startswith("The keeper")
    assert "A link" not in text
    tree = LexborHTMLParser(page)
    cell, menu = tree.css_first("td"), tree.css_first("#a")
    assert cell is not None
    assert menu is not None
    assert density(cell) > density(menu)


def test_r69_residue_orphans_and_repeats_are_cleaned():
    lines = ["A real line of text that stays.", "Share this", "Home", "© 2024 Courier", "Subscribe to our letter",
             "A line that the template repeats.", "A line that the template repeats."]  # fmt: skip
    assert clean(lines) == "A real line of text that stays.\nA line that the template repeats."


def test_r70_a_profile_returns_the_same_metadata():
    page = f"<head><meta property='og:title' content='The lamp'><meta property='og:site_name' content='Courier'></head><article><p>{WORDS * 5}</p></article>"
    reading = html_reader("selectors")(page.encode(), ExtractHints(url="https://courier.example/a"))
    assert isinstance(reading, Reading)
    assert (reading.title, reading.publisher, reading.method) == ("The lamp", "Courier", "selectors")


def test_c20_a_headline_that_an_extractor_left_in_the_text_is_said_once(monkeypatch):
    monkeypatch.setattr(cascade, "_readers", lambda: iter([("one", lambda _: f"The lamp\n{WORDS * 3}")]))
    page = f"<head><title>The lamp</title></head><article><h1>The lamp</h1><p>{WORDS * 3}</p></article>"
    reading = html_reader("cascade")(page.encode(), ExtractHints())
    assert isinstance(reading, Reading)
    assert (reading.title, reading.text) == ("The lamp", WORDS * 3)


def test_g6_the_cascade_goes_on_until_the_text_is_long_enough(monkeypatch):
    steps = [("one", lambda _: "short"), ("two", lambda _: "x" * 200), ("three", lambda _: "never asked")]
    monkeypatch.setattr(cascade, "_readers", lambda: iter(steps))
    text, method, lengths = cascade.cascade_text("<p>page</p>")
    assert (text, method) == ("x" * 200, "two")
    assert lengths == {"one": 5, "two": 200}


def test_the_longest_is_kept_when_none_is_long_enough(monkeypatch):
    monkeypatch.setattr(
        cascade, "_readers", lambda: iter([("one", lambda _: "short"), ("two", lambda _: "")])
    )
    assert cascade.cascade_text("")[:2] == ("short", "one")


def test_too_little_memory_does_not_read_as_a_page_without_text(monkeypatch):
    def exhaust(_: str) -> str:
        raise MemoryError

    monkeypatch.setattr(cascade, "_readers", lambda: iter([("one", exhaust), ("two", lambda _: "short")]))
    with pytest.raises(MemoryError):
        cascade.cascade_text("<p>page</p>")


def test_profiles_are_named():
    assert html_reader("blocks") is read_html
    with pytest.raises(ValueError, match="unknown profile 'best'"):
        html_reader("best")


def test_a_profile_says_when_there_is_no_text():
    assert html_reader("selectors")(b"<body></body>", ExtractHints()) == Unreadable("no_text")
