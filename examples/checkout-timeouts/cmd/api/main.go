// Command api serves the checkout endpoint.
package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/checkout/internal/checkout"
	"example.com/checkout/internal/config"
	"example.com/checkout/internal/pool"
	"example.com/checkout/internal/upstream"
)

var slots = pool.New(config.Current().PoolSize)

func main() {
	file := flag.String("config", "checkout.conf", "settings file")
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	flag.Parse()
	if err := config.Load(*file); err != nil {
		log.Fatal(err)
	}
	settings := config.Current()
	http.Handle("/checkout", &checkout.Handler{
		Pool:    slots,
		Gateway: upstream.New(settings.GatewayURL, settings.GatewayTimeout),
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}
