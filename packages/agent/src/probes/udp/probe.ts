// Probes a udp:// target: sends a datagram, and waits for the expected response.
import type { Attempt } from '../attempt.ts'
import { exchangeDatagrams, findPeers, type Peer } from '../datagram.ts'
import type { Probe } from '../probe.ts'

/** Maximum wait for a refusal if the check needs no response, in milliseconds. */
const CLOSED_MS = 1000

/** Response without the expected bytes. */
class UnexpectedResponse extends Error {}

export const probeUdp: Probe<'udp'> = (attempt, { host, port, send, expect }) => {
  const { isEnough, timeout_ms } = attempt.bounds
  const needsResponse = expect.length > 0 || isEnough !== undefined
  const wanted = Buffer.from(expect)
  let lastText = ''
  const read = (datagram: Buffer): string | undefined => {
    attempt.answered()
    lastText = datagram.toString()
    if (expect.length > 0 && !datagram.includes(wanted)) throw new UnexpectedResponse(lastText)
    return (isEnough?.(lastText) ?? true) ? lastText : undefined
  }
  const onResponse = (text: string, { address }: Peer): void => {
    attempt.address = address
    attempt.finish(text)
  }
  findPeers(attempt, { host, port }, (peers) => {
    attempt.enter('first_byte')
    attempt.address = peers[0]?.address
    const request = () => ({ bytes: send, read })
    const exchange = exchangeDatagrams(attempt, {
      peers,
      request,
      onResponse,
      onError: (error) => failUdp(attempt, error),
    })
    const timer = needsResponse
      ? undefined
      : setTimeout(
          attempt.guarded(() => attempt.finish()),
          Math.min(CLOSED_MS, timeout_ms / 2),
        )
    attempt.hold({
      destroy: () => {
        clearTimeout(timer)
        exchange.destroy()
      },
    })
    // If no response that the check accepts comes in time, the run judges the last response that came.
    attempt.onTimeout = () => lastText
  })
}

function failUdp(attempt: Attempt, error: unknown): void {
  if (!(error instanceof UnexpectedResponse)) return attempt.failBy(error)
  attempt.fail({ kind: 'protocol', words: 'the response does not contain the expected bytes' }, error.message)
}
