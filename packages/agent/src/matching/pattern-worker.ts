// A thread that looks for patterns in texts, one after the other, where nobody waits for it but who asked.
import { parentPort } from 'node:worker_threads'
import { patterns } from './pattern.ts'

export interface Question {
  pattern: string
  text: string
}

export interface Answer {
  /** Undefined when the pattern is none. */
  isFound: boolean | undefined
  /** CPU time of this thread since it began. */
  cpu_ms: number
}

parentPort?.on('message', ({ pattern, text }: Question) => {
  const isFound = patterns.test(pattern, text)
  const { user, system } = process.threadCpuUsage()
  const answer: Answer = { isFound, cpu_ms: (user + system) / 1000 }
  parentPort?.postMessage(answer)
})
