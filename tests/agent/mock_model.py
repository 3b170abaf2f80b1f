"""A model on loopback that speaks every provider's format: what it says is decided by a function of the conversation."""

import http.server
import json
import threading


class Turn:
    """What the model says: text, calls [(name, arguments)] and thinking."""

    def __init__(self, text="", calls=(), thinking=""):
        self.text, self.calls, self.thinking = text, list(calls), thinking


def results_of(path, body):
    """The texts of all results in the request, in order."""
    texts = []
    if path.endswith("/chat/completions"):
        for message in body["messages"]:
            if message["role"] == "tool":
                texts.append(text_of(message["content"]))
    elif path.endswith("/responses"):
        for item in body["input"]:
            if item.get("type") == "function_call_output":
                texts.append(text_of(item["output"]))
    elif path.endswith("/messages"):
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block["type"] == "tool_result":
                    texts.append(text_of(block["content"]))
    else:
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionResponse" in part:
                    texts.append(json.dumps(part["functionResponse"]["response"]))
    return texts


def schemas_of(path, body):
    """The schemas of the tools that the request offers, by name."""
    tools = body["tools"]
    if path.endswith("/chat/completions"):
        return {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    if path.endswith("/responses"):
        return {tool["name"]: tool["parameters"] for tool in tools}
    if path.endswith("/messages"):
        return {tool["name"]: tool["input_schema"] for tool in tools}
    return {tool["name"]: tool.get("parameters", {}) for tool in tools[0]["functionDeclarations"]}


def as_asked(schema, arguments):
    """The arguments as a model writes that keeps to the schema: some objects are asked for as text."""
    def write(name, value):
        kinds = schema["properties"][name]["type"]
        is_text = "string" in [kind.lower() for kind in ([kinds] if isinstance(kinds, str) else kinds)]
        return json.dumps(value) if is_text and isinstance(value, dict) else value
    return {name: write(name, value) for name, value in arguments.items()}


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)


def event(data, name=None):
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def chat(turn):
    out = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": turn.text}}]}]
    for index, (name, arguments) in enumerate(turn.calls):
        out.append({"choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": index, "id": f"call_{id(turn)}_{index}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}]}}]})
    out.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if turn.calls else "stop"}]})
    out.append({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
    return "".join(event({"id": "c", "model": "mock", "object": "chat.completion.chunk", **each}) for each in out) + \
        "data: [DONE]\n\n"


def responses(turn):
    items = []
    if turn.text:
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                      "content": [{"type": "output_text", "text": turn.text, "annotations": []}]})
    for index, (name, arguments) in enumerate(turn.calls):
        items.append({"type": "function_call", "id": f"fc_{id(turn)}_{index}", "call_id": f"call_{id(turn)}_{index}",
                      "name": name, "arguments": json.dumps(arguments), "status": "completed"})
    out = [{"type": "response.created", "response": {"id": "resp_1", "model": "mock", "status": "in_progress"}}]
    for index, item in enumerate(items):
        out.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            out.append({"type": "response.output_text.delta", "output_index": index, "content_index": 0,
                        "item_id": item["id"], "delta": turn.text})
        else:
            out.append({"type": "response.function_call_arguments.delta", "output_index": index,
                        "item_id": item["id"], "delta": item["arguments"]})
        out.append({"type": "response.output_item.done", "output_index": index, "item": item})
    out.append({"type": "response.completed", "response": {
        "id": "resp_1", "model": "mock", "status": "completed", "output": items,
        "usage": {"input_tokens": 10, "output_tokens": 5}}})
    return "".join(event(each, each["type"]) for each in out)


def anthropic(turn):
    blocks = [({"type": "text", "text": ""}, {"type": "text_delta", "text": turn.text})] if turn.text else []
    for index, (name, arguments) in enumerate(turn.calls):
        blocks.append(({"type": "tool_use", "id": f"toolu_{id(turn)}_{index}", "name": name, "input": {}},
                       {"type": "input_json_delta", "partial_json": json.dumps(arguments)}))
    out = [{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "mock",
                                                 "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}}]
    for index, (block, delta) in enumerate(blocks):
        out.append({"type": "content_block_start", "index": index, "content_block": block})
        out.append({"type": "content_block_delta", "index": index, "delta": delta})
        out.append({"type": "content_block_stop", "index": index})
    out.append({"type": "message_delta", "delta": {"stop_reason": "tool_use" if turn.calls else "end_turn"},
                "usage": {"output_tokens": 5}})
    out.append({"type": "message_stop"})
    return "".join(event(each, each["type"]) for each in out)


def gemini(turn):
    parts = ([{"text": turn.text}] if turn.text else []) + \
        [{"functionCall": {"name": name, "args": arguments}} for name, arguments in turn.calls]
    return event({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
                  "modelVersion": "mock", "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5}})


def text_turn(turn):
    """The same for a model that knows no calls: they are written between tags."""
    tags = "".join("<json>\n" + json.dumps({"tool_name": name, "tool_input": arguments}) + "\n</json>"
                   for name, arguments in turn.calls)
    return Turn(turn.text + ("\n" if turn.text and tags else "") + tags)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.split("?")[0]
        self.server.on_headers(self.headers)
        turn = self.server.decide(path, body)
        encode = chat if path.endswith("/chat/completions") else responses if path.endswith("/responses") else \
            anthropic if path.endswith("/messages") else gemini
        data = encode(turn).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class MockModel(http.server.ThreadingHTTPServer):
    """decide(path, body) -> Turn."""
    daemon_threads = True

    def __init__(self, decide):
        super().__init__(("127.0.0.1", 0), Handler)
        self.decide = decide
        self.on_headers = lambda headers: None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        pass  # whoever asked was killed
