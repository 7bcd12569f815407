"""Stories keep their ids when a group is clustered again."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.story import Member, Story
from headwater.stories.identity import inherit_story_ids


def _story(name: str, members: frozenset[str]) -> Story:
    return Story(
        id=name,
        recipe="r",
        group="g",
        title=name,
        members=tuple(Member(document) for document in sorted(members)),
    )


documents = st.sampled_from("abcdefghij")


@st.composite
def divisions(draw: st.DrawFn) -> list[frozenset[str]]:
    """Clusters that share no document and are not empty."""
    places = draw(st.dictionaries(documents, st.integers(0, 4), min_size=1))
    clusters = {frozenset(d for d, p in places.items() if p == place) for place in places.values()}
    return draw(st.permutations(sorted(clusters, key=sorted)))


earlier_divisions = divisions().map(lambda clusters: [_story(f"s{i}", c) for i, c in enumerate(clusters)])


@given(divisions(), earlier_divisions)
def test_every_cluster_gets_an_id_of_its_own(clusters, earlier):
    names = inherit_story_ids(clusters, earlier, "g")
    assert len(names) == len(set(names)) == len(clusters)


@given(divisions(), earlier_divisions, st.randoms())
def test_the_order_of_the_input_changes_nothing(clusters, earlier, chance):
    names = dict(zip(clusters, inherit_story_ids(clusters, earlier, "g"), strict=True))
    shuffled, stories = list(clusters), list(earlier)
    chance.shuffle(shuffled)
    chance.shuffle(stories)
    assert dict(zip(shuffled, inherit_story_ids(shuffled, stories, "g"), strict=True)) == names


@given(divisions())
def test_the_same_clusters_keep_every_id(clusters):
    names = inherit_story_ids(clusters, [], "g")
    stories = [_story(name, cluster) for name, cluster in zip(names, clusters, strict=True)]
    assert inherit_story_ids(clusters, stories, "g") == names


@given(divisions(), earlier_divisions)
def test_an_inherited_id_comes_from_a_story_with_a_shared_member(clusters, earlier):
    members = {story.id: {m.document for m in story.members} for story in earlier}
    for cluster, name in zip(clusters, inherit_story_ids(clusters, earlier, "g"), strict=True):
        assert name not in members or members[name] & cluster


@given(divisions(), earlier_divisions)
def test_no_story_is_forgotten_while_a_cluster_without_one_shares_a_member(clusters, earlier):
    names = inherit_story_ids(clusters, earlier, "g")
    remaining = [story for story in earlier if story.id not in names]
    new = [c for c, name in zip(clusters, names, strict=True) if name not in {s.id for s in earlier}]
    for story in remaining:
        assert not any({m.document for m in story.members} & cluster for cluster in new)


@given(divisions(), earlier_divisions, st.integers(0, 3))
def test_a_new_id_is_never_that_of_an_ended_story(clusters, earlier, rounds):
    ended_ids: frozenset[str] = frozenset()
    for _ in range(rounds):
        ended_ids |= frozenset(inherit_story_ids(clusters, [], "g", ended_ids))
    assert not ended_ids & set(inherit_story_ids(clusters, earlier, "g", ended_ids))


def test_a_cluster_inherits_the_id_of_the_story_with_most_shared_members():
    big, small = _story("big", frozenset("abc")), _story("small", frozenset("de"))
    assert inherit_story_ids([frozenset("abde"), frozenset("c")], [small, big], "g")[0] == "big"
    assert inherit_story_ids([frozenset("abd"), frozenset("ce")], [small, big], "g") == ["big", "small"]


def test_a_story_that_splits_continues_with_the_larger_part():
    story = _story("whole", frozenset("abcde"))
    names = inherit_story_ids([frozenset("ab"), frozenset("cde")], [story], "g")
    assert names[1] == "whole"
    assert names[0] != "whole"


def test_merged_stories_continue_as_the_larger_one():
    names = inherit_story_ids(
        [frozenset("abcde")], [_story("x", frozenset("ab")), _story("y", frozenset("cde"))], "g"
    )
    assert names == ["y"]


def test_ties_go_to_the_larger_story_then_to_the_smaller_id():
    assert inherit_story_ids(
        [frozenset("ab")], [_story("p", frozenset("axy")), _story("q", frozenset("b"))], "g"
    ) == ["p"]
    assert inherit_story_ids(
        [frozenset("ab")], [_story("q", frozenset("b")), _story("p", frozenset("a"))], "g"
    ) == ["p"]


def test_groups_do_not_share_new_ids():
    cluster = [frozenset("ab")]
    assert inherit_story_ids(cluster, [], "monday") != inherit_story_ids(cluster, [], "tuesday")
