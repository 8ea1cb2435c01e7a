// Package service measures the whole service over HTTP: durable decisions on
// SQLite and PostgreSQL, and previews, side by side with what a bare net/http
// handler does with the same requests and the same answers.
//
// Everybody who answers, and the load itself, is a process of its own: this
// program again, told by its environment what to be.
package service
