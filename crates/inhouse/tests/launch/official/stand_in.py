"""Stands in for the CLI: records how an SDK starts it and what the SDK writes first.

The record is written to `record.json` in the directory of this file. The script accepts the
session, answers the first prompt with a successful result, and exits at the end of its input.
"""

import json
import os
import sys


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record.json")
    record = {"argv": sys.argv[1:], "env": dict(os.environ), "stdin": []}
    for line in sys.stdin:
        message = json.loads(line)
        record["stdin"].append(line.rstrip("\n"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        if message.get("type") == "control_request":
            answer(message)
        elif message.get("type") == "user":
            finish()


def answer(message):
    reply = {
        "commands": [],
        "models": [],
        "agents": [],
        "account": {},
        "output_style": "default",
        "available_output_styles": [],
        "hooks_applied": True,
        "hook_on_failure_supported": True,
    }
    response = {
        "subtype": "success",
        "request_id": message["request_id"],
        "response": reply,
    }
    send({"type": "control_response", "response": response})


def finish():
    session = "00000000-0000-4000-8000-000000000000"
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Done.",
        "duration_ms": 1,
        "duration_api_ms": 1,
        "num_turns": 1,
        "stop_reason": "end_turn",
        "total_cost_usd": 0,
        "usage": {},
        "modelUsage": {},
        "permission_denials": [],
        "session_id": session,
        "uuid": "00000000-0000-4000-8000-000000000001",
    }
    idle = {
        "type": "system",
        "subtype": "session_state_changed",
        "state": "idle",
        "session_id": session,
        "uuid": "00000000-0000-4000-8000-000000000002",
    }
    send(result)
    send(idle)


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


main()
