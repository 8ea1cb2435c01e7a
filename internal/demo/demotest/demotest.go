// Package demotest provides the demonstration data with which tests of the
// console fill a database.
package demotest

import (
	"time"

	"verdict/internal/demo"
	"verdict/internal/tenant"
)

// Password is the password of every account of the demonstration.
const Password = "a long password"

// Hostile returns options for a demonstration that ends at the time "now" and contains a hostile text in every field of
// demo.Texts. None of these texts may be executed in a page, in a spreadsheet or on a terminal. The passwords are
// hashed at the lowest cost.
func Hostile(now time.Time, decisions int) demo.Options {
	return demo.Options{
		Now:          now,
		Decisions:    decisions,
		Password:     tenant.NewSecret(Password),
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
		Texts:        hostileTexts,
	}
}

var hostileTexts = demo.Texts{
	OrgName:    `Kaveri Capital <script>alert("org")</script>`,
	PolicyName: `Festive season "try-out" <i>draft</i>`,
	Message:    `The phone is "rooted" <b>& unlocked</b>: ask for another, don't guess`,
	KeyName:    `Branch "app" <b>v2</b>`,
	Browser:    `Mozilla/5.0 (Linux; Android 14) Chrome/140 <svg onload=alert(1)>`,
	Note:       `</textarea><script>alert('note')</script> called twice; says "it wasn't me" & hung up`,
	Narration:  `NEFT SALARY <img src=x onerror=alert("narration")> INFOTECH LTD`,
	Phone:      `<b onmouseover=alert(1)>Moto G</b>`,
	Purpose:    `wedding <b>& "gold"</b>`,
	Reason:     `"><img src=x onerror=alert(1)>`,
	Branch:     `<svg onload=alert("csv")>`,
	Reference:  `=cmd|' /C calc'!A0`,
}
