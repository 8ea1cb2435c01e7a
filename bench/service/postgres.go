package service

import (
	"context"

	"verdict/internal/pgcluster"
)

// StartPostgres makes a server of our own, thrown away at the end: durable as
// it is by default (fsync and synchronous_commit on), with memory and a log
// large enough that no checkpoint comes into a lap by itself.
func StartPostgres(ctx context.Context) (*pgcluster.Cluster, error) {
	return pgcluster.Start(ctx, pgcluster.Options{
		Settings: []string{"max_connections=200", "shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=1h"},
	})
}

// emptyDatabase makes one. The checkpoint makes everybody begin with a clean
// log.
func emptyDatabase(ctx context.Context, server *pgcluster.Cluster, name string) (databaseURL string, err error) {
	if databaseURL, err = server.Create(ctx, name); err != nil {
		return "", err
	}
	return databaseURL, server.Execute(ctx, "CHECKPOINT")
}
