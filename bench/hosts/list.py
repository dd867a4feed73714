"""Lists the sessions below CLAUDE_CONFIG_DIR with the official Python SDK, for the benchmark."""

import json
import resource
import time

from claude_agent_sdk import list_sessions

begin = time.perf_counter()
sessions = list_sessions()
wall = time.perf_counter() - begin
usage = resource.getrusage(resource.RUSAGE_SELF)
report = {
    "wall_ms": wall * 1e3,
    "sessions": len(sessions),
    "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1e3,
    "peak_kib": usage.ru_maxrss,
}
print(json.dumps(report))
