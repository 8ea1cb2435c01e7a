// Package clients proves that common generators can read api/openapi.yaml. Its tests generate a Go client with
// oapi-codegen and a TypeScript client with openapi-typescript. The tests compile the clients and call a running
// service with them. Other tests run the ready-made clients for Go, Python and TypeScript, and the example receivers of
// webhooks.
//
// The package is a module of its own, so that no generator enters the service's
// go.mod.
package clients

// The generated Go client imports this package.
import _ "github.com/oapi-codegen/runtime"
