"""The scenario that all clients run (see scenario_test.go). Prints what it saw as JSON."""

from __future__ import annotations

import json
import os
from typing import Any, Callable

from verdict import Client, InvalidSignature, Problem, types, verify_webhook

url = os.environ["VERDICT_URL"]
saw: dict[str, Any] = {}
signup = Client(url).sign_up({"email": "py@example.in", "org_name": "Python Finance", "password": "a long password"})
verdict = Client(url, key=signup["api_key"])


def application(score: int) -> types.DecisionRequest:
    return {
        "applicant": {"id": f"A-{score}", "monthly_income": 85000, "foir": 0.32, "requested_amount": 600000},
        "bureau_report": {"score": score, "enquiries_6m": 2, "active_tradelines": 4, "max_dpd_12m": 0},
    }


def refusal(call: Callable[[], object]) -> Any:
    try:
        call()
    except Problem as problem:
        return {
            "status": problem.status,
            "code": problem.code,
            "pointers": [e["pointer"] for e in problem.errors],
        }
    return "not refused"


decided = verdict.create_decision(application(742))
offer = decided.get("offer")
saw["decided"] = {
    "status": decided["status"],
    "grade": decided.get("grade"),
    "hash": decided["decision_hash"],
    "limit": offer["limit"] if offer else None,
}

first = verdict.create_decision(application(760), idempotency_key="order-1")
again = verdict.create_decision(application(760), idempotency_key="order-1")
saw["same"] = first["decision_id"] == again["decision_id"]

saw["refused"] = refusal(lambda: verdict.create_decision({"bureau_report": {"score": 9000}}))
saw["stranger"] = refusal(lambda: Client(url, key="vk_test_wrong").get_usage())
try:
    Client(url, key="vk_sandbox_…")
except ValueError as error:
    saw["placeholder"] = str(error)

for score in (700, 710, 720):
    verdict.create_decision(application(score))
listed = [d["decision_id"] for d in verdict.pages(verdict.list_decisions, limit=2)]
saw["listed"] = len(listed)
saw["distinct"] = len(set(listed))

# The proxy of the test refuses twice, and then loses the answer once: four requests, one decision.
waits: list[float] = []
behind = Client(os.environ["UNRELIABLE_URL"], key=signup["api_key"], sleep=waits.append)
saw["survived"] = behind.create_decision(application(730))["status"]
saw["waits"] = waits

# A client waits for 30 seconds, but no longer.
longest: list[float] = []
Client(os.environ["BUSY_URL"], key=signup["api_key"], sleep=longest.append).get_usage()
saw["longest"] = longest
closed_waits: list[float] = []
closed = Client(os.environ["CLOSED_URL"], key=signup["api_key"], sleep=closed_waits.append)
saw["closed"] = refusal(lambda: closed.create_decision(application(730)))
saw["closed_waits"] = closed_waits
saw["used"] = verdict.get_usage()["used"]

body = b'{"type":"decision.created"}'
headers: dict[str, str] = json.loads(os.environ["WEBHOOK_HEADERS"])
now = float(headers["webhook-timestamp"])


def check(text: bytes, at: float) -> str:
    try:
        verify_webhook(os.environ["WEBHOOK_SECRET"], headers, text, now=at)
    except InvalidSignature:
        return "wrong"
    return "right"


saw["webhook"] = [check(body, now), check(body + b" ", now), check(body, now + 301)]

print(json.dumps(saw))
