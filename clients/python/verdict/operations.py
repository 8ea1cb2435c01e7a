"""A method for each operation of the API, generated from api/openapi.yaml by clients/generate."""

from __future__ import annotations

from typing import Any, Literal, Union

from . import types
from .transport import Transport


class Operations(Transport):
    """The operations of the API. Use Client, which adds keys and retries."""

    def sign_up(
        self,
        body: types.SignupRequest,
    ) -> types.SignupAnswer:
        """Create a tenant, its first user and its first key (POST /api/signup)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/api/signup",
            body=body,
            answer="json",
        )

    def get_health(
        self,
    ) -> types.Health:
        """Check liveness and readiness, and get the version (GET /v1/health)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/health",
            answer="json",
        )

    def evaluate_report(
        self,
        body: types.EvaluateRequest,
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
    ) -> types.Decision:
        """Evaluate a bureau report (POST /v1/evaluate)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/evaluate",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def evaluate_reports(
        self,
        body: Union[types.EvaluateReportsBody, bytes],
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
        content_type: str = "application/json",
    ) -> types.BatchResults:
        """Evaluate many bureau reports (POST /v1/evaluate/batch)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/evaluate/batch",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            content_type=content_type,
            answer="json",
            idempotent=True,
        )

    def create_decision(
        self,
        body: types.DecisionRequest,
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
    ) -> types.Decision:
        """Decide an application (POST /v1/decisions)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/decisions",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_decisions(
        self,
        *,
        status: Union[types.DecisionStatus, None] = None,
        grade: Union[types.Grade, None] = None,
        applicant_id: Union[str, None] = None,
        policy_key: Union[types.PolicyKey, None] = None,
        rule_set_id: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListDecisionsAnswer:
        """List decisions (GET /v1/decisions)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/decisions",
            query={
                "status": status,
                "grade": grade,
                "applicant_id": applicant_id,
                "policy_key": policy_key,
                "rule_set_id": rule_set_id,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_decision(
        self,
        id: str,
        *,
        include: Union[Literal["facts"], None] = None,
    ) -> types.StoredDecision:
        """Fetch a decision and explain it again (GET /v1/decisions/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}",
            query={
                "include": include,
            },
            answer="json",
        )

    def list_features(
        self,
        id: str,
        *,
        name: Union[str, None] = None,
        prefix: Union[str, None] = None,
        metric: Union[str, None] = None,
        product: Union[str, None] = None,
        window: Union[Literal[7, 30, 60, 90, 180, 365], None] = None,
        aggregation: Union[Literal["count", "sum", "max", "avg", "trend", "ratio"], None] = None,
        used_only: Union[bool, None] = None,
        populated_only: Union[bool, None] = None,
        provenance: Union[bool, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.FeaturePage:
        """Read the features of a decision (GET /v1/decisions/{id}/features)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}/features",
            query={
                "name": name,
                "prefix": prefix,
                "metric": metric,
                "product": product,
                "window": window,
                "aggregation": aggregation,
                "used_only": used_only,
                "populated_only": populated_only,
                "provenance": provenance,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def get_proof(
        self,
        id: str,
    ) -> str:
        """Prove that a decision is in the log (GET /v1/decisions/{id}/proof)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}/proof",
            answer="text",
        )

    def get_capsule(
        self,
        id: str,
    ) -> types.Capsule:
        """Get a decision with all its evidence (GET /v1/decisions/{id}/capsule)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}/capsule",
            answer="json",
        )

    def replace_lender_profile(
        self,
        body: types.NewLenderProfile,
        *,
        if_match: Union[str, None] = None,
    ) -> types.LenderProfile:
        """Store the lender profile that documents use (PUT /v1/lender-profile)."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            "/v1/lender-profile",
            headers={
                "If-Match": if_match,
            },
            body=body,
            answer="json",
        )

    def get_lender_profile(
        self,
        *,
        version: Union[int, None] = None,
    ) -> types.LenderProfile:
        """Read the lender profile that documents use (GET /v1/lender-profile)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/lender-profile",
            query={
                "version": version,
            },
            answer="json",
        )

    def get_key_facts_statement(
        self,
        id: str,
        *,
        lang: Union[Literal["en", "hi"], None] = None,
        format: Union[Literal["json", "html"], None] = None,
        disbursed_on: Union[str, None] = None,
    ) -> types.KeyFactsStatement:
        """Get the key facts statement of an offer (GET /v1/decisions/{id}/kfs)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}/kfs",
            query={
                "lang": lang,
                "format": format,
                "disbursed_on": disbursed_on,
            },
            answer="json",
        )

    def get_letter(
        self,
        id: str,
        *,
        lang: Union[Literal["en", "hi"], None] = None,
        format: Union[Literal["json", "html"], None] = None,
    ) -> types.Letter:
        """Get the letter about a decline or a counter-offer (GET /v1/decisions/{id}/letter)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/decisions/{self._quoted(id)}/letter",
            query={
                "lang": lang,
                "format": format,
            },
            answer="json",
        )

    def review_decision(
        self,
        id: str,
        body: types.ReviewRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Review:
        """Record a person's review of a decision (POST /v1/decisions/{id}/review)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/decisions/{self._quoted(id)}/review",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def check_eligibility(
        self,
        body: types.EligibilityRequest,
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
    ) -> types.Eligibility:
        """Run only the Stage 1 knockouts (POST /v1/eligibility)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/eligibility",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def create_rule_set(
        self,
        body: types.RuleSetRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.RuleSet:
        """Create a draft (POST /v1/rule-sets)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/rule-sets",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_rule_sets(
        self,
        *,
        status: Union[types.RuleSetStatus, None] = None,
        policy_key: Union[types.PolicyKey, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListRuleSetsAnswer:
        """List the versions of all policies (GET /v1/rule-sets)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/rule-sets",
            query={
                "status": status,
                "policy_key": policy_key,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_rule_set(
        self,
        id: str,
    ) -> types.RuleSet:
        """Fetch one version with its findings (GET /v1/rule-sets/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/rule-sets/{self._quoted(id)}",
            answer="json",
        )

    def delete_rule_set(
        self,
        id: str,
    ) -> None:
        """Delete a draft (DELETE /v1/rule-sets/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/rule-sets/{self._quoted(id)}",
            answer="none",
        )

    def create_decisions(
        self,
        body: Union[types.CreateDecisionsBody, bytes],
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
        content_type: str = "application/json",
    ) -> types.BatchResults:
        """Decide many applications (POST /v1/decisions/batch)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/decisions/batch",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            content_type=content_type,
            answer="json",
            idempotent=True,
        )

    def list_batches(
        self,
        *,
        status: Union[types.BatchStatus, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListBatchesAnswer:
        """List the batches that run as jobs (GET /v1/batches)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/batches",
            query={
                "status": status,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_batch(
        self,
        id: str,
    ) -> types.Batch:
        """Get the progress of a batch (GET /v1/batches/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/batches/{self._quoted(id)}",
            answer="json",
        )

    def delete_batch(
        self,
        id: str,
    ) -> None:
        """Delete a batch that is over (DELETE /v1/batches/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/batches/{self._quoted(id)}",
            answer="none",
        )

    def cancel_batch(
        self,
        id: str,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Batch:
        """Cancel a batch (POST /v1/batches/{id}/cancel)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/batches/{self._quoted(id)}/cancel",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            answer="json",
            idempotent=True,
        )

    def get_batch_results(
        self,
        id: str,
        *,
        from_: Union[int, None] = None,
        limit: Union[int, None] = None,
        errors: Union[Literal["0", "1"], None] = None,
    ) -> bytes:
        """Download the results of a batch (GET /v1/batches/{id}/results)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/batches/{self._quoted(id)}/results",
            query={
                "from": from_,
                "limit": limit,
                "errors": errors,
            },
            answer="bytes",
        )

    def preview_decision(
        self,
        body: types.PreviewRequest,
        *,
        prefer: Union[str, None] = None,
    ) -> Union[types.Preview, types.Comparison]:
        """Ask 'what if' without storing anything (POST /v1/decisions/preview)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/decisions/preview",
            headers={
                "Prefer": prefer,
            },
            body=body,
            answer="json",
        )

    def diff_rule_set(
        self,
        id: str,
        body: types.DiffRequest,
    ) -> types.PolicyDifference:
        """Compare two versions for all possible applicants (POST /v1/rule-sets/{id}/diff)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/rule-sets/{self._quoted(id)}/diff",
            body=body,
            answer="json",
        )

    def activate_rule_set(
        self,
        id: str,
        body: types.ActivationRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.RuleSet:
        """Activate a version (POST /v1/rule-sets/{id}/activate)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/rule-sets/{self._quoted(id)}/activate",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_policies(
        self,
        *,
        stats: Union[str, None] = None,
        policy_key: Union[types.PolicyKey, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListPoliciesAnswer:
        """Read the active policies and the drafts (GET /v1/policies)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/policies",
            query={
                "stats": stats,
                "policy_key": policy_key,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def replace_list(
        self,
        name: str,
        body: Union[types.ListRequest, bytes],
        *,
        type: Union[Literal["text", "number", "hashed"], None] = None,
        if_match: Union[str, None] = None,
        if_none_match: Union[Literal["*"], None] = None,
        content_type: str = "application/json",
    ) -> types.ReplacedList:
        """Replace or create a list (PUT /v1/lists/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            f"/v1/lists/{self._quoted(name)}",
            query={
                "type": type,
            },
            headers={
                "If-Match": if_match,
                "If-None-Match": if_none_match,
            },
            body=body,
            content_type=content_type,
            answer="json",
        )

    def get_list(
        self,
        name: str,
    ) -> types.List:
        """Read a list (GET /v1/lists/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/lists/{self._quoted(name)}",
            answer="json",
        )

    def change_list(
        self,
        name: str,
        body: types.ListPatch,
        *,
        if_match: Union[str, None] = None,
    ) -> types.ChangedList:
        """Add and remove entries (PATCH /v1/lists/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/lists/{self._quoted(name)}",
            headers={
                "If-Match": if_match,
            },
            body=body,
            answer="json",
        )

    def delete_list(
        self,
        name: str,
        *,
        if_match: Union[str, None] = None,
    ) -> None:
        """Delete a list (DELETE /v1/lists/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/lists/{self._quoted(name)}",
            headers={
                "If-Match": if_match,
            },
            answer="none",
        )

    def list_list_entries(
        self,
        name: str,
        *,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.ListEntries:
        """Read the entries of a list (GET /v1/lists/{name}/entries)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/lists/{self._quoted(name)}/entries",
            query={
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def list_contains(
        self,
        name: str,
        *,
        value: str,
    ) -> types.ListMembership:
        """Look up a value in a list (GET /v1/lists/{name}/contains)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/lists/{self._quoted(name)}/contains",
            query={
                "value": value,
            },
            answer="json",
        )

    def look_up_list_value(
        self,
        name: str,
        body: types.ListLookupRequest,
    ) -> types.ListMembership:
        """Look up a value from the body in a list (POST /v1/lists/{name}/lookup)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/lists/{self._quoted(name)}/lookup",
            body=body,
            answer="json",
        )

    def list_lists(
        self,
    ) -> types.ListListsAnswer:
        """List the lists (GET /v1/lists)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/lists",
            answer="json",
        )

    def replace_table(
        self,
        name: str,
        body: Union[types.TableRequest, bytes],
        *,
        keys: Union[str, None] = None,
        columns: Union[str, None] = None,
        if_match: Union[str, None] = None,
        if_none_match: Union[str, None] = None,
        content_type: str = "application/json",
    ) -> types.ReplacedTable:
        """Replace or create a table (PUT /v1/tables/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            f"/v1/tables/{self._quoted(name)}",
            query={
                "keys": keys,
                "columns": columns,
            },
            headers={
                "If-Match": if_match,
                "If-None-Match": if_none_match,
            },
            body=body,
            content_type=content_type,
            answer="json",
        )

    def get_table(
        self,
        name: str,
    ) -> types.Table:
        """Read a table (GET /v1/tables/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/tables/{self._quoted(name)}",
            answer="json",
        )

    def delete_table(
        self,
        name: str,
        *,
        if_match: Union[str, None] = None,
    ) -> None:
        """Delete a table (DELETE /v1/tables/{name})."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/tables/{self._quoted(name)}",
            headers={
                "If-Match": if_match,
            },
            answer="none",
        )

    def list_table_rows(
        self,
        name: str,
        *,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.TableRows:
        """Read the rows of a table (GET /v1/tables/{name}/rows)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/tables/{self._quoted(name)}/rows",
            query={
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def look_up_table_row(
        self,
        name: str,
        *,
        keys: str,
    ) -> types.TableLookup:
        """Look up a row of a table by key values (GET /v1/tables/{name}/lookup)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/tables/{self._quoted(name)}/lookup",
            query={
                "keys": keys,
            },
            answer="json",
        )

    def look_up_table_row_of_body(
        self,
        name: str,
        body: types.TableLookupRequest,
    ) -> types.TableLookup:
        """Look up a row of a table by key values in the body (POST /v1/tables/{name}/lookup)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/tables/{self._quoted(name)}/lookup",
            body=body,
            answer="json",
        )

    def list_tables(
        self,
    ) -> types.ListTablesAnswer:
        """List the tables (GET /v1/tables)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/tables",
            answer="json",
        )

    def create_or_score_scorecard(
        self,
        body: Union[types.ScorecardRequest, types.ScoreRequest],
        *,
        idempotency_key: Union[str, None] = None,
    ) -> Union[types.Score, types.Scores]:
        """Create a scorecard, or score with one (POST /v1/scorecards)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/scorecards",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_scorecards(
        self,
        *,
        name: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListScorecardsAnswer:
        """List scorecards (GET /v1/scorecards)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/scorecards",
            query={
                "name": name,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def fit_scorecard(
        self,
        body: types.FitRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Fit:
        """Fit a scorecard to data (POST /v1/scorecards/fit)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/scorecards/fit",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_alerts(
        self,
        *,
        status: Union[types.AlertStatus, None] = None,
        type: Union[types.SignalId, None] = None,
        severity: Union[types.Severity, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListAlertsAnswer:
        """List fraud alerts (GET /v1/fraud/alerts)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/fraud/alerts",
            query={
                "status": status,
                "type": type,
                "severity": severity,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_alert(
        self,
        id: str,
    ) -> types.AlertWithHistory:
        """Fetch an alert with its history (GET /v1/fraud/alerts/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/fraud/alerts/{self._quoted(id)}",
            answer="json",
        )

    def move_alert(
        self,
        id: str,
        body: types.AlertMove,
    ) -> types.Alert:
        """Acknowledge or close an alert (PATCH /v1/fraud/alerts/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/fraud/alerts/{self._quoted(id)}",
            body=body,
            answer="json",
        )

    def get_alert_ring(
        self,
        id: str,
    ) -> types.Ring:
        """Fetch the ring of an alert as a graph (GET /v1/fraud/alerts/{id}/ring)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/fraud/alerts/{self._quoted(id)}/ring",
            answer="json",
        )

    def list_blocked(
        self,
        *,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.ListBlockedAnswer:
        """List the blocked entities (GET /v1/fraud/blocklist)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/fraud/blocklist",
            query={
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def block(
        self,
        body: types.BlockRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.BlockedEntity:
        """Add an entity to the block list (POST /v1/fraud/blocklist)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/fraud/blocklist",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def unblock(
        self,
        *,
        kind: types.EntityKind,
        key: str,
    ) -> None:
        """Remove an entity from the block list (DELETE /v1/fraud/blocklist)."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            "/v1/fraud/blocklist",
            query={
                "kind": kind,
                "key": key,
            },
            answer="none",
        )

    def get_fraud_config(
        self,
    ) -> types.FraudConfig:
        """Read the thresholds of fraud, device and location (GET /v1/fraud/config)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/fraud/config",
            answer="json",
        )

    def change_fraud_config(
        self,
        body: types.FraudConfigPatch,
        *,
        if_match: Union[str, None] = None,
    ) -> types.FraudConfig:
        """Change thresholds (PUT /v1/fraud/config)."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            "/v1/fraud/config",
            headers={
                "If-Match": if_match,
            },
            body=body,
            answer="json",
        )

    def set_pincode_risk(
        self,
        body: types.PincodeRiskRequest,
    ) -> types.SetPincodeRiskAnswer:
        """Set the risk of pincodes (PUT /v1/fraud/pincode-risk)."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            "/v1/fraud/pincode-risk",
            body=body,
            answer="json",
        )

    def list_pincode_risk(
        self,
        *,
        pincode: Union[str, None] = None,
        prefix: Union[str, None] = None,
        risk: Union[types.Risk, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.ListPincodeRiskAnswer:
        """List the risk of pincodes (GET /v1/fraud/pincode-risk)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/fraud/pincode-risk",
            query={
                "pincode": pincode,
                "prefix": prefix,
                "risk": risk,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def run_backtest(
        self,
        body: Union[types.BacktestRequest, bytes],
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
        rule_set_id: Union[str, None] = None,
        challenger_rule_set_id: Union[str, None] = None,
        reference_backtest_id: Union[str, None] = None,
        policy_key: Union[str, None] = None,
        map: Union[str, None] = None,
        outcome_column: Union[str, None] = None,
        bad_values: Union[str, None] = None,
        good_values: Union[str, None] = None,
        weight_column: Union[str, None] = None,
        status_column: Union[str, None] = None,
        protected_column: Union[str, None] = None,
        month_column: Union[str, None] = None,
        id_column: Union[str, None] = None,
        foir_unit: Union[Literal["ratio", "percent"], None] = None,
        lgd: Union[float, None] = None,
        funding_rate: Union[float, None] = None,
        content_type: str = "application/json",
    ) -> types.BacktestReport:
        """Run a policy over past applications (POST /v1/backtest)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/backtest",
            query={
                "rule_set_id": rule_set_id,
                "challenger_rule_set_id": challenger_rule_set_id,
                "reference_backtest_id": reference_backtest_id,
                "policy_key": policy_key,
                "map": map,
                "outcome_column": outcome_column,
                "bad_values": bad_values,
                "good_values": good_values,
                "weight_column": weight_column,
                "status_column": status_column,
                "protected_column": protected_column,
                "month_column": month_column,
                "id_column": id_column,
                "foir_unit": foir_unit,
                "lgd": lgd,
                "funding_rate": funding_rate,
            },
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            content_type=content_type,
            answer="json",
            idempotent=True,
        )

    def list_backtests(
        self,
        *,
        status: Union[types.BacktestStatus, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListBacktestsAnswer:
        """List backtests (GET /v1/backtest)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/backtest",
            query={
                "status": status,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_backtest(
        self,
        id: str,
    ) -> types.BacktestRun:
        """Get the progress of a backtest, and its report (GET /v1/backtest/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/backtest/{self._quoted(id)}",
            answer="json",
        )

    def cancel_backtest(
        self,
        id: str,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.BacktestRun:
        """Cancel a backtest (POST /v1/backtest/{id}/cancel)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/backtest/{self._quoted(id)}/cancel",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            answer="json",
            idempotent=True,
        )

    def get_backtest_rows(
        self,
        id: str,
        *,
        swapped: Union[Literal["0", "1"], None] = None,
    ) -> str:
        """Download the decision of each row (GET /v1/backtest/{id}/rows)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/backtest/{self._quoted(id)}/rows",
            query={
                "swapped": swapped,
            },
            answer="text",
        )

    def get_backtest_report(
        self,
        id: str,
    ) -> str:
        """Download the report as an HTML page (GET /v1/backtest/{id}/report)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/backtest/{self._quoted(id)}/report",
            answer="text",
        )

    def run_synthetic_backtest(
        self,
        *,
        n: Union[int, None] = None,
        seed: Union[int, None] = None,
        months: Union[int, None] = None,
        bad_rate: Union[float, None] = None,
        rule_set_id: Union[str, None] = None,
        challenger_rule_set_id: Union[str, None] = None,
        policy_key: Union[str, None] = None,
    ) -> types.BacktestReport:
        """Run a policy over a synthetic book (GET /v1/credit/backtest)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/credit/backtest",
            query={
                "n": n,
                "seed": seed,
                "months": months,
                "bad_rate": bad_rate,
                "rule_set_id": rule_set_id,
                "challenger_rule_set_id": challenger_rule_set_id,
                "policy_key": policy_key,
            },
            answer="json",
        )

    def underwrite(
        self,
        body: types.UnderwritingRequest,
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
    ) -> types.UnderwritingRun:
        """Underwrite an application (POST /v1/agents/underwrite)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/agents/underwrite",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def collect(
        self,
        body: types.CollectionsRequest,
        *,
        idempotency_key: Union[str, None] = None,
        prefer: Union[str, None] = None,
    ) -> types.CollectionsRun:
        """Advise on a loan in arrears (POST /v1/agents/collections)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/agents/collections",
            headers={
                "Idempotency-Key": idempotency_key,
                "Prefer": prefer,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def get_collections_strategy(
        self,
    ) -> types.CollectionsStrategy:
        """Read the collections strategy (GET /v1/agents/collections/strategy)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/agents/collections/strategy",
            answer="json",
        )

    def change_collections_strategy(
        self,
        body: types.CollectionsStrategyPatch,
        *,
        if_match: Union[str, None] = None,
    ) -> types.CollectionsStrategy:
        """Change the collections strategy (PUT /v1/agents/collections/strategy)."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            "/v1/agents/collections/strategy",
            headers={
                "If-Match": if_match,
            },
            body=body,
            answer="json",
        )

    def list_agent_runs(
        self,
        *,
        agent: Union[types.AgentName, None] = None,
        outcome: Union[str, None] = None,
        subject_ref: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListAgentRunsAnswer:
        """List runs (GET /v1/agents/runs)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/agents/runs",
            query={
                "agent": agent,
                "outcome": outcome,
                "subject_ref": subject_ref,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_agent_run(
        self,
        id: str,
    ) -> Union[types.UnderwritingRun, types.CollectionsRun]:
        """Read a run and repeat it (GET /v1/agents/runs/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/agents/runs/{self._quoted(id)}",
            answer="json",
        )

    def list_events(
        self,
        *,
        after: Union[int, None] = None,
        limit: Union[int, None] = None,
    ) -> types.EventFeed:
        """Read the events in order (GET /v1/events)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/events",
            query={
                "after": after,
                "limit": limit,
            },
            answer="json",
        )

    def create_webhook(
        self,
        body: types.WebhookRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.WebhookSecret:
        """Create a webhook (POST /v1/webhooks)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/webhooks",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_webhooks(
        self,
    ) -> types.WebhookList:
        """List webhooks (GET /v1/webhooks)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/webhooks",
            answer="json",
        )

    def test_webhook(
        self,
        id: str,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.WebhookDelivery:
        """Send a test event (POST /v1/webhooks/{id}/test)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/webhooks/{self._quoted(id)}/test",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            answer="json",
            idempotent=True,
        )

    def list_webhook_deliveries(
        self,
        id: str,
        *,
        failed: Union[bool, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.WebhookDeliveries:
        """List attempts to deliver events (GET /v1/webhooks/{id}/deliveries)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/webhooks/{self._quoted(id)}/deliveries",
            query={
                "failed": failed,
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def redeliver_events(
        self,
        id: str,
        body: types.RedeliverRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> None:
        """Send events again (POST /v1/webhooks/{id}/redeliver)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/webhooks/{self._quoted(id)}/redeliver",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="none",
            idempotent=True,
        )

    def rotate_webhook_secret(
        self,
        id: str,
        body: types.RotateSecretRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.WebhookSecret:
        """Replace the secret of a webhook (POST /v1/webhooks/{id}/secret)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/webhooks/{self._quoted(id)}/secret",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def get_webhook(
        self,
        id: str,
    ) -> types.Webhook:
        """Read a webhook (GET /v1/webhooks/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/webhooks/{self._quoted(id)}",
            answer="json",
        )

    def change_webhook(
        self,
        id: str,
        body: types.WebhookChange,
    ) -> types.Webhook:
        """Change, pause or resume a webhook (PATCH /v1/webhooks/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "PATCH",
            f"/v1/webhooks/{self._quoted(id)}",
            body=body,
            answer="json",
        )

    def delete_webhook(
        self,
        id: str,
    ) -> None:
        """Delete a webhook (DELETE /v1/webhooks/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "DELETE",
            f"/v1/webhooks/{self._quoted(id)}",
            answer="none",
        )

    def get_log_key(
        self,
    ) -> str:
        """Read the public key of the log (GET /v1/log/key)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/log/key",
            answer="text",
        )

    def get_checkpoint(
        self,
    ) -> str:
        """Read the last signed checkpoint (GET /v1/log/checkpoint)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/log/checkpoint",
            answer="text",
        )

    def add_cosignature(
        self,
        body: types.CosignatureRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Cosignature:
        """Add the signature of a witness to a checkpoint (POST /v1/log/cosignatures)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/log/cosignatures",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def get_tile(
        self,
        level: str,
        index: str,
    ) -> bytes:
        """Read a tile of the log (GET /v1/log/tile/{level}/{index})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/log/tile/{self._quoted(level)}/{self._quoted(index)}",
            answer="bytes",
        )

    def get_usage(
        self,
    ) -> types.Usage:
        """Get the usage and the plan's quota (GET /v1/usage)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/usage",
            answer="json",
        )

    def list_audit(
        self,
        *,
        actor: Union[str, None] = None,
        action: Union[str, None] = None,
        object: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
    ) -> types.ListAuditAnswer:
        """Read the audit trail (GET /v1/audit)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/audit",
            query={
                "actor": actor,
                "action": action,
                "object": object,
                "from": from_,
                "to": to,
                "limit": limit,
                "cursor": cursor,
                "order": order,
            },
            answer="json",
        )

    def get_livez(
        self,
    ) -> str:
        """Is the process alive? (GET /livez)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/livez",
            answer="text",
        )

    def get_readyz(
        self,
    ) -> str:
        """Is the service ready? (GET /readyz)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/readyz",
            answer="text",
        )

    def get_front(
        self,
    ) -> types.GetFrontAnswer:
        """Find the console and the documentation (GET /)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/",
            answer="json",
        )

    def get_open_apias_json(
        self,
    ) -> types.GetOpenAPIAsJSONAnswer:
        """This document as JSON (GET /openapi.json)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/openapi.json",
            answer="json",
        )

    def get_open_api(
        self,
    ) -> str:
        """This document (GET /openapi.yaml)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/openapi.yaml",
            answer="text",
        )

    def get_docs(
        self,
    ) -> str:
        """Read the documentation (GET /docs)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/docs",
            answer="text",
        )

    def get_error_page(
        self,
        code: str,
    ) -> str:
        """What an error code means (GET /docs/errors/{code})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/docs/errors/{self._quoted(code)}",
            answer="text",
        )

    def erase_person(
        self,
        body: types.ErasureRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Erasure:
        """Erase everything about a person (POST /v1/erasures)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/erasures",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_erasures(
        self,
        *,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.Erasures:
        """List erasures (GET /v1/erasures)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/erasures",
            query={
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def get_erasure(
        self,
        id: str,
    ) -> types.Erasure:
        """Read the receipt of an erasure (GET /v1/erasures/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/erasures/{self._quoted(id)}",
            answer="json",
        )

    def withdraw_erasure(
        self,
        id: str,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Erasure:
        """Withdraw a deferred erasure (POST /v1/erasures/{id}/withdraw)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/erasures/{self._quoted(id)}/withdraw",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            answer="json",
            idempotent=True,
        )

    def report_exposure(
        self,
        body: types.ExposureRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.Exposure:
        """Report the state of a loan (POST /v1/exposures)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/exposures",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_exposures(
        self,
        *,
        applicant_ref: Union[str, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.Exposures:
        """List reported loans (GET /v1/exposures)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/exposures",
            query={
                "applicant_ref": applicant_ref,
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def place_legal_hold(
        self,
        body: types.LegalHoldRequest,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.LegalHold:
        """Place a legal hold on an applicant (POST /v1/legal-holds)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            "/v1/legal-holds",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            body=body,
            answer="json",
            idempotent=True,
        )

    def list_legal_holds(
        self,
        *,
        applicant_ref: Union[str, None] = None,
        in_force: Union[bool, None] = None,
        from_: Union[str, None] = None,
        to: Union[str, None] = None,
        order: Union[Literal["asc", "desc"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.LegalHolds:
        """List legal holds (GET /v1/legal-holds)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/legal-holds",
            query={
                "applicant_ref": applicant_ref,
                "in_force": in_force,
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )

    def get_legal_hold(
        self,
        id: str,
    ) -> types.LegalHold:
        """Read a legal hold (GET /v1/legal-holds/{id})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/legal-holds/{self._quoted(id)}",
            answer="json",
        )

    def release_legal_hold(
        self,
        id: str,
        *,
        idempotency_key: Union[str, None] = None,
    ) -> types.LegalHold:
        """Release a legal hold (POST /v1/legal-holds/{id}/release)."""
        return self._call(  # type: ignore[no-any-return]
            "POST",
            f"/v1/legal-holds/{self._quoted(id)}/release",
            headers={
                "Idempotency-Key": idempotency_key,
            },
            answer="json",
            idempotent=True,
        )

    def get_retention(
        self,
    ) -> types.Retention:
        """Read the retention periods (GET /v1/retention)."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            "/v1/retention",
            answer="json",
        )

    def set_retention(
        self,
        body: types.RetentionRequest,
        *,
        if_match: Union[str, None] = None,
    ) -> types.Retention:
        """Set the retention periods (PUT /v1/retention)."""
        return self._call(  # type: ignore[no-any-return]
            "PUT",
            "/v1/retention",
            headers={
                "If-Match": if_match,
            },
            body=body,
            answer="json",
        )

    def get_applicant(
        self,
        ref: str,
        *,
        audience: Union[Literal["lender", "applicant"], None] = None,
        include: Union[Literal["facts"], None] = None,
        limit: Union[int, None] = None,
        cursor: Union[str, None] = None,
    ) -> types.HeldApplicant:
        """Read everything that is held about an applicant (GET /v1/applicants/{ref})."""
        return self._call(  # type: ignore[no-any-return]
            "GET",
            f"/v1/applicants/{self._quoted(ref)}",
            query={
                "audience": audience,
                "include": include,
                "limit": limit,
                "cursor": cursor,
            },
            answer="json",
        )
