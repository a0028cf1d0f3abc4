// Renders percentages and response times for the pages of checks.

import { count, numberText, percentText } from '@dogwatch/channels/wording'
import { type Division, uptimeOf } from '@dogwatch/domain/results/division'
import { span } from '../../parts/time.tsx'

/** Renders the uptime of the monitored time: `99.93% up over 29 d 3 h`. Without results, there is no percentage. */
export function Share({ of }: { of: Division | undefined }) {
  const share = of ? uptimeOf(of) : null
  if (!of || share === null) return <span title="No data">–</span>
  const { runs, watched_sec } = of
  const unknown_sec = Math.round(of.unknown_sec)
  const title = `${numberText(runs - of.failures)} of ${count(runs, 'run')} passed${unknown_sec > 0 ? `, not monitored for ${span(unknown_sec)}` : ''}`
  return (
    <span title={title}>
      {percentText(share)} up <small>over {span(watched_sec)}</small>
    </span>
  )
}

/** Says when a certificate expires, by the number of days left. */
export function expiryText(days: number): string {
  return days < 0 ? 'Expired' : `Expires in ${days} ${days === 1 ? 'day' : 'days'}`
}

export function Latency({ latest }: { latest: { success: boolean; latency_ms: number } | undefined }) {
  if (!latest) return <span title="No data">–</span>
  return latest.success ? <>{latest.latency_ms} ms</> : <span class="bad">Failed</span>
}
