// Defines the flags and the environment with which Node runs the server, wherever the server is started.

/**
 * Limits V8's young generation. Under many large bodies at once, it would grow to several times this size, and give the memory
 * back late or never. The server's objects die soon enough for the smaller size.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16']

/**
 * Number of libuv's threads, which look up names of databases and mail servers, and also hash passwords. It is higher than Node's
 * default, so that one need not wait for the other, but not much, because hashing needs 64 MiB in each thread.
 */
export const SERVER_ENVIRONMENT = { UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE || '8' }
