"""The reports of the newspapers. `hours` count from the start of the demo: reports below zero are there from the start,
the others appear as the clock advances. `story` is the expected cluster."""

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

    @property
    def path(self) -> str:
        words = "".join(
            letter if letter.isascii() and letter.isalnum() else " " for letter in self.title.casefold()
        )
        return f"/{self.flashpoint}/" + "-".join(words.split()[:8])

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


def _reports(flashpoint: str, lines: tuple[ReportRow, ...]) -> list[Report]:
    return [
        Report(flashpoint, story, host, hours, category, title, text)
        for story, host, hours, category, title, text in lines
    ]


REPORTS: tuple[Report, ...] = (
    *_reports("kelmar-strait", STRAIT),
    *_reports("valdora-vote", VOTE),
    *_reports("orsa-delta", DELTA),
)
