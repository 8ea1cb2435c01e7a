// Package policytest checks a policy against cases: an application, and the parts
// of its decision that are expected.
//
// # The format of a case
//
// A case is a txtar file or a JSON file. A txtar file begins with a comment that
// says what the case shows, followed by sections:
//
//	Somebody of 20 is one year too young.
//	-- application.json --
//	{"applicant": {"age": 20}, "bureau_report": {"score": 780}}
//	-- expect.json --
//	{"status": "DECLINED", "reasons": ["AGE_RANGE"]}
//
// The application is a body of POST /v1/decisions or of POST /v1/evaluate, as
// "verdict decide -input" takes it. A section "as_of.txt" with an RFC 3339 time
// states the time of the decision. A section "facts.json" states facts that the
// service would find in its stored data, such as fraud_blocklisted. A file may
// have several cases: their sections have the same names below a folder, such as
// "young/application.json". A JSON file has the members name, as_of, application,
// facts and expect, or is an array of such objects.
//
// # What is compared
//
// Only the named parts are compared: status, grade, score, limit, rate, reasons
// (the codes, in order), hits (every rule that hit or was applied, with its result
// or its delta, and no other), conditions (the codes of an offer's conditions),
// and any other part of the decision by its path, such as "offer.emi" or
// "explanation.score_contributions.foir.points". Numbers are compared by value.
// null means that the part must be absent. A difference has the path, the expected
// value and the actual one. An application that is refused is a failed case.
//
// # What is inside and what is not
//
// Subject decides an application with a policy; Read reads the cases of a file;
// Subject.Run runs one case; Report collects results and is written as text or as JUnit
// XML. Results are in the order of the files and cases. Package generate writes cases
// that cover a policy. As in "verdict decide", the stored data of the service is not
// available. A case can state facts about it, and Subject.LookUp can answer for lists and
// tables. The package reads and writes no files.
package policytest
