// Loaded into a server that must leak: this many bytes per request are kept forever. It tests the soak itself.
import { Server } from 'node:http'

const bytes = Number(process.env.PROOF_LEAK_BYTES ?? 0)
const held: number[][] = []
const { emit } = Server.prototype
/** What an array takes beside its numbers, and one of those. */
const [ARRAY, NUMBER] = [32, 8]

Server.prototype.emit = function (event: string | symbol, ...given: unknown[]): boolean {
  if (event === 'request') held.push(Array.from({ length: Math.max(0, (bytes - ARRAY) / NUMBER) }, Math.random))
  return emit.apply(this, [event, ...given] as Parameters<typeof emit>)
}
