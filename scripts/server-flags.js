// How Node runs the server, whoever starts it.

/**
 * V8 lets its young generation grow to several times of this under large bodies that come at once, and gives the memory
 * back late or never. The server's objects die young enough for the smaller one.
 */
const YOUNG = '--max-semi-space-size=16'

/**
 * Whatever Postgres answers mostly becomes old before V8 sees that nobody needs it (seen with Node 24). By default V8 then lets the heap grow to
 * four times of what is alive, and an export of any length takes 400 MB.
 */
const OLD = '--heap-growing-percent=40'

export const SERVER_FLAGS = [YOUNG, OLD]

/**
 * Names of databases and mail servers are looked up on libuv's threads, where passwords are hashed, too: a few more, so that
 * the one need not wait for the other. Not many, since each that hashes takes 64 MiB.
 */
export const SERVER_ENVIRONMENT = { UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE || '8' }
