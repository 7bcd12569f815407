"""The language in which a story is shown to its readers: one that they read, if the story has documents in it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater.model.document import Document
from headwater.model.recipe import Cluster

Clustering = Callable[[Sequence[Document]], Sequence[Cluster]]


def reader_language(languages: Sequence[str], preferred: Sequence[str]) -> str:
    """The first preferred language among those of the documents; else the most frequent one; "" if none is known."""
    counts = Counter(language for language in languages if language)
    for language in preferred:
        if counts[language]:
            return language
    return min(counts, key=lambda language: (-counts[language], language), default="")


def documents_to_read(documents: Sequence[Document], preferred: Sequence[str]) -> tuple[Document, ...]:
    """The documents in the language of the readers, in the same order; all, if no language is known."""
    language = reader_language([document.language for document in documents], preferred)
    return tuple(document for document in documents if not language or document.language == language)


def with_readable_titles(cluster: Clustering, preferred: Sequence[str]) -> Clustering:
    """Each story has the title of its most typical document in the language of the readers, without the mark of an update."""

    def cluster_documents(documents: Sequence[Document]) -> Sequence[Cluster]:
        return [_retitled(story, documents, preferred) for story in cluster(documents)]

    return cluster_documents


def _retitled(story: Cluster, documents: Sequence[Document], preferred: Sequence[str]) -> Cluster:
    readable = documents_to_read([documents[position] for position, _ in story.members], preferred)
    titles = [document.title for document in readable if document.title]
    return replace(story, title=without_mark(titles) or story.title)


def without_mark(titles: Sequence[str]) -> str:
    """The first title; if another one repeats it without "UPDATE:" or a like word in any language, that one."""
    first = next(iter(titles), "")
    unmarked = first.partition(": ")[2]
    return unmarked if unmarked in titles else first
