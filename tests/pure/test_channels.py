"""Channels in the settings, and their secrets."""

from pathlib import Path

import pytest

from headwater.app import App
from headwater.model.errors import Refused, Temporary
from headwater.secret_references import resolve_secret
from headwater.settings.channel_sinks import unusable_sinks
from headwater.settings.channels import Channel
from headwater.settings.settings import Settings, read_settings
from headwater.sinks.mail import MailSink
from headwater.sinks.slack import SlackSink
from headwater.sinks.webhook import WebhookSink


def test_c38_a_secret_may_come_from_the_environment_or_a_file(tmp_path: Path):
    (tmp_path / "secret").write_text("from file\n", encoding="utf-8")
    assert resolve_secret("env:TOKEN", "x", {"TOKEN": "from environment"}) == "from environment"
    assert resolve_secret(f"file:{tmp_path / 'secret'}", "x") == "from file"
    assert resolve_secret("https://hooks.example/x", "x") == "https://hooks.example/x"


@pytest.mark.parametrize("text", ["env:NOT_THERE", "file:/not/there"])
def test_a_missing_secret_is_reported_by_its_setting(text: str):
    with pytest.raises(Refused, match=r"notify\.ops\.url"):
        resolve_secret(text, "notify.ops.url", {})


@pytest.mark.parametrize(
    ("channel", "missing"),
    [
        (Channel(kind="slack"), "url"),
        (Channel(kind="webhook"), "url"),
        (Channel(kind="email", host="mail.example"), "sender"),
        (Channel(kind="email", host="mail.example", sender="a@mail.example"), "to"),
    ],
)
def test_missing_settings_of_a_channel_are_reported(channel: Channel, missing: str):
    assert f"notify.ops.{missing}" in unusable_sinks(App(Settings(notify={"ops": channel})).channels)["ops"]


def test_what_goes_to_a_channel_without_its_secret_waits_and_other_channels_work():
    channels = App(
        Settings(
            notify={
                "ops": Channel(kind="slack", url="env:NOT_SET_ANYWHERE"),
                "chat": Channel(kind="slack", url="https://hooks.example/T0K3N"),
            }
        )
    ).channels
    assert isinstance(channels["chat"], SlackSink)
    with pytest.raises(Temporary, match="NOT_SET_ANYWHERE") as postponed:
        channels["ops"].send([])
    assert not postponed.value.counts


def test_c37_channels_are_sinks_that_recipes_may_use_too(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_text(
        "notify:\n"
        '  chat: {kind: slack, url: "https://hooks.example/T0K3N"}\n'
        '  hook: {kind: webhook, url: "https://hook.example/in", secret: s3cr3t}\n'
        "  post: {kind: email, host: mail.example, sender: a@mail.example, to: [b@mail.example], password: s3cr3t}\n",
        encoding="utf-8",
    )
    app = App(read_settings(path, {}))
    assert {name: type(sink) for name, sink in app.channels.items()} == {
        "chat": SlackSink,
        "hook": WebhookSink,
        "post": MailSink,
    }
    assert set(app.sinks) >= {"files", "chat", "hook", "post"}
    for shown in (repr(dict(app.sinks)), repr(app.settings), repr(app)):
        assert "s3cr3t" not in shown
        assert "T0K3N" not in shown


def test_a_channel_cannot_have_the_name_of_another_sink(tmp_path: Path):
    path = tmp_path / "headwater.yaml"
    path.write_text('notify: {files: {kind: slack, url: "https://a.example/"}}')
    with pytest.raises(Refused, match=r"notify\.files"):
        read_settings(path, {})
