// How Node runs the agent, whoever starts it.

/**
 * What a probe leaves behind it leaves within the second, and V8 would rather take three times the memory than look for it
 * sooner: with ten thousand checks a minute 300 MB. A heap with less ahead of it is looked through more often, for no
 * CPU time that could be measured.
 */
export const AGENT_FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=384']

/**
 * Threads for lookups, which also decode bodies. The C library gives each thread memory of its own, and keeps it: with several
 * hundred hostile bodies 40 MB. Two of these memories are enough for all threads.
 */
export const AGENT_ENVIRONMENT = { UV_THREADPOOL_SIZE: '64', MALLOC_ARENA_MAX: '2' }
