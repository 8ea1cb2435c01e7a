package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"verdict/proof/load"
)

// attackFlag makes this program run as an attacker. It reads a load.Crowd from
// standard input, attacks until the input is closed, and prints the numbers of
// answers as JSON.
const attackFlag = "-attack"

func attack(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var crowd load.Crowd
	orders := json.NewDecoder(stdin)
	if err := orders.Decode(&crowd); err != nil {
		return fmt.Errorf("read the attack: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_ = orders.Decode(&struct{}{}) // returns when the input is closed
		stop()
	}()
	return json.NewEncoder(stdout).Encode(crowd.Run(ctx))
}

// launch starts an attack in a separate process with a lower priority, because
// in reality the neighbour and the attackers are not on the same machine.
func launch(ctx context.Context, c *load.Crowd) (end func() (load.Answers, error), err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, "nice", "-n", "10", program, attackFlag) //nolint:gosec // starts this program
	child.Stderr = os.Stderr
	orders, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	var answered strings.Builder
	child.Stdout = &answered
	if err := child.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(orders).Encode(c); err != nil {
		return nil, err
	}
	return func() (answers load.Answers, err error) {
		if err := orders.Close(); err != nil {
			return answers, err
		}
		if err := child.Wait(); err != nil {
			return answers, err
		}
		err = json.Unmarshal([]byte(answered.String()), &answers)
		return answers, err
	}, nil
}
