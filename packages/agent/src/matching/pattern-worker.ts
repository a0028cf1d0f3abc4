// Searches texts for patterns in a thread of its own, one after another.
import { parentPort } from 'node:worker_threads'
import { patterns } from './pattern.ts'

export interface Question {
  pattern: string
  text: string
}

export interface Answer {
  /** Whether the pattern was found. Absent if it is not a valid pattern. */
  isFound: boolean | undefined
  /** CPU time of this thread since it began, in milliseconds. */
  cpu_ms: number
}

parentPort?.on('message', ({ pattern, text }: Question) => {
  const isFound = patterns.test(pattern, text)
  const { user, system } = process.threadCpuUsage()
  const answer: Answer = { isFound, cpu_ms: (user + system) / 1000 }
  parentPort?.postMessage(answer)
})
