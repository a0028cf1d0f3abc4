// How Node runs the server, whoever starts it.

/**
 * V8 lets its young generation grow to several times of this under large bodies that come at once, and gives the memory
 * back late or never. The server's objects die young enough for the smaller one.
 */
export const SERVER_FLAGS = ['--max-semi-space-size=16']
