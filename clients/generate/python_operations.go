package main

import (
	"fmt"
	"strings"
)

const operationsHead = `"""A method for each operation of the API, generated from api/openapi.yaml ` +
	`by clients/generate."""

from __future__ import annotations

from typing import Any, Literal, Union

from . import types
from .transport import Transport


class Operations(Transport):
    """The operations of the API. Use Client, which adds keys and retries."""
`

// operations returns the module with a method for each operation.
func (d document) operations() (string, error) {
	var out strings.Builder
	out.WriteString(operationsHead)
	for path, item := range d.root.get("paths").members {
		for method, operation := range item.members {
			if method == "parameters" {
				return "", fmt.Errorf("%s: parameters of a path are not supported", path)
			}
			text, err := d.operation(strings.ToUpper(method), path, operation)
			if err != nil {
				return "", fmt.Errorf("%s %s: %w", method, path, err)
			}
			out.WriteString(text)
		}
	}
	return out.String(), nil
}

// parameter is an argument of a method.
type parameter struct {
	name, python, in, expression string
	required                     bool
}

// operation returns the method of an operation.
func (d document) operation(method, path string, operation node) (string, error) {
	w := &typeWriter{document: d, written: map[string]bool{}}
	parameters, err := d.parameters(w, operation)
	if err != nil {
		return "", err
	}
	body, contentTypes, err := d.body(w, operation)
	if err != nil {
		return "", err
	}
	answer, form, err := d.answer(w, operation)
	if err != nil {
		return "", err
	}
	arguments, call := signature(path, parameters)
	if body != "" {
		i := len(arguments)
		for j, a := range arguments {
			if a == "*" {
				i = j
				break
			}
		}
		arguments = append(arguments[:i:i], append([]string{"body: " + body}, arguments[i:]...)...)
		call = append(call, "body=body")
		if len(contentTypes) > 1 {
			if i == len(arguments)-1 {
				arguments = append(arguments, "*")
			}
			arguments = append(arguments, `content_type: str = "application/json"`)
			call = append(call, "content_type=content_type")
		}
	}
	call = append(call, "answer="+fmt.Sprintf("%q", form))
	if operation.get("parameters").exists() && takesKey(parameters) {
		call = append(call, "idempotent=True")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n    def %s(\n        self,\n", snake(operation.get("operationId").text()))
	for _, a := range arguments {
		fmt.Fprintf(&out, "        %s,\n", a)
	}
	fmt.Fprintf(&out, "    ) -> %s:\n", answer)
	fmt.Fprintf(&out, "        \"\"\"%s (%s %s).\"\"\"\n",
		strings.ReplaceAll(operation.get("summary").text(), `"`, `'`), method, path)
	fmt.Fprintf(&out, "        return self._call(  # type: ignore[no-any-return]\n            %q,\n            %s,\n",
		method, formatted(path))
	for _, c := range call {
		fmt.Fprintf(&out, "            %s,\n", c)
	}
	out.WriteString("        )\n")
	return out.String(), nil
}

func takesKey(parameters []parameter) bool {
	for _, p := range parameters {
		if p.name == "Idempotency-Key" {
			return true
		}
	}
	return false
}

// formatted returns a path as an f-string whose parameters are quoted.
func formatted(path string) string {
	if !strings.Contains(path, "{") {
		return fmt.Sprintf("%q", path)
	}
	path = strings.ReplaceAll(path, "{", "{self._quoted(")
	path = strings.ReplaceAll(path, "}", ")}")
	return `f"` + path + `"`
}

// signature returns the arguments of a method, and the arguments that it passes on.
func signature(path string, parameters []parameter) (arguments, call []string) {
	var queries, headers []string
	keywords := false
	for _, p := range parameters {
		if p.in == "path" {
			arguments = append(arguments, p.python+": "+p.expression)
		}
	}
	for _, p := range parameters {
		if p.in == "path" {
			continue
		}
		if !keywords {
			arguments, keywords = append(arguments, "*"), true
		}
		if p.required {
			arguments = append(arguments, p.python+": "+p.expression)
		} else {
			arguments = append(arguments, p.python+": "+joined([]string{p.expression, "None"})+" = None")
		}
		entry := fmt.Sprintf("%q: %s", p.name, p.python)
		if p.in == "query" {
			queries = append(queries, entry)
		} else {
			headers = append(headers, entry)
		}
	}
	if len(queries) > 0 {
		call = append(call, dictionary("query", queries))
	}
	if len(headers) > 0 {
		call = append(call, dictionary("headers", headers))
	}
	return arguments, call
}

// dictionary returns an argument that is a dict, with an entry in each line.
func dictionary(name string, entries []string) string {
	return name + "={\n                " + strings.Join(entries, ",\n                ") + ",\n            }"
}

func (d document) parameters(w *typeWriter, operation node) ([]parameter, error) {
	var all []parameter
	for _, p := range operation.get("parameters").elements() {
		p, err := d.resolve(p)
		if err != nil {
			return nil, err
		}
		name := p.get("name").text()
		expression, err := w.expression("Parameter"+camel(name), p.get("schema"))
		if err != nil {
			return nil, err
		}
		all = append(all, parameter{
			name: name, python: snake(name), in: p.get("in").text(), expression: inTypes(expression),
			required: p.get("required").text() == "true",
		})
	}
	return all, nil
}

// body returns the type of the request body, or "" if there is none, and the content types of the
// body.
func (d document) body(w *typeWriter, operation node) (string, []string, error) {
	request := operation.get("requestBody")
	if !request.exists() {
		return "", nil, nil
	}
	request, err := d.resolve(request)
	if err != nil {
		return "", nil, err
	}
	var contentTypes []string
	for name := range request.get("content").members {
		contentTypes = append(contentTypes, name)
	}
	expression, err := w.expression(operationName(operation)+"Body",
		request.get("content").get("application/json").get("schema"))
	if err != nil {
		return "", nil, err
	}
	expression = inTypes(expression)
	if len(contentTypes) > 1 {
		expression = joined([]string{expression, "bytes"})
	}
	return expression, contentTypes, nil
}

// answer returns the type of a successful answer, and its form: json, text or
// bytes.
func (d document) answer(w *typeWriter, operation node) (expression, form string, err error) {
	for status, response := range operation.get("responses").members {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		response, err := d.resolve(response)
		if err != nil {
			return "", "", err
		}
		content := response.get("content")
		if !content.exists() {
			return "None", "none", nil
		}
		if json := content.get("application/json"); json.exists() {
			expression, err := w.expression(operationName(operation)+"Answer", json.get("schema"))
			if err != nil {
				return "", "", err
			}
			return inTypes(expression), "json", nil
		}
		for name := range content.members {
			if strings.HasPrefix(name, "text/") || name == "application/yaml" {
				return "str", "text", nil
			}
		}
		return "bytes", "bytes", nil
	}
	return "", "", fmt.Errorf("no successful answer")
}

// operationName returns the id of an operation in the form of a type's name. The names of the types that only
// this operation uses begin with it.
func operationName(operation node) string { return camel(operation.get("operationId").text()) }

// inTypes qualifies the names of schemas in an expression.
func inTypes(expression string) string {
	var out strings.Builder
	for i, part := range strings.Split(expression, `"`) {
		quoted := i%2 == 1
		literal := strings.Contains(expression, "Literal[")
		switch {
		case quoted && !literal:
			out.WriteString("types." + part)
		case quoted:
			out.WriteString(`"` + part + `"`)
		default:
			out.WriteString(part)
		}
	}
	return out.String()
}
