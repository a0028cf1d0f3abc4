// How Node runs the server, whoever starts it.

/**
 * V8 lets its young generation grow to several times of this under large bodies that come at once, and gives the memory
 * back late or never. The server's objects die young enough for the smaller one.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16']

/**
 * Names of databases and mail servers are looked up on libuv's threads, where passwords are hashed, too: a few more, so that
 * the one need not wait for the other. Not many, since each that hashes takes 64 MiB.
 */
export const SERVER_ENVIRONMENT = { UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE || '8' }
