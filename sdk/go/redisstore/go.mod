module automatic-rostering.example/rostering/sdk/go/redisstore

go 1.26

require (
	automatic-rostering.example/rostering v0.1.0
	github.com/redis/go-redis/v9 v9.17.2
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
	golang.org/x/oauth2 v0.31.0 // indirect
)

replace automatic-rostering.example/rostering => ../../..
