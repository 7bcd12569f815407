"""`model.ports.LanguageModel` for OpenAI-compatible endpoints."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

import aiohttp

from headwater.model.summaries import LineResult, ModelReply, Prompt, RemoteBatch
from headwater.stories.llm.batch_api import BatchApi, parse_result_lines, remote_batch, request_line
from headwater.stories.llm.chat import ChatClient


@dataclass(kw_only=True)
class OpenAiModel:
    """Opens its connection with the first call."""

    chat: ChatClient
    api: BatchApi
    _session: aiohttp.ClientSession | None = field(default=None, init=False)

    @property
    def endpoint(self) -> str:
        return self.api.root

    @property
    def timeout(self) -> timedelta:
        return timedelta(seconds=self.api.seconds)

    async def ask(self, prompt: Prompt) -> ModelReply:
        chat = replace(self.chat, model=prompt.model)
        return await chat.ask(self._open_session(), prompt.messages, max_tokens=prompt.max_tokens)

    async def upload(self, name: str, prompts: Mapping[str, Prompt]) -> str:
        lines = b"".join(request_line(line, self._body(prompt)) for line, prompt in prompts.items())
        return await self.api.upload(self._open_session(), name, lines)

    def _body(self, prompt: Prompt) -> dict[str, object]:
        return replace(self.chat, model=prompt.model).body(prompt.messages, max_tokens=prompt.max_tokens)

    async def create_batch(self, file: str, tag: str) -> RemoteBatch:
        return remote_batch(await self.api.create(self._open_session(), file, tag))

    async def find_batch(self, tag: str) -> RemoteBatch | None:
        batch = await self.api.find(self._open_session(), tag)
        return None if batch is None else remote_batch(batch)

    async def get_batch(self, batch: str) -> RemoteBatch:
        return remote_batch(await self.api.retrieve(self._open_session(), batch))

    async def cancel_batch(self, batch: str) -> RemoteBatch:
        return remote_batch(await self.api.cancel(self._open_session(), batch))

    async def batch_results(self, file: str) -> Mapping[str, LineResult]:
        raw = await self.api.content(self._open_session(), file)
        return {result.id: result for result in parse_result_lines(raw)}

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = self.api.session()
        return self._session
