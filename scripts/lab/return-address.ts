// Runs inside servers: their requests to this machine come from an address that contains the process id, so that a receiver knows
// the sender.
import { Socket } from 'node:net'

type Connect = (this: Socket, ...given: unknown[]) => Socket

const { pid } = process
const localAddress = `127.${(pid >> 16) & 255}.${(pid >> 8) & 255}.${pid & 255}`
const prototype = Socket.prototype as unknown as { connect: Connect }
const { connect } = prototype

prototype.connect = function (...given) {
  // `net.connect` of Node itself passes all arguments as one list.
  const [options] = given.flat(1) as [{ host?: string; localAddress?: string } | undefined]
  if (options?.host === '127.0.0.1') options.localAddress = localAddress
  return connect.apply(this, given)
}
