"""The documents of the API, generated from api/openapi.yaml by clients/generate.

Every document is a plain dict. These types only tell editors and type checkers what is in it.
"""

from __future__ import annotations

from typing import Any, Literal, Required, TypeAlias, TypedDict, Union


class EventFeed(TypedDict, total=False):
    """Events in the order of their sequence numbers."""

    data: Required[list["Event"]]
    last_sequence: Required[int]
    has_more: Required[bool]

class EventData(TypedDict, total=False):
    """The change."""

    decision_id: str
    status: str
    grade: str
    policy_key: str
    rule_set_id: str
    policy_version: int
    endpoint: str
    decision_hash: str
    actor: str
    review_id: str
    outcome: str
    reason_code: str
    base: str
    checksum: str
    version: int
    activated_at: str
    retired_at: str
    previous_rule_set_id: str
    config: Literal["fraud_config", "collections_strategy", "pincode_risks", "retention", "lender_profile"]
    entries: int
    alert_id: str
    alert_type: str
    severity: str
    applicants: int
    merged_into: str
    resolution: str
    key_id: str
    owner: str
    role: str
    scopes: str
    expires_at: str
    backtest_id: str
    batch_id: str
    challenger_id: str
    error_code: str
    rows: int
    percent: int
    period: str
    quota: int
    used: int
    scorecard_id: str
    block_id: str
    list: str
    list_id: str
    table: str
    table_id: str
    entity_kind: "EntityKind"
    webhook_id: str
    reason: str
    failing_since: "Time"
    last_sequence: int
    erasure_id: str
    references: list[str]
    decisions: int
    features: int
    agent_runs: int
    answers: int
    alert_references: int
    fraud_links: int
    exposures: int
    exposure_id: str
    legal_hold_id: str
    zone: str
    stored_before: "Time"
    until: str

class Event(TypedDict, total=False):
    """A change that happened in the environment."""

    id: Required[str]
    sequence: Required[int]
    type: Required["EventType"]
    timestamp: Required[str]
    backfilled: bool
    data: Required["EventData"]

class WebhookRequest(TypedDict, total=False):
    url: Required[str]
    types: Union[list["EventType"], None]
    description: Union[str, None]
    state: Union[Literal["enabled", "paused"], None]
    after_sequence: Union[int, None]

class WebhookChange(TypedDict, total=False):
    url: Union[str, None]
    types: Union[list["EventType"], None]
    description: Union[str, None]
    state: Union[Literal["enabled", "paused"], None]

class RotateSecretRequest(TypedDict, total=False):
    overlap_hours: Union[int, None]

class RedeliverRequest(TypedDict, total=False):
    """Either `sequence`, or `from_sequence` and `to_sequence`."""

    sequence: Union[int, None]
    from_sequence: Union[int, None]
    to_sequence: Union[int, None]

EventType: TypeAlias = Literal["decision.created", "decision.reviewed", "rule_set.created", "rule_set.activated", "rule_set.archived", "rule_set.deleted", "scorecard.created", "config.changed", "alert.opened", "alert.updated", "alert.closed", "blocklist.added", "blocklist.extended", "blocklist.removed", "list.created", "list.changed", "list.deleted", "table.created", "table.changed", "table.deleted", "key.created", "key.revoked", "backtest.finished", "batch.finished", "exposure.reported", "exposure.closed", "exposure.deleted", "usage.threshold", "webhook.disabled", "erasure.started", "erasure.completed", "legal_hold.placed", "legal_hold.released", "retention.applied"]

class ErasureRequest(TypedDict, total=False):
    """Either `applicant_ref`, or `decision_id` of a decision that names no applicant."""

    applicant_ref: Union[str, None]
    decision_id: Union[str, None]
    reason: Required["ErasureReason"]

ErasureReason: TypeAlias = Literal["applicant_request", "consent_withdrawn", "purpose_fulfilled", "legal_obligation", "other"]

class ErasureErased(TypedDict, total=False):
    """How much was erased."""

    decisions: Required[int]
    features: Required[int]
    agent_runs: Required[int]
    answers: Required[int]
    alert_references: Required[int]
    fraud_links: Required[int]
    exposures: int
    zones: Required[dict[str, int]]

class ErasureKeptItem(TypedDict, total=False):
    what: Required[str]
    basis: Required[Literal["accountability", "fraud_prevention", "repeated_request", "uploaded_by_lender"]]
    until: Required[Union["Time", None]]

class Erasure(TypedDict, total=False):
    """The receipt of an erasure."""

    id: Required[str]
    state: Required[Literal["deferred", "running", "completed", "withdrawn"]]
    reason: Required["ErasureReason"]
    applicant_ref: str
    decision_id: str
    actor: Required[str]
    requested_at: Required["Time"]
    basis: list[Literal["open_offer", "open_exposure", "open_alert", "legal_hold"]]
    deferred_until: Union["Time", None]
    withdrawn_at: "Time"
    withdrawn_by: str
    erased_at: Required[Union["Time", None]]
    beyond_recovery_at: Required[Union["Time", None]]
    erased: Required["ErasureErased"]
    replaced_by: Required[list[str]]
    kept: Required[list["ErasureKeptItem"]]

class RetentionRequestZonesValue(TypedDict, total=False):
    period: Required[str]
    basis: Required["RetentionBasis"]

class RetentionRequest(TypedDict, total=False):
    zones: Required[dict[str, Union["RetentionRequestZonesValue", None]]]

RetentionBasis: TypeAlias = Literal["legal_obligation", "purpose_fulfilled", "consent", "fraud_prevention", "legitimate_use"]

class RetentionZonesValue(TypedDict, total=False):
    period: Required[Union[str, None]]
    basis: Required[Union["RetentionBasis", None]]
    applies_from: Any
    due: int
    due_is_minimum: bool
    documents_erased: Required[int]
    erased_before: Required[Union["Time", None]]
    applied_at: Required[Union["Time", None]]

class Retention(TypedDict, total=False):
    version: Required[int]
    updated_at: "Time"
    updated_by: str
    zones: Required[dict[str, "RetentionZonesValue"]]

class DecisionPeopleItem(TypedDict, total=False):
    role: Required[Literal["primary", "co_applicant", "guarantor"]]
    applicant_ref: Required[str]

DecisionPeople: TypeAlias = list["DecisionPeopleItem"]

class HeldApplicantStoredItem(TypedDict, total=False):
    zone: Required[str]
    period: Required[Union[str, None]]
    basis: Required[Union["RetentionBasis", None]]
    until: Required[Union["Time", None]]

class HeldApplicantErasure(TypedDict, total=False):
    """An erasure that is deferred or running."""

    id: str
    state: Required[str]
    reason: "ErasureReason"
    applicant_ref: str
    actor: str
    requested_at: Required["Time"]
    basis: list[str]
    deferred_until: Union["Time", None]
    erased_at: Union["Time", None]
    beyond_recovery_at: Union["Time", None]
    erased: dict[str, Any]
    replaced_by: list[str]
    kept: list[dict[str, Any]]

class HeldApplicantAlertsItem(TypedDict, total=False):
    id: Required[str]
    type: Required[str]
    severity: Required[str]
    status: Required[str]
    resolution: str
    created_at: Required["Time"]

class HeldApplicantOtherRolesItem(TypedDict, total=False):
    decision_id: Required[str]
    role: Required[Literal["co_applicant", "guarantor"]]
    status: Required[str]
    created_at: Required["Time"]
    changed_by_review: bool
    status_after_review: str
    people: "DecisionPeople"
    facts: dict[str, Any]
    inputs_erased: list[str]

class HeldApplicantAgentRunsItem(TypedDict, total=False):
    run_id: Required[str]
    agent: Required[str]
    outcome: str
    decision_id: str
    created_at: Required["Time"]

class HeldApplicant(TypedDict, total=False):
    """What is held about an applicant."""

    applicant_ref: Required[str]
    stored: Required[list["HeldApplicantStoredItem"]]
    legal_holds: list["LegalHold"]
    erasure: "HeldApplicantErasure"
    alerts: list["HeldApplicantAlertsItem"]
    fraud_links: bool
    exposures: list["Exposure"]
    other_role_count: int
    other_roles: list["HeldApplicantOtherRolesItem"]
    agent_run_count: Required[int]
    agent_runs: Required[list["HeldApplicantAgentRunsItem"]]
    decision_count: Required[int]
    data: Required[list[Union["StoredDecision", "ApplicantDecision"]]]
    pagination: Required["Pagination"]

class ApplicantDecisionOffer(TypedDict, total=False):
    """The offer of an approval that no person has overturned, or of a referral that a person has overturned."""

    limit: Required[float]
    interest_rate: Required[float]
    valid_until: "Time"
    replaced: bool

class ApplicantDecision(TypedDict, total=False):
    """A decision in a form that can be given to the applicant."""

    decision_id: Required[str]
    status: Required["DecisionStatus"]
    created_at: Required["Time"]
    changed_by_review: bool
    status_after_review: Any
    offer: "ApplicantDecisionOffer"
    reasons: Required[list[str]]
    inputs_erased: list[str]

class ExposureRequest(TypedDict, total=False):
    """The state of a loan."""

    applicant_ref: Required[str]
    decision_id: Union[str, None]
    product: Union[str, None]
    outstanding: Union[float, None]
    emi: Union[float, None]
    dpd: Union[int, None]
    closed: Union[bool, None]

class Exposure(TypedDict, total=False):
    """A loan as it was reported last."""

    id: Required[str]
    applicant_ref: Required[str]
    decision_id: Required[Union[str, None]]
    product: Required[Union[str, None]]
    outstanding: Required[float]
    emi: Required[float]
    dpd: Required[int]
    closed: Required[bool]
    created_at: Required["Time"]
    updated_at: Required["Time"]
    closed_at: Required[Union["Time", None]]
    warnings: list["Warning"]

class Exposures(TypedDict, total=False):
    data: Required[list["Exposure"]]
    pagination: Required["Pagination"]

class LegalHoldRequest(TypedDict, total=False):
    """Either `applicant_ref`, or `decision_id` of a decision that names no applicant."""

    applicant_ref: Union[str, None]
    decision_id: Union[str, None]
    reason: Required["LegalHoldReason"]
    until: Union[str, None]

LegalHoldReason: TypeAlias = Literal["litigation", "regulator_request", "law_enforcement", "audit", "complaint", "other"]

class LegalHold(TypedDict, total=False):
    id: Required[str]
    state: Required[Literal["in_force", "released", "ended"]]
    applicant_ref: str
    decision_id: str
    reason: Required["LegalHoldReason"]
    actor: Required[str]
    placed_at: Required["Time"]
    until: Required[Union["Time", None]]
    released_at: "Time"
    released_by: str

class LegalHolds(TypedDict, total=False):
    data: Required[list["LegalHold"]]
    pagination: Required["Pagination"]

class Erasures(TypedDict, total=False):
    data: Required[list["Erasure"]]
    pagination: Required["Pagination"]

class ConsultedList(TypedDict, total=False):
    name: Required[str]
    version: Required[int]

ListType: TypeAlias = Literal["text", "number", "hashed"]

class ListUsedByItem(TypedDict, total=False):
    rule_set_id: Required[str]
    policy_key: Required[str]
    version: Required[int]
    name: Required[str]
    status: Required[Literal["active", "retired"]]

class List(TypedDict, total=False):
    name: Required[str]
    type: Required["ListType"]
    version: Required[int]
    entries: Required[int]
    created_at: Required["Time"]
    created_by: Required[str]
    updated_at: Required["Time"]
    updated_by: Required[str]
    used_by: Required[list["ListUsedByItem"]]

class ListEntryRequest(TypedDict, total=False):
    value: Required[Union[str, float]]
    expires_at: Union[str, None]

class ListRequest(TypedDict, total=False):
    type: Union["ListType", None]
    entries: Required[list["ListEntryRequest"]]

class ListPatch(TypedDict, total=False):
    add: Union[list["ListEntryRequest"], None]
    remove: Union[list[Union[str, float]], None]

class ReplacedList(TypedDict, total=False):
    name: Required[str]
    type: Required["ListType"]
    version: Required[int]
    entries: Required[int]
    created_at: Required["Time"]
    created_by: Required[str]
    updated_at: Required["Time"]
    updated_by: Required[str]
    received: Required[int]
    repeated: Required[int]
    expired: Required[int]

class ChangedList(TypedDict, total=False):
    name: Required[str]
    type: Required["ListType"]
    version: Required[int]
    entries: Required[int]
    created_at: Required["Time"]
    created_by: Required[str]
    updated_at: Required["Time"]
    updated_by: Required[str]
    received: Required[int]
    repeated: Required[int]
    expired: Required[int]
    added: Required[int]
    removed: Required[int]
    not_found: Required[int]

class ListEntriesDataItem(TypedDict, total=False):
    value: Required[Union[str, float]]
    expires_at: "Time"
    expired: bool

class ListEntries(TypedDict, total=False):
    list: Required[str]
    version: Required[int]
    data: Required[list["ListEntriesDataItem"]]
    pagination: Required["Pagination"]

class ListLookupRequest(TypedDict, total=False):
    value: Required[Union[str, float]]

class ListMembership(TypedDict, total=False):
    list: Required[str]
    version: Required[int]
    contains: Required[bool]
    expires_at: "Time"

class ConsultedTable(TypedDict, total=False):
    name: Required[str]
    version: Required[int]

TableType: TypeAlias = Literal["number", "text", "boolean"]

class TableKey(TypedDict, total=False):
    field: Required[str]
    match: Required[Literal["exact", "range"]]
    type: Required["TableType"]

class TableKeyRequest(TypedDict, total=False):
    field: Required[str]
    match: Union[Literal["exact", "range"], None]
    type: Union["TableType", None]

class TableColumn(TypedDict, total=False):
    name: Required[str]
    type: Required["TableType"]

TableValue: TypeAlias = Union[str, float, bool]

class TableRange(TypedDict, total=False):
    """The numbers from `gte` up to but not including `lt`."""

    gte: Union[float, None]
    lt: Union[float, None]

class TableRow(TypedDict, total=False):
    keys: Required[list[Union["TableValue", "TableRange"]]]
    values: Required[list["TableValue"]]

class TableRequest(TypedDict, total=False):
    keys: Required[list["TableKeyRequest"]]
    columns: Required[list["TableColumn"]]
    rows: Required[list["TableRow"]]
    default: Union[list["TableValue"], None]

class ReplacedTable(TypedDict, total=False):
    name: Required[str]
    version: Required[int]
    rows: Required[int]
    keys: Required[list["TableKey"]]
    columns: Required[list["TableColumn"]]
    default: list["TableValue"]
    created_at: Required["Time"]
    created_by: Required[str]
    updated_at: Required["Time"]
    updated_by: Required[str]

class TableUsedByItem(TypedDict, total=False):
    rule_set_id: Required[str]
    policy_key: Required[str]
    version: Required[int]
    name: Required[str]
    status: Required[Literal["active", "retired"]]

class Table(TypedDict, total=False):
    name: Required[str]
    version: Required[int]
    rows: Required[int]
    keys: Required[list["TableKey"]]
    columns: Required[list["TableColumn"]]
    default: list["TableValue"]
    created_at: Required["Time"]
    created_by: Required[str]
    updated_at: Required["Time"]
    updated_by: Required[str]
    used_by: Required[list["TableUsedByItem"]]

class TableRows(TypedDict, total=False):
    table: Required[str]
    version: Required[int]
    data: Required[list["TableRow"]]
    pagination: Required["Pagination"]

class TableLookupRequest(TypedDict, total=False):
    keys: Required[list[Union[str, float, bool]]]

class TableLookup(TypedDict, total=False):
    table: Required[str]
    version: Required[int]
    matched: Required[bool]
    row: "TableRow"
    facts: Required[dict[str, "TableValue"]]

class Webhook(TypedDict, total=False):
    id: Required[str]
    url: Required[str]
    types: Required[list["EventType"]]
    all_types: Required[bool]
    description: str
    state: Required[Literal["enabled", "paused", "disabled"]]
    reason: str
    last_sequence: Required[int]
    retries: Required[int]
    failing_since: "Time"
    next_attempt_at: "Time"
    previous_secret_until: "Time"
    created_at: Required["Time"]

class WebhookSecret(TypedDict, total=False):
    id: Required[str]
    url: Required[str]
    types: Required[list["EventType"]]
    all_types: Required[bool]
    description: str
    state: Required[Literal["enabled", "paused", "disabled"]]
    reason: str
    last_sequence: Required[int]
    retries: Required[int]
    failing_since: "Time"
    next_attempt_at: "Time"
    previous_secret_until: "Time"
    created_at: Required["Time"]
    secret: Required[str]

class WebhookList(TypedDict, total=False):
    data: Required[list["Webhook"]]

class WebhookDelivery(TypedDict, total=False):
    id: Required[str]
    at: Required["Time"]
    event_id: Required[str]
    sequence: Required[int]
    type: Required[str]
    attempt: Required[int]
    outcome: Required[Literal["delivered", "failed", "given_up"]]
    status: int
    problem: Literal["timeout", "address_forbidden", "name_not_found", "tls_failed", "connection_failed", "invalid_response", "secret_unreadable"]
    duration_ms: Required[int]

class WebhookDeliveries(TypedDict, total=False):
    data: Required[list["WebhookDelivery"]]
    pagination: Required["Pagination"]

class CosignatureRequest(TypedDict, total=False):
    """The signature of a witness on a checkpoint of the log."""

    checkpoint: Required[str]
    witness_key: Required[str]

class Cosignature(TypedDict, total=False):
    """A signature of a witness."""

    origin: Required[str]
    size: Required[int]
    witness: Required[str]
    seen_at: Required[str]

class Capsule(TypedDict, total=False):
    """A decision with all the data that an examiner needs to check it without the service."""

    capsule: Required[int]
    decision: Required[dict[str, Any]]
    answer: Required[dict[str, Any]]
    facts: Required[dict[str, Any]]
    features: dict[str, Any]
    people: dict[str, Any]
    policy: Required[dict[str, Any]]
    salts: Required[dict[str, Any]]
    leaf: Required[dict[str, Any]]
    proof: Required[str]

Time: TypeAlias = str

Scalar: TypeAlias = Union[float, str, bool]

NumberOrText: TypeAlias = Union[float, str]

Checksum: TypeAlias = str

Environment: TypeAlias = Literal["sandbox", "live"]

PolicyKey: TypeAlias = str

ReasonCode: TypeAlias = str

Grade: TypeAlias = str

DecisionStatus: TypeAlias = Literal["APPROVED", "REFERRED", "DECLINED"]

RuleSetStatus: TypeAlias = Literal["draft", "active", "retired"]

class Pagination(TypedDict, total=False):
    limit: Required[int]
    has_next: Required[bool]
    next_cursor: str

class Warning(TypedDict, total=False):
    """A part of the request that was ignored, missing or read in an unusual way."""

    code: Required[str]
    pointer: str
    nearest: str
    fields: list[str]
    detail: Required[str]

class ProblemErrorsItem(TypedDict, total=False):
    pointer: Required[str]
    code: Required[str]
    nearest: str
    detail: Required[str]
    key: str

class Problem(TypedDict, total=False):
    """An error in the format of RFC 9457."""

    type: Required[str]
    title: Required[str]
    status: Required[int]
    code: Required[str]
    detail: Required[str]
    request_id: Required[str]
    oldest_sequence: int
    errors: list["ProblemErrorsItem"]

class SignupRequest(TypedDict, total=False):
    email: Required[str]
    org_name: Required[str]
    password: Required[str]
    invite_code: Union[str, None]

class SignupAnswerKey(TypedDict, total=False):
    id: Required[str]
    environment: Required["Environment"]
    prefix: Required[str]
    created_at: Required["Time"]

class SignupAnswerTenant(TypedDict, total=False):
    id: Required[str]
    org_name: Required[str]
    plan: Required[str]
    created_at: Required["Time"]

class SignupAnswerUser(TypedDict, total=False):
    id: Required[str]
    email: Required[str]
    role: Required[str]

class SignupAnswer(TypedDict, total=False):
    api_key: Required[str]
    key: Required["SignupAnswerKey"]
    tenant: Required["SignupAnswerTenant"]
    user: Required["SignupAnswerUser"]
    default_rule_set_id: Required[str]
    console_url: Required[str]
    warnings: list["Warning"]

class HealthChecksValue(TypedDict, total=False):
    status: Required[Literal["ok", "unavailable"]]
    latency_ms: float

class Health(TypedDict, total=False):
    status: Required[Literal["ok", "unavailable"]]
    live: Required[bool]
    ready: Required[bool]
    version: Required[str]
    engine_version: Required[str]
    commit: str
    uptime_seconds: Required[int]
    checks: Required[dict[str, "HealthChecksValue"]]
    time: Required["Time"]

class Applicant(TypedDict, total=False):
    """The data of the applicant."""

    id: Union[str, None]
    monthly_income: Union[float, None]
    foir: Union[float, None]
    age: Union[float, None]
    employment_type: Union[str, None]
    requested_amount: Union[float, None]
    tenure_months: Union[int, None]

class BureauFields(TypedDict, total=False):
    """The bureau's figures."""

    score: Union[int, None]
    enquiries_6m: Union[int, None]
    active_tradelines: Union[int, None]
    max_dpd_12m: Union[int, None]
    written_off_36m: Union[int, None]
    suit_or_wilful: Union[bool, None]
    overdue_amount: Union[float, None]
    total_outstanding: Union[float, None]
    unsecured_outstanding: Union[float, None]
    total_emi: Union[float, None]
    card_utilisation: Union[float, None]
    live_unsecured: Union[int, None]
    oldest_account_months: Union[int, None]
    months_since_30dpd: Union[int, None]
    report_age_days: Union[int, None]
    max_dpd_24m: Union[int, None]
    max_dpd_36m: Union[int, None]
    own_active_tradelines: Union[int, None]
    own_live_unsecured: Union[int, None]
    own_emi: Union[float, None]
    own_outstanding: Union[float, None]
    own_unsecured_outstanding: Union[float, None]
    own_overdue_amount: Union[float, None]
    own_card_utilisation: Union[float, None]
    own_oldest_account_months: Union[int, None]
    own_max_dpd_12m: Union[int, None]
    own_max_dpd_24m: Union[int, None]
    own_max_dpd_36m: Union[int, None]
    own_months_since_30dpd: Union[int, None]
    own_written_off_36m: Union[int, None]
    own_suit_or_wilful: Union[bool, None]
    own_written_off_count: Union[int, None]
    own_written_off_amount: Union[float, None]
    own_written_off_card_amount: Union[float, None]
    own_written_off_loan_amount: Union[float, None]
    own_written_off_months_since: Union[int, None]
    own_settled_count: Union[int, None]
    own_settled_amount: Union[float, None]
    own_settled_card_amount: Union[float, None]
    own_settled_loan_amount: Union[float, None]
    own_settled_months_since: Union[int, None]
    own_microfinance_accounts: Union[int, None]
    own_microfinance_emi: Union[float, None]
    own_microfinance_outstanding: Union[float, None]
    own_microfinance_overdue_amount: Union[float, None]
    own_microfinance_max_dpd_12m: Union[int, None]
    guaranteed_accounts: Union[int, None]
    guaranteed_emi: Union[float, None]
    guaranteed_outstanding: Union[float, None]
    guaranteed_overdue_amount: Union[float, None]
    guaranteed_max_dpd_12m: Union[int, None]
    addon_accounts: Union[int, None]
    addon_outstanding: Union[float, None]
    addon_overdue_amount: Union[float, None]
    addon_max_dpd_12m: Union[int, None]

class BatchResults(TypedDict, total=False):
    results: Required[list["BatchResult"]]

BatchStatus: TypeAlias = Literal["receiving", "queued", "running", "cancelling", "completed", "cancelled", "failed"]

class BatchProgress(TypedDict, total=False):
    rows_done: Required[int]
    rows_total: int

class BatchCountsByPolicyItem(TypedDict, total=False):
    policy_key: Required[str]
    rule_set_id: Required[str]
    version: Required[int]
    rows: Required[int]

class BatchCounts(TypedDict, total=False):
    """The rows that have a result."""

    by_status: Required[dict[str, int]]
    by_error: Required[dict[str, int]]
    by_policy: Required[list["BatchCountsByPolicyItem"]]

class Batch(TypedDict, total=False):
    """A batch that runs as a job."""

    batch_id: Required[str]
    status: Required["BatchStatus"]
    endpoint: Required[str]
    progress: Required["BatchProgress"]
    counts: Required["BatchCounts"]
    results_deleted: Required[bool]
    error: Required["BacktestError"]
    created_at: Required["Time"]
    created_by: Required[str]
    started_at: "Time"
    finished_at: "Time"

class BatchRowPolicy(TypedDict, total=False):
    policy_key: Required[str]
    id: Required[str]
    version: Required[int]

class BatchRow(TypedDict, total=False):
    """The result of one row of a batch that runs as a job."""

    index: Required[int]
    decision_id: str
    status: Literal["APPROVED", "REFERRED", "DECLINED"]
    grade: str
    policy: "BatchRowPolicy"
    error: "Problem"

class BatchResult(TypedDict, total=False):
    """The result of one application."""

    index: int
    replayed: bool
    decision: "Decision"
    error: "Problem"

class DecisionRequest(TypedDict, total=False):
    """An application in plain fields."""

    policy_key: Union["PolicyKey", None]
    applicant_ref: "ApplicantRef"
    applicant: Union["Applicant", None]
    bureau_report: Union["BureauFields", None]
    applicants: Union[list["Person"], None]
    include: "Include"

PersonRole: TypeAlias = Literal["primary", "co_applicant", "guarantor"]

class Consent(TypedDict, total=False):
    """The consent of a person to the use of the report."""

    id: Required[str]
    at: Required[str]

class Person(TypedDict, total=False):
    """One person of a decision request: the members of `applicant`, the role and the report."""

    id: Union[str, None]
    monthly_income: Union[float, None]
    foir: Union[float, None]
    age: Union[float, None]
    employment_type: Union[str, None]
    requested_amount: Union[float, None]
    tenure_months: Union[int, None]
    role: Required["PersonRole"]
    applicant_ref: "ApplicantRef"
    consent: Union["Consent", None]
    bureau_report: Union["BureauFields", None]

class ReportedPerson(TypedDict, total=False):
    """One person of an evaluate request: the role, the report, the bank statement, and for the primary applicant the inputs that the policy declares under `applicant.`."""

    role: Required["PersonRole"]
    applicant_ref: "ApplicantRef"
    fraud: Union["PersonFraudBlock", None]
    id: Union[str, None]
    consent: Union["Consent", None]
    bureau: Union[str, None]
    report: Union[dict[str, "Report"], None]
    bank_summary: Union["BankSummary", None]

ApplicantRef: TypeAlias = Union[str, None]

Include: TypeAlias = Union[list[Literal["facts"]], None]

class EvaluateRequestApplicant(TypedDict, total=False):
    """Inputs that the policy declares under `applicant.`, such as `applicant.employer_category`, and your `id` of the applicant."""

    id: Union[str, None]

class EvaluateRequest(TypedDict, total=False):
    """An application as a bureau report with optional blocks beside it."""

    policy_key: Union["PolicyKey", None]
    applicant_ref: "ApplicantRef"
    bureau: Union[str, None]
    report: Union[dict[str, "Report"], None]
    features: Union[bool, None]
    device: Union["Device", None]
    location: Union["Location", None]
    fraud: Union["FraudBlock", None]
    bank_summary: Union["BankSummary", None]
    applicant: Union["EvaluateRequestApplicant", None]
    applicants: Union[list["ReportedPerson"], None]
    include: "Include"

class ReportScoreData(TypedDict, total=False):
    score: Union[int, None]

class ReportDemographics(TypedDict, total=False):
    age: Union[float, None]
    employmentType: Union[str, None]

class ReportIncomeAssessment(TypedDict, total=False):
    monthlyIncome: Union[float, None]
    foir: Union[float, None]

class Report(TypedDict, total=False):
    """A bureau report in the common shape, or in the bureau's own layout."""

    scoreData: Union["ReportScoreData", None]
    demographics: Union["ReportDemographics", None]
    incomeAssessment: Union["ReportIncomeAssessment", None]
    requestedAmount: Union[float, None]
    requestedTenureMonths: Union[int, None]
    reportDate: Union[str, None]
    accounts: Union[list["BureauAccount"], None]
    enquiries: Union[list["BureauEnquiry"], None]

class BureauAccountPaymentHistory1Item(TypedDict, total=False):
    month: Union[str, None]
    dpd: Union["NumberOrText", None]

class BureauAccount(TypedDict, total=False):
    """One account."""

    accountType: Union["NumberOrText", None]
    openDate: Union[str, None]
    closedDate: Union[str, None]
    dateReported: Union[str, None]
    status: Union["NumberOrText", None]
    sanctionedAmount: Union["NumberOrText", None]
    creditLimit: Union["NumberOrText", None]
    currentBalance: Union["NumberOrText", None]
    amountOverdue: Union["NumberOrText", None]
    emi: Union["NumberOrText", None]
    emiFrequency: Union["NumberOrText", None]
    suitFiled: Union["Scalar", None]
    wilfulDefault: Union["Scalar", None]
    writtenOffAmount: Union["NumberOrText", None]
    settlementAmount: Union["NumberOrText", None]
    writtenOffDate: Union[str, None]
    settledDate: Union[str, None]
    ownership: Union[str, None]
    paymentHistory: Union[list["BureauAccountPaymentHistory1Item"], str, None]

class BureauEnquiry(TypedDict, total=False):
    """One hard enquiry."""

    date: Union[str, None]
    product: Union["NumberOrText", None]
    amount: Union["NumberOrText", None]
    lender: Union[str, None]

class Device(TypedDict, total=False):
    """The applicant's device."""

    model: Union[str, None]
    os_version: Union[str, None]
    is_rooted: Union[bool, None]
    is_emulator: Union[bool, None]
    sim_age_days: Union[float, None]
    loan_apps_installed_count: Union[int, None]
    app_install_age_days: Union[float, None]
    device_id: Union[str, None]

class Location(TypedDict, total=False):
    """The applicant's location."""

    lat: Union[float, None]
    lng: Union[float, None]
    ip: Union[str, None]
    declared_pincode: Union[str, None]
    permission_denied: Union[bool, None]

class FraudBlock(TypedDict, total=False):
    """The identifiers that applicants may share."""

    applicant_ref: Union[str, None]
    pincode: Union[str, None]
    ip: Union[str, None]
    beneficiary_account: Union[str, None]
    agent_id: Union[str, None]
    mobile: Union[str, None]
    email: Union[str, None]

class PersonFraudBlock(TypedDict, total=False):
    """The identifiers of a co-applicant or a guarantor."""

    applicant_ref: Union[str, None]
    pincode: Union[str, None]
    ip: Union[str, None]
    beneficiary_account: Union[str, None]
    device_id: Union[str, None]
    mobile: Union[str, None]
    email: Union[str, None]

class BankSummary(TypedDict, total=False):
    """A bank statement: its totals, the amounts that the applicant declared, and its transactions."""

    income: Union[float, None]
    emi: Union[float, None]
    balance: Union[float, None]
    bounces: Union[int, None]
    months: Union[float, None]
    declared_monthly_income: Union[float, None]
    declared_emi: Union[float, None]
    transactions: Union[list["BankTransaction"], None]

class BankTransaction(TypedDict, total=False):
    """One transaction, in the terms of the Account Aggregator framework."""

    txn_id: Any
    date: Union[str, None]
    type: Required[str]
    mode: Union[str, None]
    amount: Required["NumberOrText"]
    balance: Union["NumberOrText", None]
    narration: Union[str, None]
    reference: Any

class EligibilityRequest(TypedDict, total=False):
    """A decision request or an evaluate request."""

    policy_key: Union["PolicyKey", None]
    applicant: Union["Applicant", None]
    bureau_report: Union["BureauFields", None]
    bureau: Union[str, None]
    report: Union[dict[str, "Report"], None]
    features: Union[bool, None]
    device: Union["Device", None]
    location: Union["Location", None]
    fraud: Union["FraudBlock", None]
    bank_summary: Union["BankSummary", None]
    applicants: Union[list["Person"], None]

class PreviewRequest(TypedDict, total=False):
    """A decision request or an evaluate request, with the changes to preview."""

    rule_set_id: Union[str, None]
    overrides: Union[dict[str, Union[float, str, bool, None]], None]
    compare: Union[bool, None]

class FiredRule(TypedDict, total=False):
    id: Required[str]
    result: Required[Literal["pass", "fail", "refer", "applied"]]
    delta: float

class ScoreContribution(TypedDict, total=False):
    factor: Required[str]
    points: Required[float]

class ReasonDetail(TypedDict, total=False):
    """The details, for the lender only."""

    rule_id: str
    field: str
    value: "Scalar"
    threshold: "Scalar"
    text: str

class Reason(TypedDict, total=False):
    code: Required["ReasonCode"]
    message: Required[str]
    rank: Required[int]
    detail: Required["ReasonDetail"]

class PolicyRef(TypedDict, total=False):
    """The version of the policy that decided."""

    id: Required[str]
    version: Required[int]
    name: Required[str]
    checksum: Required["Checksum"]

class OfferChargesItem(TypedDict, total=False):
    id: Required[str]
    to: Required[Literal["lender", "third_party"]]
    amount: Required[float]
    gst: Required[float]

class OfferConditionsItem(TypedDict, total=False):
    code: Required[str]
    text: Required[str]

class OfferAlternativesItem(TypedDict, total=False):
    limit: Required[float]
    tenure_months: Required[int]
    emi: Required[float]

class Offer(TypedDict, total=False):
    """The offered loan."""

    limit: Required[float]
    currency: Required[Literal["INR"]]
    indicative: bool
    requested_amount: float
    is_counter_offer: bool
    interest_rate: float
    rate_type: Literal["fixed"]
    method: Literal["reducing_balance"]
    tenure_months: int
    emi: float
    last_emi: float
    processing_fee: float
    processing_fee_gst: float
    charges: list["OfferChargesItem"]
    net_disbursed: float
    total_interest: float
    total_payable: float
    apr: float
    max_emi: float
    post_offer_foir: float
    binding_constraint: Literal["foir_capacity", "requested_amount", "band_max_limit", "income_multiple", "default_limit", "exposure_cap", "limit_cap"]
    limit_cap_id: str
    pricing_band_id: str
    valid_until: str
    conditions: list["OfferConditionsItem"]
    alternatives: list["OfferAlternativesItem"]

class LenderContact(TypedDict, total=False):
    name: Required[str]
    phone: Required[str]
    email: Required[str]
    address: Union[str, None]

class LenderShare(TypedDict, total=False):
    name: Required[str]
    share_pct: Required[float]

class LenderCollaboration(TypedDict, total=False):
    """Two lenders who fund the loan together."""

    originator: Required["LenderShare"]
    partner: Required["LenderShare"]
    blended_rate: Union[float, None]

class LenderTexts(TypedDict, total=False):
    """The lender's own words in one language."""

    name: Union[str, None]
    address: Union[str, None]
    grievance_name: Union[str, None]
    grievance_address: Union[str, None]
    loan_type: Union[str, None]
    loan_types: Union[dict[str, str], None]
    penal_charges: Union[str, None]
    other_penal_charges: Union[str, None]
    foreclosure_charges: Union[str, None]
    switching_charges: Union[str, None]
    other_charges: Union[str, None]
    recovery_clause: Union[str, None]
    grievance_clause: Union[str, None]
    note: Union[str, None]
    charges: Union[dict[str, str], None]
    reasons: Union[dict[str, str], None]
    details: Union[dict[str, str], None]

class LenderProfileTexts(TypedDict, total=False):
    """The lender's own words by language."""

    en: Union["LenderTexts", None]
    hi: Union["LenderTexts", None]

class NewLenderProfile(TypedDict, total=False):
    """A complete profile of at most 256 KiB."""

    name: Required[str]
    address: Required[str]
    registration: Union[str, None]
    website: Union[str, None]
    cooling_off_days: Required[int]
    transferable: Required[bool]
    grievance: Required["LenderContact"]
    recovery_agents: Union[list["LenderContact"], None]
    collaboration: Union["LenderCollaboration", None]
    holidays: Union[list[str], None]
    texts: Union["LenderProfileTexts", None]
    version: int
    updated_at: str
    updated_by: str

class LenderProfile(TypedDict, total=False):
    version: Required[int]
    name: Required[str]
    address: Required[str]
    registration: str
    website: str
    cooling_off_days: Required[int]
    transferable: Required[bool]
    grievance: Required["LenderContact"]
    recovery_agents: Required[list["LenderContact"]]
    collaboration: "LenderCollaboration"
    holidays: Required[list[str]]
    texts: Required["LenderProfileTexts"]
    updated_at: Required[str]
    updated_by: Required[str]

class DocumentLender(TypedDict, total=False):
    name: Required[str]
    address: Required[str]
    registration: str
    website: str
    profile_version: Required[int]

class KeyFactsInstalments(TypedDict, total=False):
    type: Required[Literal["monthly"]]
    number: Required[int]
    amount: Required[float]
    last_amount: Required[float]
    first_due_on: Required[str]
    last_due_on: Required[str]

class KeyFactsFeesLinesItem(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    frequency: Required[Literal["one_time"]]
    amount: Required[float]
    gst: Required[float]
    total: Required[float]

class KeyFactsFees(TypedDict, total=False):
    lines: Required[list["KeyFactsFeesLinesItem"]]
    total: Required[float]

class KeyFactsStatementLoan(TypedDict, total=False):
    type: Required[str]
    sanctioned_amount: Required[float]
    disbursal: Required[Literal["upfront"]]
    term_months: Required[int]
    instalments: Required["KeyFactsInstalments"]
    interest_rate: Required[float]
    rate_type: Required[Literal["fixed"]]
    method: Required[Literal["reducing_balance"]]

class KeyFactsStatementFees(TypedDict, total=False):
    lender: Required["KeyFactsFees"]
    third_party: Required["KeyFactsFees"]
    total: Required[float]

class KeyFactsStatementContingentCharges(TypedDict, total=False):
    penal_charges: Required[str]
    other_penal_charges: Required[str]
    foreclosure_charges: Required[str]
    switching_charges: Required[str]
    other_charges: Required[str]

class KeyFactsStatementRecovery(TypedDict, total=False):
    clause: Required[str]
    agents: Required[list["LenderContact"]]

class KeyFactsStatementGrievance(TypedDict, total=False):
    clause: Required[str]
    officer: Required["LenderContact"]

class KeyFactsStatementCoolingOff(TypedDict, total=False):
    days: Required[int]
    until: Required[str]

class KeyFactsStatementAprComputation(TypedDict, total=False):
    """The sheet that computes the APR."""

    sanctioned_amount: Required[float]
    term_months: Required[int]
    instalments: Required["KeyFactsInstalments"]
    rate_type: Required[str]
    interest_rate: Required[float]
    total_interest: Required[float]
    fees_lender: Required[float]
    fees_third_party: Required[float]
    net_disbursed: Required[float]
    total_payable: Required[float]
    apr: Required[float]
    apr_is_higher: Literal[True]
    disbursed_on: Required[str]

class KeyFactsStatementScheduleItem(TypedDict, total=False):
    number: Required[int]
    due_on: Required[str]
    outstanding: Required[float]
    principal: Required[float]
    interest: Required[float]
    instalment: Required[float]

class KeyFactsStatement(TypedDict, total=False):
    """A key facts statement."""

    decision_id: Required[str]
    proposal_number: Required[str]
    environment: Required[Literal["sandbox", "live"]]
    language: Required[str]
    issued_on: Required[str]
    valid_until: Required[str]
    disbursed_on: Required[str]
    dates_text: Required[str]
    lender: Required["DocumentLender"]
    loan: Required["KeyFactsStatementLoan"]
    fees: Required["KeyFactsStatementFees"]
    apr: Required[float]
    apr_is_higher: Literal[True]
    contingent_charges: Required["KeyFactsStatementContingentCharges"]
    recovery: Required["KeyFactsStatementRecovery"]
    grievance: Required["KeyFactsStatementGrievance"]
    transferable: Required[bool]
    collaboration: "LenderCollaboration"
    cooling_off: Required["KeyFactsStatementCoolingOff"]
    apr_computation: Required["KeyFactsStatementAprComputation"]
    schedule: Required[list["KeyFactsStatementScheduleItem"]]
    note: str

class LetterOffer(TypedDict, total=False):
    """Present only for a counter-offer."""

    requested_amount: float
    amount: Required[float]
    interest_rate: Required[float]
    term_months: Required[int]
    instalment: Required[float]
    net_disbursed: Required[float]
    apr: Required[float]
    apr_is_higher: Literal[True]
    valid_until: Required[str]

class Letter(TypedDict, total=False):
    """A letter to an applicant."""

    decision_id: Required[str]
    kind: Required[Literal["decline", "counter_offer"]]
    environment: Required[Literal["sandbox", "live"]]
    language: Required[str]
    date: Required[str]
    lender: Required["DocumentLender"]
    title: Required[str]
    text: Required[str]
    reasons: Required[list[str]]
    offer: "LetterOffer"
    next: Required[str]
    grievance: Required["LenderContact"]
    note: str

class DecisionCoreExplanation(TypedDict, total=False):
    """How the decision was reached."""

    fired_rules: Required[list["FiredRule"]]
    score_contributions: Required[list["ScoreContribution"]]
    final_score: Required[float]

class DecisionCore(TypedDict, total=False):
    """The members that stored decisions and previews have in common."""

    status: Required["DecisionStatus"]
    grade: Required["Grade"]
    offer: Required["Offer"]
    explanation: Required["DecisionCoreExplanation"]
    reasons: Required[list["Reason"]]
    policy: Required["PolicyRef"]
    decision_hash: Required["Checksum"]
    lists: list["ConsultedList"]
    tables: list["ConsultedTable"]
    engine_version: Required[str]
    environment: Required["Environment"]
    features: "FeatureSummary"
    fraud: "Fraud"
    warnings: Required[list["Warning"]]

FeatureCatalogue: TypeAlias = int

class FeatureSummary(TypedDict, total=False):
    """A summary of the computed features."""

    count: Required[int]
    catalogue: Required["FeatureCatalogue"]
    populated: Required[int]
    vector_hash: Required["Checksum"]
    as_of: Required[str]
    top_contributors: Required[list["Contributor"]]
    used_by_policy: Required[list[str]]

class Contributor(TypedDict, total=False):
    feature: Required[str]
    value: Required[float]
    points: float
    direction: Literal["adverse", "favourable", "neutral"]
    used_by_policy: Required[bool]

class FeaturePage(TypedDict, total=False):
    """One page of a decision's features."""

    decision_id: Required[str]
    count: Required[int]
    catalogue: Required["FeatureCatalogue"]
    vector_hash: Required["Checksum"]
    as_of: Required[str]
    data: Required[list["Feature"]]
    pagination: Required["Pagination"]

class Feature(TypedDict, total=False):
    name: Required[str]
    metric: Required[str]
    product: Required[str]
    window_days: Required[int]
    aggregation: Required[Literal["count", "sum", "max", "avg", "trend", "ratio"]]
    value: Required[Union[float, None]]
    used_by_policy: Required[bool]
    provenance: "Provenance"

class ProvenanceRecordsItem(TypedDict, total=False):
    part: Required[str]
    kind: Required[str]
    position: int
    date: str
    value: Required[float]

Provenance = TypedDict("Provenance", {
    "meaning": Required[str],
    "formula": Required[str],
    "from": str,
    "to": str,
    "covered_from": str,
    "records_total": Required[int],
    "records": Required[list["ProvenanceRecordsItem"]],
}, total=False)

class Decision(TypedDict, total=False):
    """A stored decision."""

    status: Required["DecisionStatus"]
    grade: Required["Grade"]
    offer: Required["Offer"]
    explanation: Required["DecisionCoreExplanation"]
    reasons: Required[list["Reason"]]
    policy: Required["PolicyRef"]
    decision_hash: Required["Checksum"]
    lists: list["ConsultedList"]
    tables: list["ConsultedTable"]
    engine_version: Required[str]
    environment: Required["Environment"]
    features: "FeatureSummary"
    fraud: "Fraud"
    warnings: Required[list["Warning"]]
    decision_id: Required[str]
    created_at: Required["Time"]
    facts: "Facts"

class StoredDecision(TypedDict, total=False):
    """A decision as it was answered, with its re-explanation."""

    status: Required["DecisionStatus"]
    grade: Required["Grade"]
    offer: Required["Offer"]
    explanation: Required["DecisionCoreExplanation"]
    reasons: Required[list["Reason"]]
    policy: Required["PolicyRef"]
    decision_hash: Required["Checksum"]
    lists: list["ConsultedList"]
    tables: list["ConsultedTable"]
    engine_version: Required[str]
    environment: Required["Environment"]
    features: "FeatureSummary"
    fraud: "Fraud"
    warnings: Required[list["Warning"]]
    decision_id: Required[str]
    created_at: Required["Time"]
    inputs_erased: list[str]
    re_explanation: Required["ReExplanation"]
    people: "DecisionPeople"
    facts: "Facts"
    reviews: list["Review"]

class Preview(TypedDict, total=False):
    """A decision that was not stored."""

    status: Required["DecisionStatus"]
    grade: Required["Grade"]
    offer: Required["Offer"]
    explanation: Required["DecisionCoreExplanation"]
    reasons: Required[list["Reason"]]
    policy: Required["PolicyRef"]
    decision_hash: Required["Checksum"]
    lists: list["ConsultedList"]
    tables: list["ConsultedTable"]
    engine_version: Required[str]
    environment: Required["Environment"]
    features: "FeatureSummary"
    fraud: "Fraud"
    warnings: Required[list["Warning"]]
    preview: Required[Literal[True]]
    facts: Required["Facts"]

Facts: TypeAlias = dict[str, "Scalar"]

class ComparisonDiffItem(TypedDict, total=False):
    pointer: Required[str]
    baseline: Any
    variant: Any

class Comparison(TypedDict, total=False):
    """Two previews and their differences."""

    preview: Required[Literal[True]]
    baseline: Required["Preview"]
    variant: Required["Preview"]
    diff: Required[list["ComparisonDiffItem"]]

class DecisionItemPolicy(TypedDict, total=False):
    id: Required[str]
    version: Required[int]
    key: Required["PolicyKey"]

class DecisionItem(TypedDict, total=False):
    """A decision in a list."""

    decision_id: Required[str]
    status: Required["DecisionStatus"]
    grade: Required["Grade"]
    applicant_id: str
    policy: Required["DecisionItemPolicy"]
    endpoint: Required[str]
    engine_version: Required[str]
    decision_hash: Required["Checksum"]
    created_at: Required["Time"]

class NotEvaluated(TypedDict, total=False):
    """A rule that could not be evaluated."""

    id: Required[str]
    missing: Required[list[str]]

class ReExplanation(TypedDict, total=False):
    """The decision recomputed from its stored facts and its stored policy."""

    verified: bool
    recomputed_hash: "Checksum"
    policy_version: Required[int]
    engine_version: Required[str]
    text: Required[list[str]]
    not_evaluated: Required[list["NotEvaluated"]]

class ReviewRequest(TypedDict, total=False):
    outcome: Required["ReviewOutcome"]
    reason_code: Union["ReasonCode", None]
    note: Union[str, None]

ReviewOutcome: TypeAlias = Literal["upheld", "overturned", "more_information"]

class Review(TypedDict, total=False):
    id: Required[str]
    decision_id: Required[str]
    outcome: Required["ReviewOutcome"]
    reason_code: "ReasonCode"
    note: str
    actor: Required[str]
    created_at: Required["Time"]

class EligibilityPolicy(TypedDict, total=False):
    id: Required[str]
    version: Required[int]
    checksum: Required["Checksum"]

class Eligibility(TypedDict, total=False):
    eligible: Required[bool]
    status: Required[Literal["ELIGIBLE", "REFERRED", "DECLINED", "UNDETERMINED"]]
    stage: Required[Literal[1]]
    complete: Required[bool]
    fired_rules: Required[list["FiredRule"]]
    reasons: Required[list["Reason"]]
    not_evaluated: Required[list["NotEvaluated"]]
    policy: Required["EligibilityPolicy"]
    lists: list["ConsultedList"]
    tables: list["ConsultedTable"]
    warnings: Required[list["Warning"]]
    persisted: Required[Literal[False]]

class Condition(TypedDict, total=False):
    """The condition of a rule, as a tree."""

    op: Required[Literal["and", "or", "not", "eq", "ne", "lt", "lte", "gt", "gte", "in", "not_in", "in_list", "not_in_list", "between", "starts_with", "ends_with", "contains", "exists", "absent", "true", "false"]]
    args: Union[list["Condition"], None]
    arg: Union["Condition", None]
    field: Union[str, None]
    value: Union["Scalar", None]
    values: Union[list["Scalar"], None]
    min: Union[float, None]
    max: Union[float, None]
    list: Union[str, None]
    left: Union["Operand", None]
    right: Union["Operand", None]

class Operand(TypedDict, total=False):
    """One side of a comparison: a `field`, a `value`, or arithmetic (`op` and `args`) over operands."""

    field: Union[str, None]
    value: Union["Scalar", None]
    op: Union[Literal["add", "sub", "mul", "div", "min", "max", "abs"], None]
    args: Union[list["Operand"], None]

class Knockout(TypedDict, total=False):
    """A rule that declines or refers applicants who satisfy its condition."""

    id: Required[str]
    stage: Union[Literal[1, 2], None]
    action: Union[Literal["decline", "refer"], None]
    on_absent: Union[Literal["pass", "refer", "fail"], None]
    reason_code: Union["ReasonCode", None]
    message: Union[str, None]
    applicant_message: Union[str, None]
    condition_ast: Required["Condition"]
    system: Union[bool, None]

class Adjustment(TypedDict, total=False):
    """Points that are added to the score if the condition is true."""

    id: Required[str]
    delta: Required[float]
    reason_code: Union["ReasonCode", None]
    condition_ast: Required["Condition"]

class IncomeSources(TypedDict, total=False):
    """The sources of the income."""

    of: Required[list[Literal["monthly_income", "bank_income", "bank_detected_income"]]]
    take: Union[Literal["first", "lowest"], None]

class ObligationSources(TypedDict, total=False):
    """The sources of the obligations."""

    of: Required[list[Literal["declared", "bureau", "bank", "own"]]]
    take: Union[Literal["highest", "first"], None]

Bin = TypedDict("Bin", {
    "gte": Union[float, None],
    "lt": Union[float, None],
    "in": Union[list[Union[str, bool]], None],
    "else": Union[bool, None],
    "points": Required[float],
    "reason_code": Union["ReasonCode", None],
    "woe": Union[float, None],
    "special": Union[list[float], None],
}, total=False)

class Factor(TypedDict, total=False):
    """Points for one field."""

    factor: Required[str]
    label: Union[str, None]
    field: Required[str]
    type: Union[Literal["number", "string", "boolean"], None]
    bins: Required[list["Bin"]]
    missing_points: Union[float, None]
    reason_code: Union["ReasonCode", None]
    when: Union["Condition", None]
    weight: Union[float, None]

class Scorecard(TypedDict, total=False):
    """A score that is a sum of points."""

    name: Union[str, None]
    base_points: Required[float]
    min_score: Union[float, None]
    max_score: Union[float, None]
    pdo: Union[float, None]
    anchor_score: Union[float, None]
    anchor_odds: Union[float, None]
    factors: Required[list["Factor"]]
    id: Any
    version: Any
    status: Any
    checksum: Any
    min_points: Any
    max_points: Any
    created_at: Any
    created_by: Any

class PricingBand(TypedDict, total=False):
    """The grade and the price of a range of scores."""

    id: Required[str]
    grade: Required["Grade"]
    min_score: Union[int, None]
    max_score: Union[int, None]
    ntc: Union[bool, None]
    action: Union[Literal["approve", "refer", "decline"], None]
    interest_rate: Union[float, None]
    tenure_months: Union[int, None]
    tenures_allowed: Union[list[int], None]
    min_limit: Union[float, None]
    max_limit: Union[float, None]
    default_limit: Union[float, None]
    income_multiple: Union[float, None]
    foir_cap: Union[float, None]
    processing_fee_pct: Union[float, None]
    processing_fee_min: Union[float, None]
    gst_pct: Union[float, None]
    when: Union["Condition", None]

class LimitCap(TypedDict, total=False):
    """An upper bound of the limit that is computed from the application, such as a share of the value of a vehicle."""

    id: Required[str]
    of: Required[Any]
    when: Union["Condition", None]
    reason_code: Union["ReasonCode", None]
    applicant_message: Union[str, None]

class GuaranteeMonotone(TypedDict, total=False):
    """Nothing in `of` gets worse for an applicant if the field moves in this direction and nothing else changes."""

    field: Required[str]
    towards: Required[Literal["up", "down"]]
    of: Required[list[Literal["status", "grade", "interest_rate", "offer_limit"]]]

class Guarantee(TypedDict, total=False):
    """A statement about every decision of the policy."""

    id: Required[str]
    text: Required[str]
    when: Union["Condition", None]
    never: Union["Condition", None]
    monotone: Union["GuaranteeMonotone", None]

class GuaranteeProofApplicantsItem(TypedDict, total=False):
    realisable: Required[bool]
    witness: dict[str, Any]
    facts: Required[dict[str, Any]]
    decided: Required["DifferenceDecided"]

class GuaranteeProof(TypedDict, total=False):
    id: Required[str]
    text: Required[str]
    result: Required[Literal["proved", "refuted", "undecided"]]
    why: list[str]
    not_covered_when_absent: Required[list[str]]
    applicants: list["GuaranteeProofApplicantsItem"]
    states: Required[int]

class PolicySectionsConditionsItem(TypedDict, total=False):
    code: Required[str]
    text: Required[str]
    condition_ast: Required["Condition"]

class PolicySectionsInputsItem(TypedDict, total=False):
    name: Required[str]
    type: Required[Literal["number", "string", "boolean"]]
    meaning: Union[str, None]

class PolicySectionsTablesItemKeysItem(TypedDict, total=False):
    field: Required[str]
    match: Required[Literal["exact", "range"]]
    type: Required[Literal["number", "string", "boolean"]]

class PolicySectionsTablesItemColumnsItem(TypedDict, total=False):
    name: Required[str]
    type: Required[Literal["number", "string", "boolean"]]

class PolicySectionsTablesItem(TypedDict, total=False):
    name: Required[str]
    keys: Required[list["PolicySectionsTablesItemKeysItem"]]
    columns: Required[list["PolicySectionsTablesItemColumnsItem"]]
    default: Union[bool, None]

class PolicySectionsAffordability(TypedDict, total=False):
    """The sources of income and obligations; the default is only the declared figures."""

    income: Union["IncomeSources", None]
    obligations: Union["ObligationSources", None]
    people: Union[Literal["primary", "all"], None]

class PolicySectionsPeople(TypedDict, total=False):
    """How several people count together."""

    score: Union[Literal["primary", "lowest", "highest"], None]

class PolicySectionsExposure(TypedDict, total=False):
    """Limits the total of what one applicant owes and is offered."""

    max_total: Required[float]

class PolicySections(TypedDict, total=False):
    """The sections of a policy."""

    policy_key: Union["PolicyKey", None]
    name: Union[str, None]
    required_fields: Union[list[str], None]
    knockouts: Union[list["Knockout"], None]
    adjustments: Union[list["Adjustment"], None]
    scorecard: Union["Scorecard", None]
    scorecard_id: Union[str, None]
    pricing_bands: Union[list["PricingBand"], None]
    limit_caps: Union[list["LimitCap"], None]
    charges: Union[list["Charge"], None]
    guarantees: Union[list["Guarantee"], None]
    conditions: Union[list["PolicySectionsConditionsItem"], None]
    inputs: Union[list["PolicySectionsInputsItem"], None]
    tables: Union[list["PolicySectionsTablesItem"], None]
    actionable_fields: Union[list[str], None]
    limit_step: Union[float, None]
    offer_validity_days: Union[int, None]
    allow_gaps: Union[bool, None]
    include_defaults: Union[bool, None]
    features: Union[Literal["on_request", "auto"], None]
    affordability: Union["PolicySectionsAffordability", None]
    people: Union["PolicySectionsPeople", None]
    exposure: Union["PolicySectionsExposure", None]
    semantics: Union[int, None]

class AffordabilitySources(TypedDict, total=False):
    of: list[str]
    take: Literal["first", "lowest", "highest"]

class RuleSetRequest(TypedDict, total=False):
    """A new version of a policy."""

    policy_key: Union["PolicyKey", None]
    name: Required[Union[str, None]]
    required_fields: Union[list[str], None]
    knockouts: Union[list["Knockout"], None]
    adjustments: Union[list["Adjustment"], None]
    scorecard: Union["Scorecard", None]
    scorecard_id: Union[str, None]
    pricing_bands: Union[list["PricingBand"], None]
    limit_caps: Union[list["LimitCap"], None]
    charges: Union[list["Charge"], None]
    guarantees: Union[list["Guarantee"], None]
    conditions: Union[list["PolicySectionsConditionsItem"], None]
    inputs: Union[list["PolicySectionsInputsItem"], None]
    tables: Union[list["PolicySectionsTablesItem"], None]
    actionable_fields: Union[list[str], None]
    limit_step: Union[float, None]
    offer_validity_days: Union[int, None]
    allow_gaps: Union[bool, None]
    include_defaults: Union[bool, None]
    features: Union[Literal["on_request", "auto"], None]
    affordability: Union["PolicySectionsAffordability", None]
    people: Union["PolicySectionsPeople", None]
    exposure: Union["PolicySectionsExposure", None]
    semantics: Union[int, None]
    base: Union[str, None]
    patch: Union["RuleSetPatch", None]
    id: Any
    version: Any
    status: Any
    checksum: Any
    feature_names: Any
    inherited: Any
    changes: Any
    findings: Any
    guarantee_proofs: Any
    created_at: Any
    created_by: Any
    updated_at: Any
    updated_by: Any
    activated_at: Any
    activated_by: Any
    retired_at: Any
    archived_at: Any

class RuleSet(TypedDict, total=False):
    """One version of a policy with its complete document."""

    policy_key: Required[Union["PolicyKey", None]]
    name: Required[Union[str, None]]
    required_fields: Required[Union[list[str], None]]
    knockouts: Required[Union[list["Knockout"], None]]
    adjustments: Required[Union[list["Adjustment"], None]]
    scorecard: Required[Union["Scorecard", None]]
    scorecard_id: Union[str, None]
    pricing_bands: Required[Union[list["PricingBand"], None]]
    limit_caps: Union[list["LimitCap"], None]
    charges: Union[list["Charge"], None]
    guarantees: Union[list["Guarantee"], None]
    conditions: Required[Union[list["PolicySectionsConditionsItem"], None]]
    inputs: Required[Union[list["PolicySectionsInputsItem"], None]]
    tables: Union[list["PolicySectionsTablesItem"], None]
    actionable_fields: Required[Union[list[str], None]]
    limit_step: Required[Union[float, None]]
    offer_validity_days: Required[Union[int, None]]
    allow_gaps: Required[Union[bool, None]]
    include_defaults: Required[Union[bool, None]]
    features: Union[Literal["on_request", "auto"], None]
    affordability: Union["PolicySectionsAffordability", None]
    people: Union["PolicySectionsPeople", None]
    exposure: Union["PolicySectionsExposure", None]
    semantics: Union[int, None]
    id: Required[str]
    version: Required[int]
    status: Required["RuleSetStatus"]
    checksum: Required["Checksum"]
    feature_names: Required[list[str]]
    base: str
    inherited: list[str]
    changes: list["RuleSetChange"]
    findings: list["Finding"]
    guarantee_proofs: list["GuaranteeProof"]
    notes: str
    created_at: Required["Time"]
    created_by: Required[str]
    activated_at: "Time"
    activated_by: str
    retired_at: "Time"
    archived_at: "Time"

class Finding(TypedDict, total=False):
    """A likely mistake in the policy."""

    severity: Required[Literal["info", "warning", "error"]]
    code: Required[str]
    pointer: Required[str]
    key: Required[str]
    origin: Literal["new", "inherited"]
    detail: Required[str]
    proved: Required[bool]
    ids: list[str]
    fields: list[str]
    witness: "Facts"

class RuleSetPatch(TypedDict, total=False):
    """Changes of single entries of the base's sections; all other entries stay as they are."""

    knockouts: Union["SectionPatch", None]
    adjustments: Union["SectionPatch", None]
    pricing_bands: Union["SectionPatch", None]
    charges: Union["SectionPatch", None]
    factors: Union["SectionPatch", None]
    conditions: Union["SectionPatch", None]
    limit_caps: Union["SectionPatch", None]
    guarantees: Union["SectionPatch", None]

class Charge(TypedDict, total=False):
    id: Required[str]
    to: Required[Literal["lender", "third_party"]]
    kind: Required[Literal["fixed", "percent"]]
    amount: Required[float]
    min: Union[float, None]
    max: Union[float, None]
    gst: Union[float, None]

class SectionPatch(TypedDict, total=False):
    set: Union[list[dict[str, Any]], None]
    remove: Union[list[str], None]

RuleSetChange = TypedDict("RuleSetChange", {
    "section": Required[str],
    "change": Required[Literal["added", "removed", "changed", "reordered"]],
    "id": str,
    "from": Any,
    "to": Any,
}, total=False)

DiffRequestPopulationDecisions = TypedDict("DiffRequestPopulationDecisions", {
    "from": Required["Time"],
    "to": Union["Time", None],
}, total=False)

class DiffRequestPopulationSynthetic(TypedDict, total=False):
    """The rows of a synthetic book."""

    n: Union[int, None]
    seed: Union[int, None]

class DiffRequestPopulation(TypedDict, total=False):
    """The applications to count in each class: exactly one of `decisions` and `synthetic`."""

    decisions: Union["DiffRequestPopulationDecisions", None]
    synthetic: Union["DiffRequestPopulationSynthetic", None]

class DiffRequest(TypedDict, total=False):
    against: Union[str, None]
    population: Union["DiffRequestPopulation", None]

PolicyDifferenceGuaranteesItem = TypedDict("PolicyDifferenceGuaranteesItem", {
    "id": Required[str],
    "from": "GuaranteeProof",
    "to": "GuaranteeProof",
}, total=False)

class PolicyDifference(TypedDict, total=False):
    """The difference of two versions for all applicants."""

    rule_set_id: Required[str]
    against_rule_set_id: Required[str]
    equal: Required[bool]
    complete: Required[bool]
    incomplete: list[str]
    summary: Required[str]
    cells: Required[int]
    states: Required[int]
    prover_version: Required[int]
    changes: Required[list["RuleSetChange"]]
    classes: Required[list["DifferenceClass"]]
    population: "DifferencePopulation"
    guarantees: list["PolicyDifferenceGuaranteesItem"]

DifferencePopulationDecisions = TypedDict("DifferencePopulationDecisions", {
    "from": Required["Time"],
    "to": Required["Time"],
}, total=False)

class DifferencePopulationSynthetic(TypedDict, total=False):
    """The synthetic book."""

    n: Required[int]
    seed: Required[int]

class DifferencePopulation(TypedDict, total=False):
    """The applications that were counted; present if the request has a `population`."""

    rows: Required[int]
    of: Required[int]
    worse: Required[int]
    better: Required[int]
    mixed: Required[int]
    unlisted: Required[int]
    declined_instead_of_approved: Required[int]
    complete: Required[bool]
    erased: Required[int]
    not_counted: Required[int]
    decisions: "DifferencePopulationDecisions"
    synthetic: "DifferencePopulationSynthetic"
    warnings: list["Warning"]

DifferenceClassWhereItem = TypedDict("DifferenceClassWhereItem", {
    "field": Required[str],
    "is": Required[str],
}, total=False)

class DifferenceClassCausedByItem(TypedDict, total=False):
    section: Required[str]
    id: str

DifferenceClassDecided = TypedDict("DifferenceClassDecided", {
    "from": Required["DifferenceDecided"],
    "to": Required["DifferenceDecided"],
}, total=False)

class DifferenceClassPopulation(TypedDict, total=False):
    """How many of the counted applications are in the class."""

    rows: Required[int]
    of: Required[int]

DifferenceClass = TypedDict("DifferenceClass", {
    "from": Required["DifferenceOutcome"],
    "to": Required["DifferenceOutcome"],
    "direction": Required[Literal["better", "worse", "mixed"]],
    "limit": "DifferenceOrder",
    "tenure": "DifferenceOrder",
    "fee": "DifferenceOrder",
    "conditions_added": list[str],
    "conditions_removed": list[str],
    "where": Required[list["DifferenceClassWhereItem"]],
    "caused_by": Required[list["DifferenceClassCausedByItem"]],
    "confirmed": Required[bool],
    "realisable": Required[bool],
    "witness": dict[str, Any],
    "facts": dict[str, Any],
    "decided": "DifferenceClassDecided",
    "population": "DifferenceClassPopulation",
}, total=False)

class DifferenceOutcomeLimit(TypedDict, total=False):
    """Bounds of the limits that applicants of the class get."""

    least: Required[float]
    most: Required[float]

class DifferenceOutcome(TypedDict, total=False):
    status: Required[Literal["APPROVED", "REFERRED", "DECLINED"]]
    grade: str
    interest_rate: float
    limit: "DifferenceOutcomeLimit"

DifferenceOrder: TypeAlias = Literal["lower", "same", "higher"]

class DifferenceDecided(TypedDict, total=False):
    status: Required[Literal["APPROVED", "REFERRED", "DECLINED"]]
    grade: Required[str]
    final_score: Required[float]
    limit: float
    interest_rate: float
    tenure_months: int

class ActivationRequest(TypedDict, total=False):
    note: Union[str, None]
    expected_active_id: Union[str, None]
    expected_checksum: Union[str, None]
    acknowledge: Union[list[str], None]

class RuleStats(TypedDict, total=False):
    """Statistics of a rule; present with `stats`."""

    evaluated: Required[int]
    hit: Required[int]
    not_evaluated: Required[int]

class PolicyViewKnockoutsItem(TypedDict, total=False):
    id: Required[str]
    stage: Required[int]
    action: Required[Literal["decline", "refer"]]
    reason_code: Required["ReasonCode"]
    on_absent: Literal["refer", "fail"]
    system: bool
    condition_ast: Required["Condition"]
    condition_text: Required[str]
    stats: "RuleStats"

class PolicyViewAdjustmentsItem(TypedDict, total=False):
    id: Required[str]
    delta: Required[float]
    reason_code: "ReasonCode"
    condition_ast: Required["Condition"]
    condition_text: Required[str]
    stats: "RuleStats"

class PolicyView(TypedDict, total=False):
    """An active policy or a draft, with its conditions in words."""

    id: Required[str]
    policy_key: Required["PolicyKey"]
    name: Required[str]
    version: Required[int]
    status: Required["RuleSetStatus"]
    checksum: Required["Checksum"]
    knockouts: Required[list["PolicyViewKnockoutsItem"]]
    adjustments: Required[list["PolicyViewAdjustmentsItem"]]
    pricing_bands: Required[list["PricingBand"]]
    limit_caps: list["LimitCap"]
    scorecard_factors: Required[list["Factor"]]
    referenced_fields: Required[list[str]]

ScorecardRequest: TypeAlias = "Scorecard"

class ScoreRequest(TypedDict, total=False):
    """Applicants to score, with a stored scorecard or with a scorecard in the request."""

    scorecard_id: Union[str, None]
    policy_key: Union["PolicyKey", None]
    input: Union["ScoreInput", None]
    inputs: Union[list["ScoreInput"], None]
    name: Union[str, None]
    base_points: Union[float, None]
    min_score: Union[float, None]
    max_score: Union[float, None]
    pdo: Union[float, None]
    anchor_score: Union[float, None]
    anchor_odds: Union[float, None]
    factors: Union[list["Factor"], None]

ScoreInput: TypeAlias = dict[str, Union[float, str, bool, None]]

class StoredScorecard(TypedDict, total=False):
    """One version of a scorecard."""

    id: Required[str]
    name: Required[str]
    version: Required[int]
    status: Required[Literal["active"]]
    checksum: Required["Checksum"]
    base_points: Required[float]
    min_score: Required[float]
    max_score: Required[float]
    pdo: float
    anchor_score: float
    anchor_odds: float
    factors: Required[list["Factor"]]
    min_points: Required[float]
    max_points: Required[float]
    created_at: Required["Time"]
    created_by: Required[str]

class Score(TypedDict, total=False):
    scorecard_id: str
    final_score: Required[float]
    score_contributions: Required[list["ScoreContribution"]]
    odds: float
    pd: float
    missing: list[str]
    grade: "Grade"
    warnings: list["Warning"]

class Scores(TypedDict, total=False):
    data: Required[list["Score"]]
    warnings: list["Warning"]

class FitRequest(TypedDict, total=False):
    csv: Union[str, None]
    rows: Union[list[dict[str, Any]], None]
    target: Required[str]
    bad_values: Union[list["Scalar"], None]
    good_values: Union[list["Scalar"], None]
    map: Union[dict[str, str], None]
    exclude: Union[list[str], None]
    categorical: Union[list[str], None]
    foir_unit: Union[Literal["ratio", "percent"], None]
    missing_values: Union[list["Scalar"], None]
    special_values: Union[list[float], None]
    split_column: Union[str, None]
    split_value: Union[str, None]
    holdout_share: Union[float, None]
    seed: Union[int, None]
    max_bins: Union[int, None]
    min_share: Union[float, None]
    monotone_only: Union[bool, None]
    max_features: Union[int, None]
    min_iv: Union[float, None]
    max_correlation: Union[float, None]
    refine: Union[bool, None]
    pdo: Union[float, None]
    anchor_score: Union[float, None]
    anchor_odds: Union[float, None]
    decimals: Union[int, None]
    spread_base: Union[bool, None]
    name: Union[str, None]
    save: Union[bool, None]
    indeterminate_values: Union[list["Scalar"], None]
    weight: Union[str, None]
    include: Union[list[str], None]

class FitInputsItem(TypedDict, total=False):
    name: Required[str]
    type: Required[Literal["number", "string", "boolean"]]

class Fit(TypedDict, total=False):
    scorecard: Required[Union["StoredScorecard", "Scorecard"]]
    inputs: Required[list["FitInputsItem"]]
    report: Required["FitReport"]

class FitReportTrialsItem(TypedDict, total=False):
    bin_penalty: Required[float]
    hold: Required[float]
    auc: Required[float]
    chosen: Required[bool]

class FitReport(TypedDict, total=False):
    rows_total: Required[int]
    rows_malformed: Required[int]
    rows_unlabelled: Required[int]
    rows_indeterminate: Required[int]
    method: Required[str]
    train: Required["FitMeasure"]
    holdout: Required[Union["FitMeasure", None]]
    psi_score: Required[Union[float, None]]
    features: Required[list["FitFeature"]]
    dropped: Required[list["FitRemark"]]
    warnings: Required[list["FitRemark"]]
    notes: Required[list["FitNote"]]
    trials: Required[list["FitReportTrialsItem"]]
    map: Required[dict[str, str]]

class FitMeasure(TypedDict, total=False):
    count: Required[int]
    bad: Required[int]
    bad_rate: Required[float]
    avg_score: Required[float]
    auc: Required[Union[float, None]]
    gini: Required[Union[float, None]]
    ks: Required[Union[float, None]]

class FitRemark(TypedDict, total=False):
    column: str
    code: Required[str]
    detail: str

class FitNote(TypedDict, total=False):
    column: str
    code: Required[str]
    detail: Required[str]
    count: int

class FitFeatureBinsItem(TypedDict, total=False):
    label: Required[str]
    kind: Required[Literal["ordinary", "unseen", "special", "missing"]]
    count: Required[int]
    good: Required[int]
    bad: Required[int]
    share: Required[float]
    bad_rate: Required[float]
    woe: Required[float]
    iv: Required[float]
    points: Required[float]
    holdout_count: int
    holdout_bad_rate: float

class FitFeature(TypedDict, total=False):
    column: Required[str]
    field: Required[str]
    type: Required[Literal["number", "string", "boolean"]]
    iv: Required[float]
    iv_band: Required[Literal["useless", "weak", "medium", "strong", "suspicious"]]
    trend: Required[Literal["", "ascending", "descending", "peak", "valley", "by bad rate"]]
    coefficient: Required[float]
    vif: Required[float]
    psi: Required[Union[float, None]]
    sign_reversal: Required[bool]
    bins: Required[list["FitFeatureBinsItem"]]

BacktestStatus: TypeAlias = Literal["receiving", "queued", "running", "succeeded", "failed", "cancelled"]

BacktestSource: TypeAlias = Literal["rows", "csv", "synthetic", "decisions"]

class BacktestRequestSynthetic(TypedDict, total=False):
    n: Union[int, None]
    seed: Union[int, None]
    months: Union[int, None]
    bad_rate: Union[float, None]

BacktestRequestDecisions = TypedDict("BacktestRequestDecisions", {
    "from": Required["Time"],
    "to": Union["Time", None],
    "policy_key": Union["PolicyKey", None],
    "status": Union["DecisionStatus", None],
}, total=False)

class BacktestRequest(TypedDict, total=False):
    """Exactly one of `rows`, `csv`, `synthetic` and `decisions` gives the rows."""

    rule_set_id: Union[str, None]
    challenger_rule_set_id: Union[str, None]
    policy_key: Union["PolicyKey", None]
    reference_backtest_id: Union[str, None]
    rows: Union[list[dict[str, Any]], None]
    csv: Union[str, None]
    synthetic: Union["BacktestRequestSynthetic", None]
    decisions: Union["BacktestRequestDecisions", None]
    map: Union[dict[str, str], None]
    outcome_column: Union[str, None]
    bad_values: Union[list["Scalar"], None]
    good_values: Union[list["Scalar"], None]
    weight_column: Union[str, None]
    status_column: Union[str, None]
    protected_column: Union[str, None]
    month_column: Union[str, None]
    id_column: Union[str, None]
    foir_unit: Union[Literal["ratio", "percent"], None]
    lgd: Union[float, None]
    funding_rate: Union[float, None]

class BacktestProgress(TypedDict, total=False):
    rows_done: Required[int]
    rows_total: int

class BacktestError(TypedDict, total=False):
    code: Required[str]
    detail: Required[str]

class BacktestItem(TypedDict, total=False):
    backtest_id: Required[str]
    status: Required["BacktestStatus"]
    source: Required["BacktestSource"]
    rule_set_id: Required[str]
    challenger_rule_set_id: str
    progress: Required["BacktestProgress"]
    error: Required["BacktestError"]
    created_at: Required["Time"]
    created_by: Required[str]
    started_at: "Time"
    finished_at: "Time"

class BacktestRun(TypedDict, total=False):
    backtest_id: Required[str]
    status: Required["BacktestStatus"]
    source: Required["BacktestSource"]
    rule_set_id: Required[str]
    challenger_rule_set_id: str
    progress: Required["BacktestProgress"]
    report: Required[Union["BacktestReport", None]]
    error: Required["BacktestError"]
    created_at: Required["Time"]
    created_by: Required[str]
    started_at: "Time"
    finished_at: "Time"

Figure: TypeAlias = Union[float, None]

class CodeCount(TypedDict, total=False):
    code: Required[str]
    count: Required[int]

class BacktestReportBook(TypedDict, total=False):
    n: Required[int]
    avg_score: float
    avg_income: float
    avg_requested_amount: float
    share_ntc: float

class BacktestReportRowErrorsItem(TypedDict, total=False):
    row: Required[int]
    field: Required[Union[str, None]]
    code: Required[str]

class BacktestReportWarningsItem(TypedDict, total=False):
    code: Required[str]
    detail: Required[str]
    fields: list[str]

class BacktestReportFairnessGroupsItem(TypedDict, total=False):
    group: Required[str]
    count: Required[int]
    approved: Required[int]
    approval_rate: Required["Figure"]
    ratio: Required["Figure"]
    four_fifths: Required[bool]
    bad_rate_approved: Required["Figure"]
    labelled_approved: Required[int]

class BacktestReportFairness(TypedDict, total=False):
    """Approval rates by group of the protected column."""

    column: Required[str]
    four_fifths: Required[bool]
    groups: Required[list["BacktestReportFairnessGroupsItem"]]

class BacktestReportVintageItem(TypedDict, total=False):
    mob: Required[int]
    labelled: Required[int]
    bad: Required[int]
    ever_90_plus: Required["Figure"]

class BacktestReportActual(TypedDict, total=False):
    """The decisions made at the time, compared with the decisions of the policy."""

    count: Required[int]
    matrix: Required["StatusMatrix"]
    agreement_rate: Required["Figure"]

class BacktestReport(TypedDict, total=False):
    """Counts are numbers of rows."""

    backtest_id: Required[str]
    source: Required["BacktestSource"]
    rule_set_id: Required[str]
    synthetic: bool
    seed: int
    book: "BacktestReportBook"
    rows_total: Required[int]
    rows_evaluated: Required[int]
    rows_failed: Required[int]
    row_errors: Required[list["BacktestReportRowErrorsItem"]]
    row_errors_by_code: Required[list["CodeCount"]]
    columns_ignored: Required[list[str]]
    warnings: list["BacktestReportWarningsItem"]
    weighted: Required[bool]
    total_weight: "Figure"
    summary: Required["BacktestSummary"]
    performance: Required["BacktestPerformance"]
    by_grade: Required[list["BacktestGrade"]]
    score_bands: Required[list["BacktestBand"]]
    top_decline_reasons: Required[list["CodeCount"]]
    reasons: Required[list["BacktestReason"]]
    sole_reasons: Required[list["SoleReason"]]
    rules: Required[list["BacktestRule"]]
    calibration: Required[list["BacktestDecile"]]
    distribution: Required[list["ScoreCell"]]
    roc: Required[list["ROCPoint"]]
    economics: Required["BacktestEconomics"]
    fairness: "BacktestReportFairness"
    vintage: list["BacktestReportVintageItem"]
    vintage_without_month: int
    actual: "BacktestReportActual"
    psi: "Figure"
    psi_groups: "PSIGroups"
    challenger: "BacktestChallenger"
    duration_ms: Required[int]
    created_at: Required["Time"]

class BacktestChallengerSwapSet(TypedDict, total=False):
    """'Decline' means every outcome except approval."""

    both_approve: Required[int]
    champion_only: Required[int]
    challenger_only: Required[int]
    both_decline: Required[int]
    bad_rate_swap_in: Required["Figure"]
    labelled_swap_in: Required[int]
    bad_rate_swap_out: Required["Figure"]
    labelled_swap_out: Required[int]
    bad_rate_both_approve: Required["Figure"]
    labelled_both_approve: Required[int]

class BacktestChallengerBothApprove(TypedDict, total=False):
    """How limit and price differ on rows that both policies approve."""

    count: Required[int]
    limit_higher: Required[int]
    limit_lower: Required[int]
    limit_same: Required[int]
    avg_limit_change: Required["Figure"]
    total_limit_change: Required["Figure"]
    rate_higher: Required[int]
    rate_lower: Required[int]
    rate_same: Required[int]
    avg_rate_change: Required["Figure"]
    avg_apr_change: Required["Figure"]

class BacktestChallengerChangesItem(TypedDict, total=False):
    change: Required[int]
    section: Required[str]
    id: Required[Union[str, None]]
    what: Required[Literal["added", "removed", "changed"]]
    before: Required[Union[str, None]]
    after: Required[Union[str, None]]

class BacktestChallenger(TypedDict, total=False):
    """The results of the challenger on the same rows, and how they differ from those of the champion."""

    rule_set_id: Required[str]
    summary: Required["BacktestSummary"]
    performance: Required["BacktestPerformance"]
    by_grade: Required[list["BacktestGrade"]]
    score_bands: Required[list["BacktestBand"]]
    top_decline_reasons: Required[list["CodeCount"]]
    reasons: Required[list["BacktestReason"]]
    sole_reasons: Required[list["SoleReason"]]
    rules: Required[list["BacktestRule"]]
    calibration: Required[list["BacktestDecile"]]
    distribution: Required[list["ScoreCell"]]
    roc: Required[list["ROCPoint"]]
    economics: Required["BacktestEconomics"]
    swap_set: Required["BacktestChallengerSwapSet"]
    matrix: Required["StatusMatrix"]
    both_approve: Required["BacktestChallengerBothApprove"]
    psi_score: Required["Figure"]
    psi_groups: Required["PSIGroups"]
    changes: Required[list["BacktestChallengerChangesItem"]]
    swap_in: Required["SwapAttribution"]
    swap_out: Required["SwapAttribution"]

class SwapAttributionByChangeItem(TypedDict, total=False):
    change: Required[int]
    section: Required[str]
    id: Required[Union[str, None]]
    alone: Required[int]
    needed: Required[int]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]

class SwapAttribution(TypedDict, total=False):
    """The number of swapped rows, and how many of them each change causes."""

    count: Required[int]
    explained: Required[int]
    together: Required[int]
    by_change: Required[list["SwapAttributionByChangeItem"]]

class PSIGroupsItem(TypedDict, total=False):
    min: Required[Union[int, None]]
    expected: Required["Figure"]
    actual: Required["Figure"]

PSIGroups: TypeAlias = list["PSIGroupsItem"]

class StatusMatrix(TypedDict, total=False):
    """Counts of rows by two statuses."""

    APPROVED: Required["StatusCounts"]
    REFERRED: Required["StatusCounts"]
    DECLINED: Required["StatusCounts"]

class StatusCounts(TypedDict, total=False):
    APPROVED: Required[int]
    REFERRED: Required[int]
    DECLINED: Required[int]

class BacktestSummary(TypedDict, total=False):
    """The results of all rows."""

    approved: Required[int]
    referred: Required[int]
    declined: Required[int]
    approval_rate: Required["Figure"]
    referral_rate: Required["Figure"]
    decline_rate: Required["Figure"]
    avg_limit: Required["Figure"]
    total_limit: Required["Figure"]
    avg_interest_rate: Required["Figure"]
    avg_apr: Required["Figure"]
    avg_score: Required["Figure"]
    total_limit_referred: Required["Figure"]

class BacktestPerformance(TypedDict, total=False):
    """The outcomes of the labelled rows, which are the rows with an outcome."""

    labelled: Required[int]
    good: Required[int]
    bad: Required[int]
    bad_rate_all: Required["Figure"]
    bad_rate_approved: Required["Figure"]
    labelled_approved: Required[int]
    bad_rate_referred: Required["Figure"]
    labelled_referred: Required[int]
    bad_rate_declined: Required["Figure"]
    labelled_declined: Required[int]
    auc: Required["Figure"]
    gini: Required["Figure"]
    ks: Required["Figure"]
    ks_at: Required["Figure"]
    iv: Required["Figure"]
    hosmer_lemeshow: Required["Figure"]
    expected_loss: Required["Figure"]
    pd_source: Required[Union[str, None]]
    lgd: Required["Figure"]

class BacktestGrade(TypedDict, total=False):
    grade: Required["Grade"]
    count: Required[int]
    share: Required["Figure"]
    approved: Required[int]
    referred: Required[int]
    declined: Required[int]
    approval_rate: Required["Figure"]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]
    bad_rate_approved: Required["Figure"]
    labelled_approved: Required[int]
    avg_rate: Required["Figure"]
    avg_limit: Required["Figure"]
    total_limit: Required["Figure"]

class BacktestBand(TypedDict, total=False):
    """A range of scores: that of a pricing band, or a range below, above or between the bands."""

    place: Required[Literal["band", "below", "above", "gap"]]
    band: str
    grade: "Grade"
    min: Required[Union[int, None]]
    max: Required[Union[int, None]]
    count: Required[int]
    good: Required[int]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]
    woe: Required["Figure"]
    iv: Required["Figure"]

class BacktestReason(TypedDict, total=False):
    """How often a code was among the reasons of a decision."""

    code: Required[str]
    count: Required[int]
    first: Required[int]
    declined: Required[int]
    referred: Required[int]
    approved: Required[int]

class SoleReason(TypedDict, total=False):
    """The rows that one knockout hits, and the rows whose outcome only this knockout causes."""

    id: Required[str]
    reason_code: Required[str]
    action: Required[str]
    hits: Required[int]
    declines: Required[int]
    sole_declines: Required[int]
    sole_referrals: Required[int]
    first: Required[int]
    overlap: Required[int]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]

class BacktestRule(TypedDict, total=False):
    id: Required[str]
    kind: Required[Literal["knockout", "adjustment"]]
    evaluated: Required[int]
    hit: Required[int]
    unknown: Required[int]
    hit_rate: Required["Figure"]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]

class BacktestDecile(TypedDict, total=False):
    group: Required[int]
    min_score: Required["Figure"]
    max_score: Required["Figure"]
    predicted: Required["Figure"]
    labelled: Required[int]
    bad: Required[int]
    bad_rate: Required["Figure"]
    bad_rate_low: Required["Figure"]
    bad_rate_high: Required["Figure"]

class ScoreCell(TypedDict, total=False):
    min: Required[int]
    max: Required[int]
    good: Required[int]
    bad: Required[int]
    unlabelled: Required[int]
    weight: Required[float]

class ROCPoint(TypedDict, total=False):
    score: Required["Figure"]
    good: Required["Figure"]
    bad: Required["Figure"]

class BacktestEconomics(TypedDict, total=False):
    """The income of the approved loans if they are repaid as scheduled, minus the funding cost and the expected loss."""

    interest_income: Required["Figure"]
    fee_income: Required["Figure"]
    funding_cost: Required["Figure"]
    expected_loss: Required["Figure"]
    net_margin: Required["Figure"]
    net_margin_pct: Required["Figure"]
    funding_rate: Required["Figure"]

AgentName: TypeAlias = Literal["underwriting", "collections"]

RunId: TypeAlias = str

class Replay(TypedDict, total=False):
    """Whether repeating the run gave the same bytes; present only when a stored run is read."""

    verified: bool
    inputs_erased: bool
    run_hash: "Checksum"

class AgentRunItem(TypedDict, total=False):
    """A run in a list."""

    run_id: Required["RunId"]
    agent: Required["AgentName"]
    outcome: Required[str]
    subject_ref: str
    decision_id: str
    run_hash: Required["Checksum"]
    created_at: Required["Time"]

class UnderwritingRequestExplore(TypedDict, total=False):
    """Limits for the amounts and tenures that the agent tries."""

    tenures: Union[list[int], None]
    min_amount: Union[float, None]

class UnderwritingRequest(TypedDict, total=False):
    """A decision request or an evaluate request, and options for the agent."""

    purpose: Union[str, None]
    max_steps: Union[int, None]
    as_of: Union[str, None]
    explore: Union["UnderwritingRequestExplore", None]

class UnderwritingRunStepsItem(TypedDict, total=False):
    n: Required[int]
    tool: Required[Literal["completeness", "eligibility", "signals", "bank_checks", "decide", "improve", "what_if"]]
    input: dict[str, Any]
    input_hash: Required["Checksum"]
    result: Required[str]

class UnderwritingRunDocumentsItem(TypedDict, total=False):
    code: Required[str]
    text: Required[str]
    field: Required[str]

UnderwritingRunImprovementsItemChangesItem = TypedDict("UnderwritingRunImprovementsItemChangesItem", {
    "field": Required[str],
    "from": float,
    "to": Required[float],
    "by": Literal["waiting"],
    "pay_off_monthly": float,
}, total=False)

UnderwritingRunImprovementsItem = TypedDict("UnderwritingRunImprovementsItem", {
    "field": str,
    "from": float,
    "to": float,
    "by": Literal["waiting"],
    "pay_off_monthly": float,
    "effect": Required[Literal["APPROVED", "REFERRED"]],
    "full_amount": bool,
    "changes": Required[list["UnderwritingRunImprovementsItemChangesItem"]],
    "grade": "Grade",
    "limit": float,
    "tenure_months": int,
    "interest_rate": float,
    "emi": float,
}, total=False)

class UnderwritingRunCompletenessMissingItem(TypedDict, total=False):
    field: Required[str]
    matters: Required[bool]
    best: Required["DecisionStatus"]
    worst: Required["DecisionStatus"]
    rules: Required[list[str]]
    factors: Required[list[str]]

class UnderwritingRunCompletenessNotEvaluatedItem(TypedDict, total=False):
    id: Required[str]
    missing: Required[list[str]]
    residual: Required[str]

class UnderwritingRunCompleteness(TypedDict, total=False):
    """The missing inputs, and what they could change."""

    complete: Required[bool]
    ask_next: Required[list[str]]
    missing: Required[list["UnderwritingRunCompletenessMissingItem"]]
    not_evaluated: Required[list["UnderwritingRunCompletenessNotEvaluatedItem"]]

class UnderwritingRunPrincipalReasonsItem(TypedDict, total=False):
    code: Required["ReasonCode"]
    message: Required[str]
    rank: Required[int]

class UnderwritingRunNarration(TypedDict, total=False):
    """The result of rewriting the memo's summary with a language model."""

    used: Required[bool]
    plain_summary: str
    refused: Literal["unavailable", "empty", "too_long", "not_prose", "unknown_number", "unknown_name", "other_outcome", "recommendation_lost"]

class UnderwritingRunPolicy(TypedDict, total=False):
    """The version of the policy that decided."""

    id: Required[str]
    version: Required[int]
    checksum: Required["Checksum"]

class UnderwritingRun(TypedDict, total=False):
    """The results of the underwriting agent."""

    run_id: Required["RunId"]
    agent: Required[Literal["underwriting"]]
    recommendation: Required[Literal["APPROVE", "APPROVE_WITH_CHANGES", "REFER", "DECLINE"]]
    confidence: Required[Literal["high", "medium", "low"]]
    decision: Required["Decision"]
    steps: Required[list["UnderwritingRunStepsItem"]]
    counter_offers: Required[list["UnderwritingOffer"]]
    what_ifs: Required[list["UnderwritingOffer"]]
    conditions: Required[list[str]]
    documents: Required[list["UnderwritingRunDocumentsItem"]]
    improvements: Required[list["UnderwritingRunImprovementsItem"]]
    completeness: Required["UnderwritingRunCompleteness"]
    signals: Required[list["UnderwritingFinding"]]
    bank_checks: Required[list["UnderwritingFinding"]]
    principal_reasons: Required[list["UnderwritingRunPrincipalReasonsItem"]]
    memo: Required[str]
    narration: "UnderwritingRunNarration"
    needs_human: Required[bool]
    warnings: list["Warning"]
    policy: Required["UnderwritingRunPolicy"]
    as_of: str
    created_at: Required["Time"]
    replay: "Replay"

class UnderwritingOffer(TypedDict, total=False):
    """A variant of the request, as the engine decided it."""

    status: "DecisionStatus"
    grade: "Grade"
    limit: float
    tenure_months: int
    interest_rate: float
    emi: float
    apr: float
    pricing_band_id: str
    changes: Required[dict[str, "Scalar"]]

class UnderwritingFinding(TypedDict, total=False):
    """The result of a check."""

    field: Required[str]
    value: Required["Scalar"]
    against: str
    against_value: "Scalar"
    threshold: float
    concern: Required[bool]
    text: Required[str]
    rules: list[str]

class CollectionsRequestLoanLastPayment(TypedDict, total=False):
    at: Required[str]
    amount: Union[float, None]

class CollectionsRequestLoan(TypedDict, total=False):
    id: Union[str, None]
    product: Union[str, None]
    principal_outstanding: Required[float]
    emi: Union[float, None]
    overdue_amount: Required[float]
    interest_rate: Union[float, None]
    dpd: Union[int, None]
    missed_emis: Union[int, None]
    due_date: Union[str, None]
    mandate_status: Union[str, None]
    asset_class: Union[Literal["STANDARD", "SMA-0", "SMA-1", "SMA-2", "NPA"], None]
    last_payment: Union["CollectionsRequestLoanLastPayment", None]

CollectionsRequestBorrowerPreferredHours = TypedDict("CollectionsRequestBorrowerPreferredHours", {
    "from": Required[str],
    "to": Required[str],
}, total=False)

class CollectionsRequestBorrower(TypedDict, total=False):
    ref: Union[str, None]
    name: Union[str, None]
    language: Union[str, None]
    preferred_channel: Union["CollectionsChannel", None]
    preferred_hours: Union["CollectionsRequestBorrowerPreferredHours", None]
    do_not_contact_until: Union[str, None]
    timezone: Union[str, None]
    flags: Union[list[Literal["DECEASED", "INSOLVENCY", "DISPUTE", "NO_CONSENT", "HARDSHIP", "VULNERABLE"]], None]

class CollectionsRequestHistoryItem(TypedDict, total=False):
    at: Required[str]
    channel: Required["CollectionsChannel"]
    disposition: Union[str, None]
    promise_amount: Union[float, None]
    promise_date: Union[str, None]
    kept: Union[bool, None]

class CollectionsRequest(TypedDict, total=False):
    """A loan in arrears."""

    loan: Required["CollectionsRequestLoan"]
    borrower: Union["CollectionsRequestBorrower", None]
    history: Union[list["CollectionsRequestHistoryItem"], None]
    as_of: Union[str, None]

CollectionsChannel: TypeAlias = Literal["call", "sms", "whatsapp", "email", "visit", "letter"]

Hours = TypedDict("Hours", {
    "from": Required[str],
    "to": Required[str],
}, total=False)

CollectionsAction: TypeAlias = Literal["NONE", "REMIND_SMS", "REMIND_WHATSAPP", "SEND_PAYMENT_LINK", "REPRESENT_NACH", "CALL", "FIELD_VISIT", "OFFER_RESTRUCTURE", "OFFER_SETTLEMENT", "LEGAL_NOTICE", "HOLD"]

CollectionsTemplate: TypeAlias = Literal["due_soon", "overdue_1", "overdue_2", "overdue_3", "payment_link", "nach_notice", "call_1", "call_2", "call_3", "ptp_broken_1", "ptp_broken_2", "ptp_broken_3", "visit_notice", "restructure_offer", "settlement_offer", "legal_notice"]

class CollectionsPlanEntry(TypedDict, total=False):
    day: Required[int]
    action: Required["CollectionsAction"]
    requires: str
    place: Literal["designated_place", "home"]
    channel: Required[Literal["call", "sms", "whatsapp", "email", "visit", "letter", "nach"]]
    not_before: Required[str]
    not_after: Required[str]
    template: Required["CollectionsTemplate"]

class CollectionsRunNextBestAction(TypedDict, total=False):
    """The most serious action on the first day of the plan; HOLD during a hold, NONE if there is nothing to do."""

    action: Required["CollectionsAction"]
    channel: Literal["call", "sms", "whatsapp", "email", "visit", "letter", "nach"]
    not_before: str
    not_after: str
    template: "CollectionsTemplate"
    requires: str
    place: Literal["designated_place", "home"]
    until: str

class CollectionsRunPromise(TypedDict, total=False):
    kept: Required[int]
    broken: Required[int]
    reliability: float
    open: Required[int]

class CollectionsRunSettlementInstalmentsItem(TypedDict, total=False):
    month: Required[int]
    amount: Required[float]

class CollectionsRunSettlement(TypedDict, total=False):
    eligible: Required[bool]
    reason: Required[str]
    min_settlement_pct: Required[Union[float, None]]
    base_amount: float
    amount: float
    instalments: list["CollectionsRunSettlementInstalmentsItem"]
    cooling_months: int
    approval: str

class CollectionsRunRestructureArithmetic(TypedDict, total=False):
    principal: Required[float]
    interest_rate: Required[float]
    current_emi: Required[float]
    remaining_months: int
    emi_reduction_pct: Required[float]

class CollectionsRunRestructure(TypedDict, total=False):
    eligible: Required[bool]
    reason: str
    proposed_tenure_months: int
    proposed_emi: float
    asset_class_after: Literal["NPA"]
    requires: str
    arithmetic: "CollectionsRunRestructureArithmetic"

CollectionsRunComplianceWindow = TypedDict("CollectionsRunComplianceWindow", {
    "from": Required[str],
    "to": Required[str],
    "timezone": Required[str],
}, total=False)

class CollectionsRunCompliance(TypedDict, total=False):
    contact_allowed_now: Required[bool]
    window: Required["CollectionsRunComplianceWindow"]
    attempts_today: Required[int]
    max_attempts_per_day: Required[int]
    notes: Required[list[str]]
    permitted_hours: Required[Union["Hours", None]]
    attempts_week: Required[int]
    max_attempts_per_week: Required[int]

class CollectionsRunArrears(TypedDict, total=False):
    dpd: Required[int]
    source: Required[Literal["sent", "due_date"]]
    day_end: Required[str]
    sma_0_on: str
    sma_1_on: str
    sma_2_on: str
    npa_on: str

class CollectionsRunPriorityDetail(TypedDict, total=False):
    """How the priority was computed."""

    value: Required[float]
    recovery_probability: Required[float]
    expected_recovery: Required[float]
    basis: Literal["risk"]
    amount_at_risk: float

class CollectionsRunMandate(TypedDict, total=False):
    status: Literal["active", "inactive", "pending", "suspended", "cancelled", "expired", "rejected", "none", "unknown"]
    can_present: Required[bool]

class CollectionsRunHold(TypedDict, total=False):
    """Why all actions are on hold; left out if there is no hold."""

    reason: Required[Literal["flag_deceased", "flag_insolvency", "flag_dispute", "flag_no_consent", "flag_hardship", "flag_vulnerable", "nothing_overdue", "no_permitted_hours", "no_permitted_day", "wrong_number", "do_not_contact", "open_promise", "recent_payment"]]
    detail: Required[str]
    until: str
    person: Required[bool]

class CollectionsRunMessage(TypedDict, total=False):
    """The message for the next best action: the text to send, or the opening of a call."""

    template: Required["CollectionsTemplate"]
    language: Required[Literal["en", "hi"]]
    text: Required[str]

class CollectionsRunStrategy(TypedDict, total=False):
    """The strategy that was used; version 0 is the default."""

    name: Required[str]
    version: Required[int]

class CollectionsRun(TypedDict, total=False):
    run_id: Required["RunId"]
    agent: Required[Literal["collections"]]
    bucket: Required[Literal["0", "1-30", "31-60", "61-90", "90+"]]
    asset_class: Required[Literal["STANDARD", "SMA-0", "SMA-1", "SMA-2", "NPA"]]
    priority: Required[Literal["low", "medium", "high", "critical"]]
    priority_score: Required[int]
    next_best_action: Required["CollectionsRunNextBestAction"]
    plan: Required[list["CollectionsPlanEntry"]]
    promise: Required["CollectionsRunPromise"]
    roll_risk: Required[float]
    settlement: Required["CollectionsRunSettlement"]
    restructure: Required["CollectionsRunRestructure"]
    compliance: Required["CollectionsRunCompliance"]
    reasons: Required[list[str]]
    arrears: Required["CollectionsRunArrears"]
    priority_detail: Required["CollectionsRunPriorityDetail"]
    roll_risk_table: Required[str]
    mandate: Required["CollectionsRunMandate"]
    hold: "CollectionsRunHold"
    message: "CollectionsRunMessage"
    needs_human: Required[bool]
    warnings: Required[list["Warning"]]
    as_of: Required[str]
    strategy: Required["CollectionsRunStrategy"]
    created_at: Required["Time"]
    replay: "Replay"

class CollectionsSettingsStagesItemStepsItem(TypedDict, total=False):
    day: Required[int]
    action: Required[Literal["REMIND_SMS", "REMIND_WHATSAPP", "SEND_PAYMENT_LINK", "REPRESENT_NACH", "CALL", "FIELD_VISIT", "OFFER_RESTRUCTURE", "OFFER_SETTLEMENT", "LEGAL_NOTICE"]]

class CollectionsSettingsStagesItem(TypedDict, total=False):
    from_dpd: Required[int]
    tone: Union[Literal["gentle", "neutral", "firm"], None]
    steps: Required[list["CollectionsSettingsStagesItemStepsItem"]]

CollectionsSettingsRollRiskBuckets = TypedDict("CollectionsSettingsRollRiskBuckets", {
    "0": Union[float, None],
    "1-30": Union[float, None],
    "31-60": Union[float, None],
    "61-90": Union[float, None],
    "90+": Union[float, None],
}, total=False)

class CollectionsSettingsRollRisk(TypedDict, total=False):
    table: Union[str, None]
    buckets: Union["CollectionsSettingsRollRiskBuckets", None]
    promise_swing: Union[float, None]

class CollectionsSettingsPriorityScaleItem(TypedDict, total=False):
    expected: Required[float]
    score: Required[int]

class CollectionsSettingsPriorityBands(TypedDict, total=False):
    medium: Union[int, None]
    high: Union[int, None]
    critical: Union[int, None]

class CollectionsSettingsPriority(TypedDict, total=False):
    basis: Union[Literal["risk", "recovery"], None]
    scale: Union[list["CollectionsSettingsPriorityScaleItem"], None]
    bands: Union["CollectionsSettingsPriorityBands", None]

class CollectionsSettingsRestructure(TypedDict, total=False):
    from_dpd: Union[int, None]
    offer_from_dpd: Union[int, None]
    tenures: Union[list[int], None]
    min_reduction_pct: Union[float, None]
    requires: Union[str, None]

class CollectionsSettingsSettlementMinSettlementPctItem(TypedDict, total=False):
    from_dpd: Required[int]
    pct: Required[float]

class CollectionsSettingsSettlement(TypedDict, total=False):
    from_dpd: Union[int, None]
    min_settlement_pct: Union[list["CollectionsSettingsSettlementMinSettlementPctItem"], None]
    max_months: Union[int, None]
    cooling_months: Union[int, None]

class CollectionsSettings(TypedDict, total=False):
    """How you collect in one environment."""

    name: Union[str, None]
    lender_name: Union[str, None]
    contact: Union[str, None]
    window: Union["Hours", None]
    microfinance_window: Union["Hours", None]
    closed_weekdays: Union[list[Literal["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]], None]
    holidays: Union[list[str], None]
    max_attempts_per_day: Union[int, None]
    max_attempts_per_week: Union[int, None]
    payment_hold_days: Union[int, None]
    max_promise_days: Union[int, None]
    pre_due_days: Union[list[int], None]
    stages: Union[list["CollectionsSettingsStagesItem"], None]
    roll_risk: Union["CollectionsSettingsRollRisk", None]
    priority: Union["CollectionsSettingsPriority", None]
    restructure: Union["CollectionsSettingsRestructure", None]
    settlement: Union["CollectionsSettingsSettlement", None]

class CollectionsStrategy(TypedDict, total=False):
    """The strategy of one environment."""

    name: Required[Union[str, None]]
    lender_name: Required[Union[str, None]]
    contact: Required[Union[str, None]]
    window: Required[Union["Hours", None]]
    microfinance_window: Required[Union["Hours", None]]
    closed_weekdays: Required[Union[list[Literal["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]], None]]
    holidays: Required[Union[list[str], None]]
    max_attempts_per_day: Required[Union[int, None]]
    max_attempts_per_week: Required[Union[int, None]]
    payment_hold_days: Required[Union[int, None]]
    max_promise_days: Required[Union[int, None]]
    pre_due_days: Required[Union[list[int], None]]
    stages: Required[Union[list["CollectionsSettingsStagesItem"], None]]
    roll_risk: Required[Union["CollectionsSettingsRollRisk", None]]
    priority: Required[Union["CollectionsSettingsPriority", None]]
    restructure: Required[Union["CollectionsSettingsRestructure", None]]
    settlement: Required[Union["CollectionsSettingsSettlement", None]]
    version: Required[int]
    updated_at: "Time"
    updated_by: str

class CollectionsStrategyPatch(TypedDict, total=False):
    """A change of the strategy."""

    name: Union[str, None]
    lender_name: Union[str, None]
    contact: Union[str, None]
    window: Union["Hours", None]
    microfinance_window: Union["Hours", None]
    closed_weekdays: Union[list[Literal["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]], None]
    holidays: Union[list[str], None]
    max_attempts_per_day: Union[int, None]
    max_attempts_per_week: Union[int, None]
    payment_hold_days: Union[int, None]
    max_promise_days: Union[int, None]
    pre_due_days: Union[list[int], None]
    stages: Union[list["CollectionsSettingsStagesItem"], None]
    roll_risk: Union["CollectionsSettingsRollRisk", None]
    priority: Union["CollectionsSettingsPriority", None]
    restructure: Union["CollectionsSettingsRestructure", None]
    settlement: Union["CollectionsSettingsSettlement", None]
    version: int
    updated_at: str
    updated_by: str

class UsagePeriod(TypedDict, total=False):
    """The month, in Indian time."""

    start: Required[str]
    end: Required[str]

class UsageByEndpointItem(TypedDict, total=False):
    endpoint: Required[str]
    count: Required[int]
    billable: Required[bool]

class UsageDailyItem(TypedDict, total=False):
    date: Required[str]
    count: Required[int]

class Usage(TypedDict, total=False):
    tenant_id: Required[str]
    environment: Required["Environment"]
    plan: Required[str]
    period: Required["UsagePeriod"]
    quota: Required[Union[int, None]]
    used: Required[int]
    remaining: int
    percent_used: float
    overage_allowed: Required[bool]
    by_endpoint: Required[list["UsageByEndpointItem"]]
    daily: Required[list["UsageDailyItem"]]

SignalId: TypeAlias = Literal["pincode_spike", "ip_cluster", "beneficiary_account_reuse", "agent_geo_anomaly", "device_reuse", "mobile_reuse", "email_reuse", "ring"]

Severity: TypeAlias = Literal["low", "medium", "high", "critical"]

EntityKind: TypeAlias = Literal["beneficiary_account", "ip", "pincode", "agent", "device", "mobile", "email"]

AlertStatus: TypeAlias = Literal["open", "acknowledged", "closed"]

AlertResolution: TypeAlias = Literal["confirmed_fraud", "false_positive", "duplicate", "other"]

Risk: TypeAlias = Literal["LOW", "MEDIUM", "HIGH", "BLOCKED"]

class FraudDevice(TypedDict, total=False):
    """The facts of the device block; null if the block was not sent."""

    device_is_emulator: bool
    device_is_rooted: bool
    device_sim_new: bool
    device_loan_apps_excess: bool

class FraudLocation(TypedDict, total=False):
    """The facts of the location block; null if the block was not sent."""

    location_gps_pincode_match: bool
    location_ip_country: str
    location_ip_allowed: bool
    location_pincode_risk: "Risk"
    location_pincode_risk_score: float
    location_permission_denied: bool

class Fraud(TypedDict, total=False):
    """The results of the fraud block."""

    fraud_score: Required[int]
    complete: Required[bool]
    level: Literal["low", "medium", "high", "very_high"]
    score_breakdown: Required["FraudBreakdown"]
    signals: Required["FraudSignals"]
    device: Required[Union["FraudDevice", None]]
    location: Required[Union["FraudLocation", None]]
    alert_ids: Required[list[str]]
    people: list["PersonFraud"]

class FraudBreakdownItem(TypedDict, total=False):
    signal: Required["SignalId"]
    points: Required[int]

FraudBreakdown: TypeAlias = list["FraudBreakdownItem"]

class FraudSignalsItem(TypedDict, total=False):
    id: Required[str]
    evaluated: Literal[False]
    reason: str
    triggered: bool
    severity: "Severity"
    value: int
    threshold: int
    window_hours: int
    measure: Literal["applications", "distinct_pincodes"]
    reason_code: "ReasonCode"
    entity: str

FraudSignals: TypeAlias = list["FraudSignalsItem"]

class PersonFraud(TypedDict, total=False):
    """The results for one person other than the primary applicant."""

    role: Required[Literal["co_applicant", "guarantor"]]
    fraud_score: Required[int]
    complete: Required[bool]
    level: Required[Literal["low", "medium", "high", "very_high"]]
    score_breakdown: Required["FraudBreakdown"]
    signals: Required["FraudSignals"]

class Entity(TypedDict, total=False):
    """An entity that applicants share."""

    kind: Required[str]
    display: Required[str]
    key: Required[str]

class GraphNode(TypedDict, total=False):
    """A person, or an entity that links people."""

    kind: Required[str]
    applicant_ref: str
    display: str
    key: str
    applicants: int

class GraphEdge(TypedDict, total=False):
    """A person who was seen with an entity."""

    applicant_ref: Required[str]
    kind: Required["EntityKind"]
    key: Required[str]

class AlertCore(TypedDict, total=False):
    """The members that all alerts have in common."""

    id: Required[str]
    type: Required["SignalId"]
    severity: Required["Severity"]
    status: Required["AlertStatus"]
    entity: Required["Entity"]
    value: Required[int]
    applicant_refs: Required[list[str]]
    applicant_count: Required[int]
    decision_ids: Required[list[str]]
    threshold: Required[int]
    window_hours: Required[int]
    first_seen_at: Required["Time"]
    last_seen_at: Required["Time"]
    acknowledged_at: Required[Union[str, None]]
    acknowledged_by: Required[Union[str, None]]
    closed_at: Required[Union[str, None]]
    closed_by: Required[Union[str, None]]
    resolution: Required[Union[str, None]]
    note: Required[Union[str, None]]
    previous_alert_id: str
    merged_into: str
    possible_ref_misuse: Literal[True]
    created_at: Required["Time"]
    updated_at: Required["Time"]

class AlertBlockedItem(TypedDict, total=False):
    kind: Required["EntityKind"]
    display: Required[str]
    key: Required[str]
    expires_at: "Time"

class Alert(TypedDict, total=False):
    """A fraud alert."""

    id: Required[str]
    type: Required["SignalId"]
    severity: Required["Severity"]
    status: Required["AlertStatus"]
    entity: Required["Entity"]
    value: Required[int]
    applicant_refs: Required[list[str]]
    applicant_count: Required[int]
    decision_ids: Required[list[str]]
    threshold: Required[int]
    window_hours: Required[int]
    first_seen_at: Required["Time"]
    last_seen_at: Required["Time"]
    acknowledged_at: Required[Union[str, None]]
    acknowledged_by: Required[Union[str, None]]
    closed_at: Required[Union[str, None]]
    closed_by: Required[Union[str, None]]
    resolution: Required[Union[str, None]]
    note: Required[Union[str, None]]
    previous_alert_id: str
    merged_into: str
    possible_ref_misuse: Literal[True]
    created_at: Required["Time"]
    updated_at: Required["Time"]
    blocked: list["AlertBlockedItem"]

AlertWithHistoryHistoryItem = TypedDict("AlertWithHistoryHistoryItem", {
    "at": Required["Time"],
    "actor": Required[str],
    "from": "AlertStatus",
    "to": Required["AlertStatus"],
    "resolution": "AlertResolution",
    "note": str,
}, total=False)

class AlertWithHistory(TypedDict, total=False):
    """A fraud alert with its history."""

    id: Required[str]
    type: Required["SignalId"]
    severity: Required["Severity"]
    status: Required["AlertStatus"]
    entity: Required["Entity"]
    value: Required[int]
    applicant_refs: Required[list[str]]
    applicant_count: Required[int]
    decision_ids: Required[list[str]]
    threshold: Required[int]
    window_hours: Required[int]
    first_seen_at: Required["Time"]
    last_seen_at: Required["Time"]
    acknowledged_at: Required[Union[str, None]]
    acknowledged_by: Required[Union[str, None]]
    closed_at: Required[Union[str, None]]
    closed_by: Required[Union[str, None]]
    resolution: Required[Union[str, None]]
    note: Required[Union[str, None]]
    previous_alert_id: str
    merged_into: str
    possible_ref_misuse: Literal[True]
    created_at: Required["Time"]
    updated_at: Required["Time"]
    history: Required[list["AlertWithHistoryHistoryItem"]]
    nodes: list["GraphNode"]
    edges: list["GraphEdge"]
    truncated: bool

class AlertMoveBlockItem(TypedDict, total=False):
    kind: Required["EntityKind"]
    key: Required[str]
    expires_at: Union[str, None]
    display: Union[str, None]

class AlertMove(TypedDict, total=False):
    """A step that acknowledges or closes an alert."""

    status: Union[Literal["acknowledged", "closed"], None]
    action: Union[Literal["acknowledge", "close"], None]
    resolution: Union["AlertResolution", None]
    note: Union[str, None]
    block: Union[list["AlertMoveBlockItem"], None]

class RingEntitiesItem(TypedDict, total=False):
    kind: Required["EntityKind"]
    display: Required[str]
    key: Required[str]
    applicants: Required[int]

class RingEdgesItem(TypedDict, total=False):
    applicant_ref: Required[str]
    kind: Required["EntityKind"]
    key: Required[str]

class Ring(TypedDict, total=False):
    """The applicants of an alert and the entities that they were seen with."""

    alert_id: Required[str]
    applicants: Required[list[str]]
    entities: Required[list["RingEntitiesItem"]]
    edges: Required[list["RingEdgesItem"]]
    truncated: Required[bool]

class BlockedEntity(TypedDict, total=False):
    id: str
    kind: Required["EntityKind"]
    display: Required[str]
    key: Required[str]
    blocked_at: Required["Time"]
    blocked_by: Required[str]
    alert_id: str
    reason: str
    expires_at: "Time"
    expired: Literal[True]

class BlockRequest(TypedDict, total=False):
    """An entry of the block list."""

    kind: Required["EntityKind"]
    value: Required[str]
    reason: Union[str, None]
    expires_at: Union["Time", None]

class FraudConfig(TypedDict, total=False):
    """The settings of one environment."""

    version: Required[int]
    updated_at: "Time"
    updated_by: str
    fraud: Required["FraudSettings"]
    device: Required["DeviceSettings"]
    location: Required["LocationSettings"]

class FraudConfigPatch(TypedDict, total=False):
    """A change of the settings."""

    version: int
    updated_at: str
    updated_by: str
    fraud: Union["FraudSettings", None]
    device: Union["DeviceSettings", None]
    location: Union["LocationSettings", None]

class FraudSettingsPincodeSpike(TypedDict, total=False):
    """Compares the number of applicants of a pincode with the pincode's own history."""

    enabled: Union[bool, None]
    window_hours: Union[int, None]
    min_count: Union[int, None]
    ratio_to_baseline: Union[float, None]
    baseline_days: Union[int, None]
    min_baseline_days: Union[int, None]
    points: Union[int, None]

class FraudSettingsIpCluster(TypedDict, total=False):
    """Counts the applicants with one IP address; for IPv6, with one /64 network."""

    enabled: Union[bool, None]
    window_hours: Union[int, None]
    distinct_applicants: Union[int, None]
    points: Union[int, None]

class FraudSettingsBeneficiaryReuse(TypedDict, total=False):
    """Counts the applicants who name one account."""

    enabled: Union[bool, None]
    window_days: Union[int, None]
    distinct_applicants: Union[int, None]
    points: Union[int, None]
    allowlist_accounts: Union[list[str], None]

class FraudSettingsAgentAnomaly(TypedDict, total=False):
    """Counts the applicants of an agent and their pincodes."""

    enabled: Union[bool, None]
    window_hours: Union[int, None]
    max_applications: Union[int, None]
    max_distinct_pincodes: Union[int, None]
    points: Union[int, None]

class FraudSettingsDeviceReuse(TypedDict, total=False):
    """Counts the applicants who use one device."""

    enabled: Union[bool, None]
    window_days: Union[int, None]
    distinct_applicants: Union[int, None]
    points: Union[int, None]
    allowlist: Union[list[str], None]

class FraudSettingsMobileReuse(TypedDict, total=False):
    """Counts the applicants who give one mobile number."""

    enabled: Union[bool, None]
    window_days: Union[int, None]
    distinct_applicants: Union[int, None]
    points: Union[int, None]
    allowlist: Union[list[str], None]

class FraudSettingsEmailReuse(TypedDict, total=False):
    """Counts the applicants who give one e-mail address."""

    enabled: Union[bool, None]
    window_days: Union[int, None]
    distinct_applicants: Union[int, None]
    points: Union[int, None]
    allowlist: Union[list[str], None]

class FraudSettingsRing(TypedDict, total=False):
    """Counts the people who are linked by a shared account, device, mobile number or e-mail address within the windows of these signals."""

    enabled: Union[bool, None]
    ring_min_people: Union[int, None]
    points: Union[int, None]

class FraudSettingsLevelCutoffs(TypedDict, total=False):
    """The lowest score of each level."""

    medium: Union[int, None]
    high: Union[int, None]
    very_high: Union[int, None]

class FraudSettings(TypedDict, total=False):
    """The settings of the fraud signals: how they count, how many points they give and when they raise alerts."""

    pincode_spike: Union["FraudSettingsPincodeSpike", None]
    ip_cluster: Union["FraudSettingsIpCluster", None]
    beneficiary_reuse: Union["FraudSettingsBeneficiaryReuse", None]
    agent_anomaly: Union["FraudSettingsAgentAnomaly", None]
    device_reuse: Union["FraudSettingsDeviceReuse", None]
    mobile_reuse: Union["FraudSettingsMobileReuse", None]
    email_reuse: Union["FraudSettingsEmailReuse", None]
    ring: Union["FraudSettingsRing", None]
    level_cutoffs: Union["FraudSettingsLevelCutoffs", None]
    alert_min_severity: Union["Severity", None]
    mute_days: Union[int, None]

class DeviceSettings(TypedDict, total=False):
    """The thresholds of the device block."""

    sim_new_days: Union[int, None]
    loan_apps_max: Union[int, None]
    app_install_min_age_days: Union[int, None]

class LocationSettings(TypedDict, total=False):
    """The thresholds of the location block."""

    gps_match_radius_km: Union[float, None]
    allowed_ip_countries: Union[list[str], None]
    default_pincode_risk: Union["Risk", None]

class PincodeRisk(TypedDict, total=False):
    pincode: Required[str]
    risk: Required["Risk"]
    risk_score: Required[float]
    reason: str
    updated_at: Required["Time"]
    expires_at: Required[Union[str, None]]

class PincodeRiskEntry(TypedDict, total=False):
    """The risk of one pincode, or of all pincodes that begin with the same digits."""

    pincode: Required[str]
    risk: Union[str, float, None]
    risk_score: Union[float, None]
    reason: Union[str, None]
    expires_at: Union[str, None]
    updated_at: str

class PincodeRiskEntries(TypedDict, total=False):
    """A list of entries."""

    entries: Required[list["PincodeRiskEntry"]]
    replace: Union[bool, None]

PincodeRiskRequest: TypeAlias = Union["PincodeRiskEntry", "PincodeRiskEntries"]

class AuditEntry(TypedDict, total=False):
    id: Required[str]
    environment: Required["Environment"]
    actor: Required[str]
    action: Required[str]
    object: Required[str]
    before_checksum: "Checksum"
    after_checksum: "Checksum"
    note: str
    created_at: Required["Time"]

class EvaluateReportsBody(TypedDict, total=False):
    items: Required[list[Union["EvaluateRequest", Any, None]]]

class ListDecisionsAnswer(TypedDict, total=False):
    data: Required[list["DecisionItem"]]
    pagination: Required["Pagination"]

class ListRuleSetsAnswer(TypedDict, total=False):
    data: Required[list["RuleSet"]]
    pagination: Required["Pagination"]

class CreateDecisionsBody(TypedDict, total=False):
    items: Required[list[Union["DecisionRequest", Any, None]]]

class ListBatchesAnswer(TypedDict, total=False):
    data: Required[list["Batch"]]
    pagination: Required["Pagination"]

class ListPoliciesAnswer(TypedDict, total=False):
    data: Required[list["PolicyView"]]
    pagination: Required["Pagination"]

class ListListsAnswer(TypedDict, total=False):
    data: Required[list["List"]]

class ListTablesAnswer(TypedDict, total=False):
    data: Required[list["Table"]]

class ListScorecardsAnswer(TypedDict, total=False):
    data: Required[list["StoredScorecard"]]
    pagination: Required["Pagination"]

class ListAlertsAnswer(TypedDict, total=False):
    data: Required[list["Alert"]]
    pagination: Required["Pagination"]

class ListBlockedAnswer(TypedDict, total=False):
    data: Required[list["BlockedEntity"]]
    pagination: Required["Pagination"]

class SetPincodeRiskAnswer(TypedDict, total=False):
    data: Required[list["PincodeRisk"]]
    default_risk: Required["Risk"]

class ListPincodeRiskAnswer(TypedDict, total=False):
    data: Required[list["PincodeRisk"]]
    default_risk: Required["Risk"]
    pagination: Required["Pagination"]

class ListBacktestsAnswer(TypedDict, total=False):
    data: Required[list["BacktestItem"]]
    pagination: Required["Pagination"]

class ListAgentRunsAnswer(TypedDict, total=False):
    data: Required[list["AgentRunItem"]]
    pagination: Required["Pagination"]

class ListAuditAnswer(TypedDict, total=False):
    data: Required[list["AuditEntry"]]
    pagination: Required["Pagination"]

class GetFrontAnswer(TypedDict, total=False):
    service: Required[str]
    version: Required[str]
    documentation: Required[str]
    openapi: Required[str]
    console: Required[str]
    signup: Required[str]

class GetOpenAPIAsJSONAnswer(TypedDict, total=False):
    openapi: Required[str]
    info: Required[dict[str, Any]]
    servers: list[dict[str, Any]]
    security: list[dict[str, Any]]
    tags: list[dict[str, Any]]
    paths: Required[dict[str, Any]]
    components: dict[str, Any]
