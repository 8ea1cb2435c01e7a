package service

import (
	"context"

	"verdict/internal/pgcluster"
)

// StartPostgres starts a temporary server. The server has the default durability (fsync
// and synchronous_commit are on). Its memory and its write-ahead log are large enough
// that no checkpoint starts by itself during a lap.
func StartPostgres(ctx context.Context) (*pgcluster.Cluster, error) {
	return pgcluster.Start(ctx, pgcluster.Options{
		Settings: []string{"max_connections=200", "shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=1h"},
	})
}

// emptyDatabase creates a database. It runs a checkpoint, so that every contestant
// starts with the same empty write-ahead log.
func emptyDatabase(ctx context.Context, server *pgcluster.Cluster, name string) (databaseURL string, err error) {
	if databaseURL, err = server.Create(ctx, name); err != nil {
		return "", err
	}
	return databaseURL, server.Execute(ctx, "CHECKPOINT")
}
