"""One hand-written article in the shortest form that stays readable."""

from headwater_demo.article import Topic
from headwater_demo.prose.text import ArticleText


def handwritten(topic: Topic, title: str, author: str, keywords: str, body: str) -> ArticleText:
    """`body` has one paragraph per line; the first line also serves as the description."""
    paragraphs = tuple(line.strip() for line in body.strip().splitlines() if line.strip())
    return ArticleText(
        title=title,
        author=author,
        description=paragraphs[0],
        keywords=tuple(word.strip() for word in keywords.split(",")),
        paragraphs=paragraphs,
        topic=topic,
    )
