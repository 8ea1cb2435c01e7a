package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"verdict/proof/load"
)

// attackFlag makes this program run as an attacker. It reads a load.Crowd from
// standard input, attacks until the input is closed, and prints the number of
// answered requests.
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
	_, err := fmt.Fprintln(stdout, crowd.Run(ctx))
	return err
}

// launch starts an attack in a separate process with a lower priority, because
// in reality the neighbour and the attackers are not on the same machine.
func launch(ctx context.Context, c *load.Crowd) (end func() (int64, error), err error) {
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
	return func() (int64, error) {
		if err := orders.Close(); err != nil {
			return 0, err
		}
		if err := child.Wait(); err != nil {
			return 0, err
		}
		return strconv.ParseInt(strings.TrimSpace(answered.String()), 10, 64)
	}, nil
}
