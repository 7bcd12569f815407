from headwater.extract.html.flatten import TAG_NUMBER, Page

_P = TAG_NUMBER["p"]


def choose(page: Page) -> tuple[list[int], float]:
    score: dict[int, float] = {}
    good = []
    for block, text in enumerate(page.texts):
        words = page.words[block]
        own = words * (1 - page.link_characters[block] / max(1, len(text)))
        value = own if words > 8 else 0
        good.append(value)
        element = page.homes[block]
        for weight in (1.0, 1.0, 0.5, 0.25):
            score[element] = score.get(element, 0) + value * weight
            element = page.parents[element]
    if not score:
        return [], 0.0
    best = max(score, key=lambda element: (score[element], -element))
    chosen = [
        b
        for b in range(page.first[best], page.last[best])
        if good[b] or (page.link_characters[b] < 0.5 * len(page.texts[b]))
    ]
    return chosen, 0.5
