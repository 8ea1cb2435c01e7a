// Package chart renders the Helm chart as Helm does. It is a package of its own because Helm takes minutes to compile.
package chart

import (
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

// Render returns the objects of the chart in a folder, by kind and name, for a release of a name.
func Render(folder, release string, values map[string]any) (map[string]map[string]any, error) {
	c, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	all, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: release, Namespace: "default"}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	objects := map[string]map[string]any{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for document := range strings.SplitSeq(text, "\n---") {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, document)
			}
			if object == nil {
				continue
			}
			kind, _ := object["kind"].(string)
			metadata, _ := object["metadata"].(map[string]any)
			full, _ := metadata["name"].(string)
			if objects[kind+"/"+full] != nil {
				return nil, fmt.Errorf("%s: a second %s named %s", name, kind, full)
			}
			objects[kind+"/"+full] = object
		}
	}
	return objects, nil
}
