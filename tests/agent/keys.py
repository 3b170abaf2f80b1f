"""Keys go to nobody that they were not given for, also when a run starts other agents: keys.py HELVE."""

import sys
import unittest

from mock_model import MockModel, Turn, results_of
from support import Place


class Keys(unittest.TestCase):
    def server(self, decide):
        server, seen = MockModel(decide), []
        server.on_headers = lambda headers: seen.append(str(headers))
        self.addCleanup(server.server_close)
        return server, seen

    def test_a_sub_agent_keeps_its_own_provider(self):
        place = Place()
        self.addCleanup(place.close)

        def lead(path, body):
            self.assertEqual(body["model"], "local-m")
            if results_of(path, body):
                return Turn("All done.")
            return Turn("", [("agent", {"prompt": "Review it.", "agent": "reviewer"})])

        def review(_, body):
            self.assertEqual(body["model"], "claude-x")
            return Turn("Fine.")
        local, local_seen = self.server(lead)
        provider, provider_seen = self.server(review)
        config = place.workspace.parent / "config" / "helve" / "config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text("agents: [{id: reviewer, model: {provider: anthropic, name: claude-x}}]\n")
        place.environment.update(ANTHROPIC_API_KEY="sk-canary", ANTHROPIC_BASE_URL=provider.url)
        done = place.run("--tools", "all", "--approvals", "off", "run", "--base-url", local.url + "/v1", "--model", "local-m",
                         "Do it.")
        self.assertEqual((done.returncode, done.stdout), (0, "All done.\n"), done.stderr)
        self.assertEqual((len(local_seen), len(provider_seen)), (2, 1), done.stderr)
        self.assertNotIn("canary", "".join(local_seen))
        self.assertIn("sk-canary", provider_seen[0])

    def test_a_base_url_gets_no_key_of_the_configuration(self):
        for environment, words in (({}, ["--base-url", "URL"]), ({"HELVE_MODEL_BASE_URL": "URL"}, [])):
            place = Place()
            self.addCleanup(place.close)
            server, seen = self.server(lambda *_: Turn("Hello."))
            config = place.workspace.parent / "config" / "helve" / "config.yaml"
            config.parent.mkdir(parents=True)
            config.write_text("model: {provider: openrouter, name: big, key: sk-canary}\n")
            config.chmod(0o600)
            url = server.url + "/v1"
            place.environment.update({name: value.replace("URL", url) for name, value in environment.items()})
            done = place.run("run", *[word.replace("URL", url) for word in words], "--model", "m", "Hi.")
            self.assertEqual((done.returncode, done.stdout), (0, "Hello.\n"), done.stderr)
            self.assertNotIn("canary", "".join(seen))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
