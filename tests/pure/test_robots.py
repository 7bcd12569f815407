import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.politeness.robots_txt import parse_robots, product_token, robots_from_response


def allowed(text: str, path: str, token: str = "headwater") -> bool:
    return parse_robots(text.encode()).decision(token, path).allowed


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Disallow: /a\nAllow: /a/b", "/a/x", False),
        ("Allow: /p\nDisallow: /", "/page", True),
        ("Allow: /p\nDisallow: /", "/other", False),
        ("Disallow: /*.pdf$", "/x.pdf", False),
        ("Disallow: /*.pdf$", "/x.pdf?v=1", True),
        ("Disallow: /foo/bar?baz=%20", "/foo/bar?baz=%20", False),
        ("Disallow: /foo/bar?baz=%20", "/foo/bar?baz=x", True),
        ("Disallow: /page\nAllow: /page", "/page", True),
        ("Allow: /page\nDisallow: /*.ph", "/page.php5", True),
        ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("Disallow:", "/anything", True),
        ("Disallow: /", "/robots.txt", True),
        ("Disallow: /$", "/", False),
        ("Disallow: /$", "/x", True),
        ("Disallow: *", "/x", False),
        ("Disallow: /a*b*c$", "/a-b-c-c", False),
        ("Disallow: /a*b*c$", "/a-c-b", True),
        ("Disallow: /ab*b$", "/ab", True),
        ("DISALLOW : /x # because", "/x/y", False),
        ("Disallow: /%62%61%7A", "/baz", False),
        ("Disallow: /café", "/caf%C3%A9", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /100%24", "/100$", False),
        ("Disallow: /x%2A", "/x*", False),
        ("Disallow: /Case", "/case", True),
    ],
)
def test_p6_c39_the_longest_rule_wins_and_of_two_equal_ones_the_one_that_allows(rules, path, expected):
    assert allowed(f"User-agent: *\n{rules}", path) is expected


def test_all_groups_for_the_same_agent_are_merged():
    text = "User-agent: headwater\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-Agent: HeadWater/2.0\nDisallow: /b"
    assert not allowed(text, "/a")
    assert not allowed(text, "/b")
    assert allowed(text, "/c")


def test_several_agents_can_share_a_group():
    text = "User-agent: other\nUser-agent: headwater\nSitemap: https://a.example/s.xml\nDisallow: /a"
    assert not allowed(text, "/a")
    assert not allowed(text, "/a", "other")
    assert allowed(text, "/a", "third")


@pytest.mark.parametrize("agent", ["head", "headwaters", "water", "headwater2"])
def test_a_product_token_is_compared_as_a_whole(agent):
    assert allowed(f"User-agent: {agent}\nDisallow: /", "/x")


@pytest.mark.parametrize(
    "text",
    ["\ufeffUser-agent: *\nDisallow: /x", "User-agent: *\rDisallow: /x\r", "User-agent:*\r\nDisallow:/x"],
)
def test_byte_order_marks_and_odd_line_ends_change_nothing(text):
    assert not allowed(text, "/x")


def test_rules_before_any_agent_are_ignored():
    assert allowed("Disallow: /\nUser-agent: other\nDisallow: /", "/x")


def test_p7_a_crawl_delay_belongs_to_its_group_and_sitemaps_to_all():
    robots = parse_robots(
        b"User-agent: headwater\nCrawl-delay: 2.5\nSitemap: https://a.example/1.xml\nUser-agent: *\nCrawl-delay: 9"
    )
    assert robots.decision("headwater", "/").delay == 2.5
    assert robots.decision("other", "/").delay == 9.0
    assert robots.sitemaps == ("https://a.example/1.xml",)


@pytest.mark.parametrize("value", ["-1", "soon", "1e99", "nan", ""])
def test_an_invalid_crawl_delay_is_ignored(value):
    assert parse_robots(f"User-agent: *\nCrawl-delay: {value}".encode()).decision("x", "/").delay is None


@pytest.mark.parametrize(
    ("status", "expected"),
    [(200, False), (404, True), (401, True), (403, True), (429, False), (500, False), (503, False)],
)
def test_c39_the_status_of_the_file_decides_when_it_cannot_be_read(status, expected):
    assert (
        robots_from_response(status, b"User-agent: *\nDisallow: /").decision("x", "/page").allowed is expected
    )


def test_the_line_that_decides_is_named():
    assert (
        parse_robots(b"User-agent: *\nDisallow: /private").decision("x", "/private/1").reason
        == "Disallow: /private (for *)"
    )


def test_the_token_is_what_stands_before_the_version():
    assert product_token("Headwater/0.1 (+ops@ledgerlane.example)") == "headwater"


@given(st.binary(max_size=2000), st.text(max_size=40))
def test_any_bytes_can_be_read(body, path):
    assert parse_robots(body).decision("headwater", f"/{path}").reason


@given(st.text(alphabet="ab*/", max_size=12), st.text(alphabet="ab/", max_size=12))
def test_a_rule_for_a_prefix_covers_everything_below_it(pattern, tail):
    path = f"/{pattern.replace('*', 'a')}{tail}"
    assert not allowed(f"User-agent: *\nDisallow: /{pattern}", path)


def test_a_pattern_with_many_wildcards_is_matched_quickly():
    assert allowed(f"User-agent: *\nDisallow: /{'*a' * 500}b", f"/{'a' * 5000}")
