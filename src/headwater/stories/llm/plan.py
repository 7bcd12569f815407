"""Which stories a language model is asked about, on which level, and which answers stories show."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.model.summaries import Level, PlannedRequest, RequestState, SummaryCandidate
from headwater.stories.llm.policy import SummaryPolicy
from headwater.stories.llm.story_prompt import request_id


def plan_requests(
    candidates: Sequence[SummaryCandidate], premium_states: Mapping[str, str], policy: SummaryPolicy
) -> list[PlannedRequest]:
    """`premium_states` are the states of premium requests by id."""
    premium = _premium_stories(candidates, policy)
    plans = (_plan(candidate, premium, premium_states, policy) for candidate in candidates)
    return [plan for plan in plans if plan is not None]


def _plan(
    candidate: SummaryCandidate,
    premium: frozenset[str],
    premium_states: Mapping[str, str],
    policy: SummaryPolicy,
) -> PlannedRequest | None:
    """A premium request that failed is followed by a standard one. A story that was asked about on the premium level and
    has left the top is not paid for again."""
    premium_id, standard_id = request_ids(candidate)
    state = premium_states.get(premium_id)
    if state in {RequestState.ASKED, RequestState.DONE}:
        return None
    is_premium = candidate.story in premium and state != RequestState.FAILED
    if candidate.shown_request == premium_id or (candidate.shown_request == standard_id and not is_premium):
        return None
    level: Level = "premium" if is_premium else "standard"
    return PlannedRequest(
        id=premium_id if is_premium else standard_id,
        story=candidate.story,
        content=candidate.content,
        level=level,
        model=policy.premium_model if is_premium else policy.model,
        score=candidate.score,
    )


def _premium_stories(candidates: Sequence[SummaryCandidate], policy: SummaryPolicy) -> frozenset[str]:
    if not policy.premium_model or not candidates:
        return frozenset()
    return frozenset(
        top_share({candidate.story: candidate.score for candidate in candidates}, policy.premium_share)
    )


def top_share(scores: Mapping[str, float], share: float = 0.10) -> tuple[str, ...]:
    """The names of the top share by score, at least one; the smaller name wins a tie."""
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    return tuple(ranked[: max(1, int(len(ranked) * share))])


def request_ids(candidate: SummaryCandidate) -> tuple[str, str]:
    """The premium request and the standard one."""
    story, content = candidate.story, candidate.content
    return request_id(story, content, "premium"), request_id(story, content, "standard")


def answers_to_show(
    candidates: Sequence[SummaryCandidate], answers: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[SummaryCandidate, Mapping[str, Any]]]:
    """The best answer for each story that does not show it yet, or that lost it when its group was divided again."""
    for candidate in candidates:
        premium_id, standard_id = request_ids(candidate)
        best = next((name for name in (premium_id, standard_id) if name in answers), None)
        if best is not None and candidate.shown_request not in {best, premium_id}:
            yield candidate, answers[best]
