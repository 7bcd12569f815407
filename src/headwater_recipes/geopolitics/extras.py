"""Steps that an installation may add: names by a model, titles in another language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from headwater.fetch.chat import Chat
from headwater.fetch.translating import ChatTranslator
from headwater.model.recipe import Step
from headwater.settings.agent import address_of, key_of
from headwater.steps.entities import TagEntities
from headwater.steps.translation import TranslateTitles
from headwater.stories.recognising import Recogniser
from headwater_recipes.geopolitics.options import WHERE, Options, Translation


def extra_steps(chosen: Options, models: str) -> tuple[Step, ...]:
    """None, unless they are asked for."""
    steps: list[Step] = []
    if chosen.translation is not None:
        told = chosen.translation
        steps.append(TranslateTitles(_Translator(told), told.model, told.into))
    if chosen.entities is not None:
        recogniser = Recogniser(chosen.entities.model, Path(models), chosen.entities.least).checked()
        steps.append(TagEntities(recogniser, recogniser.name))
    return tuple(steps)


@dataclass(frozen=True)
class _Translator:
    """The key is read when the first title is translated: whoever only looks needs none."""

    told: Translation

    @cached_property
    def _opened(self) -> ChatTranslator:
        where = f"{WHERE}.translation"
        return ChatTranslator(
            Chat(
                address=address_of(self.told),
                model=self.told.model,
                clock=lambda: datetime.now(UTC),
                key=key_of(self.told, where),
                seconds=self.told.seconds,
                options=self.told.options,
                where=where,
            )
        )

    def __call__(self, titles: Sequence[tuple[str, str]], into: str) -> list[str | None]:
        return self._opened(titles, into)
