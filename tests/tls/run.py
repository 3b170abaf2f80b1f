"""Encrypted connections, as models are reached: run.py HELVE TLS_STREAM.

A server with certificates of an authority of our own: with SSL_CERT_FILE they hold and replies stream; without it, and
when one is of the past or of another host, nothing is sent and the error names the reason and the next step.
"""

import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

HELVE, STREAM = sys.argv[1:3]
KEY = "sk-canary-0123456789"
EVENTS = ["first", "second", "third"]


def openssl(*words, where):
    subprocess.run(["openssl", *words], cwd=where, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def make_certificates(where):
    """authority.pem, and good, expired and stranger: a certificate and a key each, in one file."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            "/CN=helve test authority", "-keyout", "authority.key", "-out", "authority.pem", where=where)
    (where / "database").write_text("")
    (where / "serial").write_text("01\n")
    (where / "ca.cnf").write_text(
        "[ca]\ndefault_ca=a\n[a]\ndatabase=database\nserial=serial\nnew_certs_dir=.\ncertificate=authority.pem\n"
        "private_key=authority.key\ndefault_md=sha256\npolicy=any\ncopy_extensions=copy\nunique_subject=no\n"
        "[any]\ncommonName=supplied\n")
    for name, host, dates in [("good", "localhost", ["-days", "2"]),
                              ("expired", "localhost", ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]),
                              ("stranger", "other.example", ["-days", "2"])]:
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={host}",
                "-addext", f"subjectAltName=DNS:{host}", "-keyout", f"{name}.key", "-out", f"{name}.csr", where=where)
        openssl("ca", "-batch", "-notext", "-config", "ca.cnf", *dates, "-in", f"{name}.csr", "-out", f"{name}.crt",
                where=where)
        (where / f"{name}.pem").write_text((where / f"{name}.crt").read_text() + (where / f"{name}.key").read_text())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append(self.headers.get("Authorization", ""))
        self.answer(json.dumps({"data": [{"id": "test-model"}]}).encode(), "application/json")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.seen.append(self.headers.get("Authorization", ""))
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for word in EVENTS:
            # The next word comes when the one before was read: a reply that is held back would hang here.
            self.event({"choices": [{"delta": {"content": word}}]})
            if not self.server.told.acquire(timeout=20):
                return
        self.event({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def event(self, value):
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificate):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.told = threading.Semaphore(0)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, client_address):
        # In the thread of the connection: a client that hangs up in the handshake holds up nobody.
        try:
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except (ssl.SSLError, OSError):
            pass

    def url(self):
        return f"https://localhost:{self.server_address[1]}/v1"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.where = pathlib.Path(tempfile.mkdtemp())
        make_certificates(cls.where)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.where)

    def environment(self, trusted):
        out = {"PATH": os.environ["PATH"], "HOME": str(self.where), "OPENAI_API_KEY": KEY, "HELVE_TEST_KEY": KEY}
        if trusted:
            out["SSL_CERT_FILE"] = str(self.where / "authority.pem")
        return out

    def models(self, server, trusted=True):
        return subprocess.run([HELVE, "models", "openai", "--base-url", server.url(), "--json"], cwd=self.where,
                              env=self.environment(trusted), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60)

    def refused(self, server, trusted, *reasons):
        """Nothing was sent, and the error says why and what to do; both ways of asking."""
        done = self.models(server, trusted)
        self.assertEqual(done.returncode, 6, done)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["error_type"], "tls_failed")
        self.assertTrue(any(reason in error["message"] for reason in reasons), error)
        self.assertIn("localhost", error["message"])
        self.assertTrue(error["hint"], error)
        streamed = subprocess.run([STREAM, server.url()], env=self.environment(trusted), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(streamed.returncode, 1, streamed)
        self.assertTrue(streamed.stderr.startswith("tls_failed: "), streamed)
        self.assertEqual(server.seen, [], "the key was sent")
        for text in (done.stdout, done.stderr, streamed.stderr):
            self.assertNotIn("canary", text)
        return error

    def test_a_trusted_certificate_holds(self):
        with Server(self.where / "good.pem") as server:
            done = self.models(server)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(json.loads(done.stdout)["models"][0]["name"], "test-model")
            self.assertEqual(server.seen, [f"Bearer {KEY}"])

    def test_a_reply_streams(self):
        with Server(self.where / "good.pem") as server:
            with subprocess.Popen([STREAM, server.url()], env=self.environment(True), stdout=subprocess.PIPE,
                                  text=True) as process:
                for word in EVENTS:
                    self.assertEqual(process.stdout.readline(), word + "\n")
                    server.told.release()
                self.assertEqual(process.wait(timeout=30), 0)

    def test_an_unknown_authority_is_refused(self):
        with Server(self.where / "good.pem") as server:
            error = self.refused(server, False, "self-signed", "self signed", "unable to get local issuer")
            self.assertIn("SSL_CERT_FILE", error["hint"])

    def test_an_expired_certificate_is_refused(self):
        with Server(self.where / "expired.pem") as server:
            error = self.refused(server, True, "expired")
            self.assertIn("clock", error["hint"])

    def test_a_certificate_of_another_host_is_refused(self):
        with Server(self.where / "stranger.pem") as server:
            error = self.refused(server, True, "does not match", "no alternative certificate subject name matches")
            self.assertIn("base URL", error["hint"])

    def test_a_missing_file_of_authorities_is_named(self):
        with Server(self.where / "good.pem") as server:
            environment = self.environment(False) | {"SSL_CERT_FILE": str(self.where / "none.pem")}
            done = subprocess.run([HELVE, "models", "openai", "--base-url", server.url()], cwd=self.where, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 6, done)
            self.assertIn("SSL_CERT_FILE", done.stderr)

    def test_a_server_without_encryption_is_told(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.seen = []
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"https://localhost:{server.server_address[1]}/v1"
            done = subprocess.run([HELVE, "models", "openai", "--base-url", url], cwd=self.where,
                                  env=self.environment(True), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 6, done)
            self.assertIn("http://", done.stderr)
            self.assertNotIn("canary", done.stderr)
            server.shutdown()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
