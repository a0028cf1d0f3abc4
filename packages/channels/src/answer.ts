// Decides what an HTTP response means for a delivery.

import type { Outcome } from './channel.ts'
import type { EgressOutcome } from './egress.ts'
import type { HttpSending, ResponseVerdict } from './kind.ts'

type ResponseRules = Pick<HttpSending, 'explain' | 'judge' | 'gone'>

/**
 * Returns the outcome for a response: delivered for 2xx and retried otherwise, unless the kind judges differently. Redirects are
 * not followed. `explain` finds a reason in the body. The reason must contain no secret.
 */
export function answerOutcome(answer: EgressOutcome, now: Date, { explain, judge, gone }: ResponseRules = {}): Outcome {
  if (answer.kind === 'failed') {
    const { kind: _, ...fault } = answer
    return { kind: 'retry', ...fault }
  }
  const { status, body, headers = {} } = answer
  const isRedirect = status >= 300 && status < 400
  const { is, retry_after_sec: asked_sec } =
    (isRedirect || status === gone ? undefined : judge?.({ status, body, headers })) ?? byStatus(status, gone)
  if (is === 'delivered') return { kind: 'delivered', status }
  if (is === 'gone') {
    const reason = `status ${status}: the URL no longer exists, so the channel was disabled`
    return { kind: 'gone', reason, status }
  }
  const told = isRedirect ? 'redirects are not followed' : (explain?.(body, status) ?? unexplained(status))
  const reason = told === undefined ? `status ${status}` : `status ${status}: ${told}`
  if (is === 'refused') return { kind: 'refused', reason, status }
  const retry_after_sec = retryAfter(answer.retry_after, now) ?? wholeSeconds(asked_sec)
  return { kind: 'retry', reason, status, ...(retry_after_sec !== undefined && { retry_after_sec }) }
}

function byStatus(status: number, gone: number | undefined): ResponseVerdict {
  if (status === gone) return { is: 'gone' }
  return { is: status >= 200 && status < 300 ? 'delivered' : 'retry' }
}

function unexplained(status: number): string | undefined {
  return status >= 200 && status < 300 ? 'the response does not confirm that the message was accepted' : undefined
}

/** Returns whole seconds from a number of an external server, or undefined for an invalid one. */
function wholeSeconds(sec: number | undefined): number | undefined {
  return sec === undefined || !Number.isFinite(sec) || sec < 0 ? undefined : Math.ceil(Math.min(sec, 1e9))
}

/** Returns the seconds of a Retry-After header in either of its forms. */
function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
