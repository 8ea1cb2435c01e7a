package main

const checkHelp = `Analyse a policy.`

func check(c *command) int {
	return exitOK
}
