// How Node runs the agent, whoever starts it.

/**
 * What a probe leaves behind it leaves within the second, and V8 would rather take three times the memory than look for it
 * sooner: with ten thousand checks a minute 300 MB. A heap with less ahead of it is looked through more often, for no
 * CPU time that could be measured.
 */
export const AGENT_FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=384']
