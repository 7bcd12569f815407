"""Reports of the newspapers, and those of the small demo: a few written by hand. `hours` count from the start of the demo:
reports below zero are there from the start, the others appear as the clock advances. `story` is the expected cluster."""

from dataclasses import dataclass

from headwater_demo.flashpoints.delta import DELTA
from headwater_demo.flashpoints.strait import STRAIT
from headwater_demo.flashpoints.vote import VOTE

ReportRow = tuple[str, str, float, str, str, str]


@dataclass(frozen=True, slots=True)
class Report:
    flashpoint: str
    story: str
    host: str
    hours: float
    category: str
    title: str
    text: str
    language: str = "en"
    slug: str = ""
    kind: str = "report"

    @property
    def path(self) -> str:
        if self.slug:
            return f"/{self.flashpoint}/{self.slug}"
        words = "".join(
            letter if letter.isascii() and letter.isalnum() else " " for letter in self.title.casefold()
        )
        return f"/{self.flashpoint}/" + "-".join(words.split()[:8])

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"

    @property
    def paragraphs(self) -> list[str]:
        if "\n\n" in self.text:
            return self.text.split("\n\n")
        sentences = self.text.split(". ")
        middle = len(sentences) // 2
        return [". ".join(sentences[:middle]) + ".", ". ".join(sentences[middle:])]


def _reports(flashpoint: str, lines: tuple[ReportRow, ...]) -> list[Report]:
    return [
        Report(
            flashpoint,
            story,
            host,
            hours,
            category,
            title,
            text,
            language="es" if host == "la-tribuna-sur.example" else "en",
        )
        for story, host, hours, category, title, text in lines
    ]


REPORTS: tuple[Report, ...] = (
    *_reports("kelmar-strait", STRAIT),
    *_reports("valdora-vote", VOTE),
    *_reports("orsa-delta", DELTA),
)
