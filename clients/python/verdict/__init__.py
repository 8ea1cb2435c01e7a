"""A client for Verdict, which decides credit applications.

    from verdict import Client

    client = Client("https://verdict.example", key="vk_live_...")
    decision = client.create_decision({
        "applicant": {"id": "A-1001", "monthly_income": 85000, "foir": 0.32},
        "bureau_report": {"score": 742},
    })
    print(decision["status"], decision["decision_id"])

It needs Python 3.11 and nothing else.
"""

from .client import Client
from .problem import ConnectionFailed, Problem, VerdictError
from .webhook import InvalidSignature, verify_webhook

__all__ = ["Client", "ConnectionFailed", "InvalidSignature", "Problem", "VerdictError", "verify_webhook"]
__version__ = "1.0.0"
