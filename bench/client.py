"""The load generator for machines without wrk. Reads one call as JSON on standard input, prints one line of figures."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import httpx

from bench.figures import percentile


async def run(asked: dict[str, Any]) -> dict[str, float]:
    """Keep `concurrency` connections busy for `seconds`; each sends its next request when it has its answer."""
    latencies: list[float] = []
    failed = 0
    limits = httpx.Limits(max_connections=asked["concurrency"], max_keepalive_connections=asked["concurrency"])
    async with httpx.AsyncClient(headers=asked["headers"], limits=limits, timeout=30) as client:
        began = time.perf_counter()
        until = began + asked["seconds"]

        async def connection() -> None:
            nonlocal failed
            while (at := time.perf_counter()) < until:
                try:
                    answer = await client.request(asked["method"], asked["url"], content=asked["body"] or None)
                except httpx.TransportError:
                    failed += 1
                    continue
                latencies.append(time.perf_counter() - at)
                failed += not answer.is_success

        await asyncio.gather(*(connection() for _ in range(asked["concurrency"])))
        took = time.perf_counter() - began
    if not latencies:
        return {"requests": 0, "seconds": took, "failed": failed, "p50_us": 0, "p99_us": 0}
    return {
        "requests": len(latencies),
        "seconds": took,
        "failed": failed,
        "p50_us": percentile(latencies, 0.50) * 1e6,
        "p99_us": percentile(latencies, 0.99) * 1e6,
    }


if __name__ == "__main__":
    print("FIGURES " + json.dumps(asyncio.run(run(json.load(sys.stdin)))))
