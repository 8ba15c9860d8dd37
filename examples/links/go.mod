module links

go 1.24.0

require google.golang.org/appengine/v2 v2.0.6

require (
	github.com/golang/protobuf v1.5.0 // indirect
	golang.org/x/net v0.0.0-20220722155237-a158d28d115b // indirect
	golang.org/x/text v0.3.8 // indirect
	google.golang.org/protobuf v1.30.0 // indirect
)
