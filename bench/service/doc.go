// Package service measures the whole service over HTTP: durable decisions on SQLite and
// PostgreSQL, and previews. It compares them with bare net/http handlers for the same
// requests and answers.
//
// Each server, and the load generator, is a separate process: this program again, with
// its role in an environment variable.
package service
