"""The agents that are compared: how each is started with a model on loopback, in a home of its own, without the network."""

import dataclasses
import json
import typing

from harness import BUILD, HELVE, PEERS

NOWHERE = "http://127.0.0.1:9/"  # nobody listens there


@dataclasses.dataclass
class Agent:
    """`arguments` makes those of its tool that reads a file, for a workspace; {turn} stands for the number of the turn.
    `start` writes what the agent needs into its home; returns the command and what its environment needs."""

    name: str
    version: str
    tool: str
    arguments: typing.Callable
    start: typing.Callable

    @property
    def title(self):
        return f"{self.name} {self.version}".strip()


def relative(_):
    return {"path": "notes-{turn}.txt"}


def absolute(parameter):
    return lambda workspace: {parameter: f"{workspace}/notes-{{turn}}.txt"}


def program(package, path):
    """Of a package that exists once per kind of processor."""
    found = sorted(PEERS.glob(f"node_modules/{package}-linux-*/{path}"))
    return found[0] if found else PEERS / "node_modules" / package / path


def version_of(package):
    found = sorted(PEERS.glob(f"node_modules/{package}/package.json"))
    return json.loads(found[0].read_text())["version"].partition("-")[0] if found else ""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def start_floor(_, port, prompt):
    return [BUILD / "bench" / "bench_floor_agent", port, prompt], {}


def start_helve(_, port, prompt):
    return [HELVE, "run", "--provider", "openai", "--base-url", f"http://127.0.0.1:{port}/v1", "--model", "mock", prompt], {
        "OPENAI_API_KEY": "none"}


def start_codex(home, port, prompt):
    write(home / ".codex" / "config.toml", f"""\
model = "mock"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"

[analytics]
enabled = false
""")
    # Its sandbox would cost it time with each command.
    return [program("@openai/codex", "vendor/*/bin/codex"), "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access",
            prompt], {}


def start_pi(home, port, prompt):
    model = {"baseUrl": f"http://127.0.0.1:{port}/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "mock"}]}
    write(home / ".pi" / "agent" / "models.json", json.dumps({"providers": {"mock": model}}))
    script = PEERS / "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
    return [program("node", "bin/node"), script, "-p", "--provider", "mock", "--model", "mock", prompt], {
        "PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


def start_opencode(home, port, prompt):
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "mock",
                "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "none"},
                "models": {"mock": {"name": "mock", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}}}
    write(home / "config" / "opencode" / "opencode.json", json.dumps(
        {"autoupdate": False, "share": "disabled", "model": "mock/mock", "small_model": "mock/mock",
         "enabled_providers": ["mock"], "provider": {"mock": provider}}))
    # A title is given, so that it asks the model for none. It installs a package for plugins when it finds a registry.
    return [program("opencode", "bin/opencode"), "run", "--title", "notes", prompt], {
        "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_SHARE": "1", "npm_config_registry": NOWHERE, "npm_config_fetch_retries": "0"}


def start_claude_code(_, port, prompt):
    return [program("@anthropic-ai/claude-code", "claude"), "-p", "--model", "mock", prompt], {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "none", "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


def all_agents():
    return [
        Agent("floor", "", "read", relative, start_floor),
        Agent("helve", "", "read", relative, start_helve),
        # Codex has no tool that reads a file: it runs commands.
        Agent("codex", version_of("@openai/codex-linux-*"), "exec_command", lambda _: {"cmd": "cat notes-{turn}.txt"}, start_codex),
        Agent("pi", version_of("@earendil-works/pi-coding-agent"), "read", relative, start_pi),
        Agent("opencode", version_of("opencode-linux-*"), "read", absolute("filePath"), start_opencode),
        Agent("claude-code", version_of("@anthropic-ai/claude-code-linux-*"), "Read", absolute("file_path"), start_claude_code),
    ]
