package main

const usage = `verdict decides credit applications: as a service, or one at a time.

Usage:
  verdict serve                               answer the API; the settings are flags and VERDICT_ variables
  verdict demo                                serve a filled tenant for a first look; its sign-in is printed
  verdict migrate                             bring the database's schema up to date and say its version
  verdict backup  -o FILE                     write everything to a file, while the service runs
  verdict restore -i FILE                     read a backup into an empty database
  verdict verify  [-tenant ID]                replay stored decisions and list those that do not reproduce
  verdict tenant  list|show|create|plan       the operator's work on tenants,
  verdict tenant  user add|list|password      their people
  verdict tenant  key create|list|revoke      and their keys, of either environment

Without a database:
  verdict decide [-policy FILE] -input FILE   decide one application, print the decision as JSON
  verdict backtest [-policy FILE] -csv FILE   decide every row of a file and report what became of them
  verdict book   -n N [-seed S]               write a synthetic book of loans as CSV
  verdict scorecard fit -csv FILE -target C   make a scorecard from rows whose outcome is known
  verdict check  [-policy FILE] [-json]       analyse a policy before it is activated
  verdict fields [PREFIX]                     list the fields a policy may name
  verdict version                             print the version

A FILE of - is standard input or output. Without -policy it is the default
policy. The database is -database-url or VERDICT_DATABASE_URL, sqlite:verdict.db
when neither is given. "verdict COMMAND -h" explains a command.

Exit codes: 0 done; 1 refused: a wrong policy, application or request, an error
that check found, a decision that does not reproduce; 2 wrong usage, or a file
or database that cannot be read or written.
`
