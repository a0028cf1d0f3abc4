// What an HTTP answer means for a delivery.
import type { Answer } from './egress.ts'
import type { Outcome } from './channel.ts'

/** 2xx is delivered; redirects are not followed. `explain` finds a reason in the body, which must hold no secret. */
export function answerOutcome(answer: Answer, now: Date, explain?: (body: string) => string | undefined): Outcome {
  if (answer.kind === 'failed') {
    const { reason, is_ours, unreached } = answer
    return { kind: 'retry', reason, ...(is_ours && { is_ours }), ...(unreached !== undefined && { unreached }) }
  }
  const { status } = answer
  if (status >= 200 && status < 300) return { kind: 'delivered', status }
  const told = status >= 300 && status < 400 ? 'redirects are not followed' : explain?.(answer.body)
  const retry_after_sec = retryAfter(answer.retry_after, now)
  const reason = told === undefined ? `status ${status}` : `status ${status}: ${told}`
  return { kind: 'retry', reason, status, ...(retry_after_sec !== undefined && { retry_after_sec }) }
}

/** Seconds, of a Retry-After in either form. */
function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
