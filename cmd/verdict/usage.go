package main

const usage = `verdict decides credit applications: as a service, or one at a time.

Usage:
  verdict serve                               serve the API; settings are flags and VERDICT_ variables
  verdict health  [-ready]                    ask the service on this machine whether it is alive
  verdict demo                                serve a tenant with sample data, and print how to sign in
  verdict migrate                             bring the database's schema up to date and print its version
  verdict backup  -o FILE -keys KEYS          write everything to a file, and its keys, while the service runs
  verdict restore -i FILE -keys KEYS          read a backup into an empty database
  verdict verify  [-tenant ID]                replay stored decisions; list those that differ or are missing
  verdict log     create-key FILE             create the key with which the log of decisions is signed
  verdict log     rotate-key                  replace that key, while the service runs
  verdict log     reopen -reason TEXT         begin a new log after an older copy of the database was restored
  verdict keys    create FILE                 create the key with which applicants' data is encrypted
  verdict keys    rotate|confirm|list         replace that key while the service runs; record that copies are gone
  verdict erase   -scrub                      remove former versions of rows from the database's files
  verdict tenant list|show|create|invite|plan manage tenants,
  verdict tenant  user add|list|password      their people
  verdict tenant  key create|list|revoke      and their keys, of either environment

Without a database:
  verdict verify -key FILE CAPSULE            check one decision with its evidence, as an examiner does
  verdict log witness|audit                   watch the log of a lender from outside, as an auditor does
  verdict decide [-policy FILE] -input FILE   decide one application, print the decision as JSON
  verdict backtest [-policy FILE] -csv FILE   decide every row of a file and report the results
  verdict book   -n N [-seed S]               write a synthetic book of loans as CSV
  verdict scorecard fit -csv FILE -target C   fit a scorecard to rows whose outcome is known
  verdict check  [-policy FILE] [-json]       analyse a policy before it is activated
  verdict test   [-policy FILE] CASES…        run the test cases of a policy; -generate writes some
  verdict diff   OLD NEW [-json|-html FILE]   compare two policies for all possible applicants
  verdict prove  [-policy FILE] [-json]       prove the guarantees of a policy for all possible applicants
  verdict fields [PREFIX]                     list the fields a policy can use
  verdict schema DOCUMENT                     print the JSON Schema of a policy, a scorecard or an application
  verdict version                             print the version

With a service (-service URL, and an API key in VERDICT_KEY):
  verdict decide -csv FILE                    let the service decide every row, print the results as lines of JSON
  verdict policy  pull|plan|push|activate     keep the policies of the service as files
  verdict list push NAME FILE                 replace all entries of a list by those of a CSV file

Use - as FILE for standard input or output. Without -policy the default policy is
used. The database is -database-url or VERDICT_DATABASE_URL, by default
sqlite:verdict.db. "verdict COMMAND -h" explains a command.

Exit codes: 0 success; 1 an invalid policy, application or request, an error that
"check" found, a decision that "test" did not expect, a guarantee that "prove" has
refuted, or a decision or log that is not as it was recorded; 2 wrong usage, or a
file or database that cannot be read or written; 3 a guarantee that "prove" could
neither prove nor refute.
`
