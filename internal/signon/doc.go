// Package signon speaks OpenID Connect with identity providers, and reads the file in which the
// operator lists the connections (ADR 34). Who a person is in a tenant, and what the person may do,
// belongs to package account.
package signon
