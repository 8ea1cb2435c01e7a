package field

// affordabilitySection returns the facts that the engine derives from income
// and obligations before Stage 1.
func affordabilitySection() section {
	return section{
		group: "affordability", title: "Affordability", supply: eitherRequest, late: true,
		intro: "The engine computes these fields before any rule runs, from the sources that the policy's " +
			"`affordability` names. No request contains them, and only policies of semantics 2 may use them.",
		fields: []entry{
			rupees(IncomeEffective, "Monthly income that the policy uses.").core().reason("INC_LOW").since(2),
			ratio(FOIREffective, "Obligations that the policy uses, as a share of `income_effective`; 0.35 is "+
				"35 percent, and 5 means 5 or more.").
				within(0, 5).core().reason("FOIR_HIGH").since(2),
		},
	}
}
