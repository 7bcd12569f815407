"""Translations by a chat endpoint."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headwater.fetch.chat import Chat
from headwater.model.errors import HeadwaterError, Temporary
from headwater.pure.intelligence import Unusable
from headwater.pure.translation import messages, read_translations, tokens_for

AT_ONCE = 40
REST = timedelta(minutes=5)


@dataclass
class ChatTranslator:
    """An endpoint that failed is left alone for five minutes: nobody waits for it document by document."""

    chat: Chat
    quiet_until: datetime | None = field(default=None, init=False)

    def __call__(self, titles: Sequence[tuple[str, str]], into: str) -> list[str | None]:
        now = self.chat.clock()
        if self.quiet_until is not None and now < self.quiet_until:
            raise Temporary("translator_rests", "it failed a moment ago")
        try:
            return asyncio.run(self._translated(titles, into))
        except HeadwaterError:
            self.quiet_until = now + REST
            raise

    async def _translated(self, titles: Sequence[tuple[str, str]], into: str) -> list[str | None]:
        found: list[str | None] = []
        async with self.chat.session() as session:
            for start in range(0, len(titles), AT_ONCE):
                some = titles[start : start + AT_ONCE]
                said = await self.chat.ask(session, messages(some, into), max_tokens=tokens_for(some))
                try:
                    found += read_translations(said.text, some)
                except Unusable:
                    found += [None] * len(some)
        return found
