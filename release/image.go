package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user that the image runs as. The number belongs to no user of the host.
const (
	imageUser   = "65532"
	imageUserID = 65532
)

// platformImage is the image for one processor.
type platformImage struct {
	target target
	image  v1.Image
}

// image returns the image of a target. It has no base image, and contains the binary, the
// certificates of public authorities for webhooks, time zones, and a folder for data. Everything
// except the data can be read-only.
func (m *maker) image(t target, b binary, documents []file) (platformImage, error) {
	base, err := m.baseFiles()
	if err != nil {
		return platformImage{}, err
	}
	for _, d := range documents {
		d.name = "usr/share/doc/verdict/" + d.name
		base = append(base, d)
	}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	for _, layer := range []struct {
		files []file
		what  string
	}{
		{base, "certificates, time zones, documents, folder for data"},
		{[]file{{name: "usr/bin/" + b.name, content: b.content, mode: 0o755}}, "the binary"},
	} {
		content, err := treeTar("", layer.files, m.source.at)
		if err != nil {
			return platformImage{}, err
		}
		opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
		packed, err := tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return platformImage{}, err
		}
		image, err = mutate.Append(image, mutate.Addendum{
			Layer:   packed,
			History: v1.History{Created: v1.Time{Time: m.source.at}, CreatedBy: layer.what},
		})
		if err != nil {
			return platformImage{}, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return platformImage{}, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.os, t.arch, v1.Time{Time: m.source.at}
	config.Config = m.imageConfig()
	image, err = mutate.ConfigFile(image, config)
	return platformImage{target: t, image: image}, err
}

// imageConfig says how a container of the image is run.
func (m *maker) imageConfig() v1.Config {
	return v1.Config{
		User:       imageUser + ":" + imageUser,
		WorkingDir: "/data",
		Volumes:    map[string]struct{}{"/data": {}},
		Entrypoint: []string{"/usr/bin/verdict"},
		Cmd:        []string{"serve"},
		Env: []string{
			"PATH=/usr/bin", "ZONEINFO=/usr/share/zoneinfo.zip",
			// Listen on all addresses, because the container has its own network.
			"VERDICT_ADDR=:8080", "VERDICT_LOG_FORMAT=json",
		},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/usr/bin/verdict", "health"},
			Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "Verdict",
			"org.opencontainers.image.version":  m.source.version,
			"org.opencontainers.image.revision": m.source.commit,
			"org.opencontainers.image.created":  m.source.at.Format(time.RFC3339),
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
}

// baseFiles returns the files that the binary needs in the image.
func (m *maker) baseFiles() ([]file, error) {
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		// Leave out roots with a constraint, because a file of certificates cannot express it.
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	zones, err := os.ReadFile(filepath.Join(m.source.goroot, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, err
	}
	user := "verdict:x:" + imageUser + ":" + imageUser + ":Verdict:/data:/\n"
	return []file{
		{name: "etc/ssl/certs/ca-certificates.crt", content: authorities.Bytes(), mode: 0o644},
		{name: "etc/passwd", content: []byte(user), mode: 0o644},
		{name: "etc/group", content: []byte("verdict:x:" + imageUser + ":\n"), mode: 0o644},
		{name: "usr/share/zoneinfo.zip", content: zones, mode: 0o644},
		{name: "data/", mode: 0o750, owner: imageUserID},
		{name: "keys/", mode: 0o750, owner: imageUserID}, // a new volume gets the owner of the folder that it hides
		{name: "tmp/", mode: 0o1777},
	}, nil
}

// writeImage writes the images of all processors as one file: an OCI image
// layout in a tar archive, which podman, skopeo and containerd read.
func (m *maker) writeImage(images []platformImage) error {
	platforms := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range images {
		platforms = mutate.AppendManifests(platforms, mutate.IndexAddendum{
			Add:        p.image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.target.os, Architecture: p.target.arch}},
		})
	}
	// The layout has one named image for all processors. The container engine selects the variant for its
	// processor.
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: platforms,
		Descriptor: v1.Descriptor{
			Annotations: map[string]string{"org.opencontainers.image.ref.name": "verdict:" + m.source.version},
		},
	})
	folder, err := os.MkdirTemp("", "verdict-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	files, err := filesOf(folder)
	if err != nil {
		return err
	}
	content, err := tarred(files, m.source.at)
	if err != nil {
		return err
	}
	return os.WriteFile(m.file("verdict_"+m.source.version+"_image.tar"), content, 0o644)
}

// filesOf reads all files of a folder, by name.
func filesOf(folder string) ([]file, error) {
	var files []file
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		files = append(files, file{name: path, content: content, mode: 0o644})
		return err
	})
	return files, err
}
