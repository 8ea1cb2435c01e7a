package loan_test

import (
	"fmt"

	"verdict/internal/loan"
)

// The example prints the cost of a loan of ₹1,00,000 over 12 months at 18 % a
// year.
func Example() {
	terms, err := loan.NewTerms(1800, 12) // 18.00 % a year
	if err != nil {
		fmt.Println(err)
		return
	}
	schedule := terms.Schedule(100_000_00)
	fmt.Printf("11 instalments of ₹%d, and a last one of ₹%.2f\n",
		schedule.InstalmentPaise/100, float64(schedule.LastPaise)/100)
	fmt.Printf("interest ₹%.2f\n", float64(schedule.InterestPaise)/100)

	fee := loan.Fee(100_000_00, 2_000_000, 500_00) // 2 %, at least ₹500
	tax := loan.Tax(fee, 18_000_000)               // 18 %
	net := 100_000_00 - fee - tax
	fmt.Printf("paid out ₹%d\n", net/100)

	apr := loan.APR(net, schedule.InstalmentPaise, schedule.LastPaise, 12) // in hundredths of a percent
	fmt.Printf("APR %.2f %%\n", float64(apr)/100)
	// Output:
	// 11 instalments of ₹9168, and a last one of ₹9167.99
	// interest ₹10015.99
	// paid out ₹97640
	// APR 22.63 %
}

// The example prints how much an applicant who can pay ₹8,000 a month can
// borrow.
func ExampleTerms_Principal() {
	terms, err := loan.NewTerms(1600, 36)
	if err != nil {
		fmt.Println(err)
		return
	}
	principal := terms.Principal(8_000_00)
	fmt.Printf("₹%d, at ₹%d a month\n", principal/100, terms.Instalment(principal)/100)
	// Output: ₹227550, at ₹8000 a month
}
