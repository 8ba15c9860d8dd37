// Command services-client runs operations of cache, queues, blobs and search through the official SDKs, for
// `petrichor bench services`.
//
// Arguments: the kind of server (appengine, memcached, rabbitmq or storage) and its address. It reads one line
// per measurement, `OPERATION CLIENTS SECONDS`, and answers each with one line of JSON: operations per second,
// median and 99th percentile in microseconds, or an error. With 0 seconds, the second number is the size of one
// operation that is run once: tasks, documents or mebibytes.
//
// With the kind `echo` it is a server itself, the ceiling of the cache.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

const samplesPerClientMax = 1_000_000

// An operation is run by several clients at once, each with its own numbers from 0.
type operation func(client int, number int64) error

// A server prepares its operations on their first use. Amounts are measured in operations or mebibytes.
type server interface {
	// prepare returns an operation that is repeated until the time is over.
	prepare(name string, clients int) (operation, error)
	// once runs an operation of a fixed size and returns its amount and the time that it took.
	once(name string, size int) (float64, time.Duration, error)
}

type sample struct {
	PerSecond float64 `json:"perSecond"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Error     string  `json:"error,omitempty"`
}

var servers = map[string]func(address string) (server, error){
	"appengine": newAppEngine,
	"memcached": newMemcached,
	"rabbitmq":  newRabbitMQ,
	"storage":   newStorage,
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "echo" {
		fmt.Fprintln(os.Stderr, echo(os.Args[2]))
		os.Exit(1)
	}
	if len(os.Args) != 3 || servers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: services-client appengine|memcached|rabbitmq|storage ADDRESS")
		os.Exit(2)
	}
	opened, err := servers[os.Args[1]](os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		result, err := measure(opened, lines.Text())
		if err != nil {
			result = sample{Error: err.Error()}
		}
		answers.Encode(result)
	}
}

func measure(opened server, line string) (sample, error) {
	var name string
	var clients int
	var seconds float64
	if _, err := fmt.Sscan(line, &name, &clients, &seconds); err != nil {
		return sample{}, fmt.Errorf("%q is not OPERATION CLIENTS SECONDS: %w", line, err)
	}
	if seconds == 0 {
		amount, took, err := opened.once(name, clients)
		return sample{PerSecond: amount / took.Seconds()}, err
	}
	run, err := opened.prepare(name, clients)
	if err != nil {
		return sample{}, err
	}
	return loop(run, clients, time.Duration(seconds*float64(time.Second)))
}

// loop keeps one operation of each client in flight.
func loop(run operation, clients int, length time.Duration) (sample, error) {
	taken := make([][]time.Duration, clients)
	failures := make([]error, clients)
	began := time.Now()
	var done sync.WaitGroup
	for client := range clients {
		done.Go(func() {
			for number := int64(0); number < samplesPerClientMax; number++ {
				start := time.Now()
				if start.Sub(began) >= length {
					return
				}
				if failures[client] = run(client, number); failures[client] != nil {
					return
				}
				taken[client] = append(taken[client], time.Since(start))
			}
		})
	}
	done.Wait()
	seconds := time.Since(began).Seconds()
	for _, err := range failures {
		if err != nil {
			return sample{}, err
		}
	}
	all := slices.Concat(taken...)
	slices.Sort(all)
	if len(all) == 0 {
		return sample{}, nil
	}
	return sample{
		PerSecond: float64(len(all)) / seconds,
		P50:       micros(all[len(all)/2]),
		P99:       micros(all[len(all)*99/100]),
	}, nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func unknown(name string) error { return fmt.Errorf("there is no operation %s for this server", name) }
