// Probes a tcp:// target: connects, and then runs the dialogue or reads the banner if the check needs it.
import type { Socket } from 'node:net'
import type { Attempt } from '../attempt.ts'
import { converse } from '../conversation.ts'
import { connectTo, securityOf } from '../dial.ts'
import type { Probe } from '../probe.ts'
import { runSteps } from './dialogue.ts'

const BANNER_MAX_BYTES = 4096

export const probeTcp: Probe<'tcp'> = (attempt, { host, port, steps }, check) => {
  if (steps.length > 0) {
    const security = securityOf(host, check)
    const secrets = steps.flatMap((step) => (step.does === 'send' ? Buffer.from(step.bytes).toString().trim() : []))
    return converse(attempt, { host, port, secrets }, (conversation) =>
      runSteps(attempt, conversation, { steps, security }),
    )
  }
  const { isEnough } = attempt.bounds
  connectTo(attempt, { host, port, answers: isEnough !== undefined }, (socket) => {
    if (isEnough) readBanner(attempt, socket, isEnough)
    else attempt.finish()
  })
}

/** Reads the banner until it decides the check, it is too long, the target closes, or time is up. */
function readBanner(attempt: Attempt, socket: Socket, isEnough: (banner: string) => boolean): void {
  let banner = Buffer.alloc(0)
  const text = (): string => banner.toString()
  attempt.onTimeout = text
  const onData = (chunk: Buffer): void => {
    if (banner.length === 0) attempt.enter('body')
    attempt.answered()
    banner = Buffer.concat([banner, chunk]).subarray(0, BANNER_MAX_BYTES)
    if (banner.length === BANNER_MAX_BYTES) attempt.finish(text(), { read: '4 KiB' })
    else if (isEnough(text())) attempt.finish(text())
  }
  const onEnd = (): void => {
    if (banner.length > 0) attempt.finish(text())
    else attempt.fail({ kind: 'reset', words: 'the connection was closed before a banner arrived' })
  }
  socket.on('data', attempt.guarded(onData))
  socket.on('end', attempt.guarded(onEnd))
}
