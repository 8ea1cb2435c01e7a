"""From loans with known outcomes to a policy: fit a scorecard, make a draft that uses it, backtest the draft.

    verdict book -n 20000 -seed 7 > book.csv
    verdict book -n 20000 -seed 8 > new.csv
    VERDICT_URL=http://127.0.0.1:8080 VERDICT_KEY=vk_sandbox_... PYTHONPATH=.. python3 scorecard.py book.csv new.csv

The card is fitted to book.csv. The backtest decides the applicants of new.csv, whom the card has not seen: on the rows
to which it was fitted, every card looks better than it is.

PYTHONPATH names the folder with the package verdict; it is not needed if the client is installed. Run it cell by cell
in a notebook, or as a whole.
"""

# %% Connect
import os
import sys
from pathlib import Path

from verdict import Client

if len(sys.argv) < 3 or not os.environ.get("VERDICT_URL") or not os.environ.get("VERDICT_KEY"):
    print("usage: VERDICT_URL=http://127.0.0.1:8080 VERDICT_KEY=vk_sandbox_... python3 scorecard.py BOOK.csv NEW.csv\n"
          "The files have a row for each loan, and a column outcome with good or bad. "
          "The card is fitted to BOOK.csv and backtested on NEW.csv.", file=sys.stderr)
    sys.exit(2)
client = Client(os.environ["VERDICT_URL"], key=os.environ["VERDICT_KEY"])
book = Path(sys.argv[1]).read_text()
new_applicants = Path(sys.argv[2]).read_bytes()

# %% Fit a scorecard. A quarter of the rows is held out, and only measures the card.
print("fitting the scorecard", flush=True)
fit = client.fit_scorecard(
    {"csv": book, "target": "outcome", "bad_values": ["bad"], "exclude": ["applicant_id", "vintage", "bad_month"]}
)
holdout = fit["report"]["holdout"]
assert holdout is not None
print(f"AUC on {holdout['count']} rows that were held out: {holdout['auc']:.3f}, KS {holdout['ks']:.3f}")
for feature in fit["report"]["features"]:
    print(f"  {feature['column']:24} information value {feature['iv']:.3f}")

# %% Make a draft: the active policy with the new card instead of its own.
print("making the draft", flush=True)
active = next(r for r in client.pages(client.list_rule_sets, status="active"))
draft = client.create_rule_set(
    {"name": "Fitted card", "base": active["id"], "scorecard": fit["scorecard"]}  # type: ignore[typeddict-item]
)
errors = [f for f in draft.get("findings", []) if f["severity"] == "error"]
print(f"draft {draft['id']}, {len(draft.get('findings', []))} findings, {len(errors)} errors")

# %% Backtest the draft against the active policy, on applicants whom the card has not seen.
print("backtesting the draft", flush=True)
report = client.run_backtest(
    new_applicants, content_type="text/csv", rule_set_id=active["id"], challenger_rule_set_id=draft["id"]
)
print(f"{report['rows_evaluated']} rows decided, {report['rows_failed']} not")
for name, summary in (("active policy", report["summary"]), ("draft", report["challenger"]["summary"])):
    print(f"approved with the {name}: {100 * (summary['approval_rate'] or 0):.1f} %")
