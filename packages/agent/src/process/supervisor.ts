// Reads standard input, which comes from the program that started the agent. When that program ends for any reason, the input
// ends.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Calls `onLine` for each line, and `onEnd` once no more can come. */
export function heedSupervisor(input: Readable, { onLine, onEnd }: { onLine: () => void; onEnd: () => void }): void {
  input.on('error', onEnd)
  createInterface({ input }).on('line', onLine).on('close', onEnd)
}
