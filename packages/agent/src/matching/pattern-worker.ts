// Searches texts for patterns, and reads values from JSON texts, in a separate thread, one text after another.
import { parentPort } from 'node:worker_threads'
import type { JsonPath } from '@dogwatch/check-rules/json-path'
import { jsonValues } from './json-values.ts'
import { patterns } from './pattern.ts'

/** A text, and a pattern to find in it, or paths to read in it as JSON. */
export type Question = { text: string } & ({ pattern: string } | { paths: readonly JsonPath[] })

export interface Answer {
  /** Whether the pattern was found, or the values at the paths. Absent if the pattern or the text is invalid. */
  result: boolean | readonly unknown[] | undefined
  /** CPU time of the thread since the thread began, in milliseconds. */
  cpu_ms: number
  /** CPU time that the thread spent on the question, in milliseconds. */
  spent_ms: number
}

parentPort?.on('message', (question: Question) => {
  const { text } = question
  const before_ms = usedMs()
  const result = 'pattern' in question ? patterns.test(question.pattern, text) : jsonValues(text, question.paths)
  const cpu_ms = usedMs()
  const answer: Answer = { result, cpu_ms, spent_ms: cpu_ms - before_ms }
  parentPort?.postMessage(answer)
})

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
