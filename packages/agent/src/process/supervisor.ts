// Reads standard input from the program that started the agent. When that program ends in any way, the pipe closes.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Calls `onLine` for each line, and `onEnd` once no more can come. */
export function heedSupervisor(input: Readable, { onLine, onEnd }: { onLine: () => void; onEnd: () => void }): void {
  input.on('error', onEnd)
  createInterface({ input }).on('line', onLine).on('close', onEnd)
}
