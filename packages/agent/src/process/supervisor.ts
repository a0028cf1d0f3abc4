// The program that started the agent speaks through standard input. Its end closes the pipe, however it ended.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Calls `onLine` for each line, and `onEnd` once nothing more can come. */
export function heedSupervisor(input: Readable, { onLine, onEnd }: { onLine: () => void; onEnd: () => void }): void {
  input.on('error', onEnd)
  createInterface({ input }).on('line', onLine).on('close', onEnd)
}
