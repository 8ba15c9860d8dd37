module petrichor/clients/appengine-go-v1

go 1.24.0

require google.golang.org/appengine v1.6.8

require (
	github.com/golang/protobuf v1.5.2 // indirect
	google.golang.org/protobuf v1.26.0 // indirect
)
