// Provides examples of how a job pings its heartbeat, for common schedulers and languages.

interface Recipe {
  id: string
  label: string
  /** Text that says what the example does, and where to put it. */
  hint: string
  text: string
}

const JOB = '/usr/local/bin/job'
const CURL = 'curl -fsS -m 10 --retry 5 -o /dev/null'

/** Returns the examples for a ping URL. `cron` are the times of the heartbeat. Default: the times closest to its interval. */
export function recipesFor(url: string, interval_sec: number, cron?: string | null): readonly Recipe[] {
  return [
    {
      id: 'cron',
      label: 'cron',
      hint: `Add this line to your crontab, and replace ${JOB} with your job. The ping reports the exit code, so a failure sends an alert immediately.`,
      text: `${cron ?? cronTimes(interval_sec)} ${JOB}; ${CURL} ${url}/$?`,
    },
    {
      id: 'systemd',
      label: 'systemd',
      hint: 'Add these lines to the [Service] section of the unit that runs the job. They report when the job starts and how it ends.',
      text: [
        `ExecStartPre=-${CURL.replace('curl', '/usr/bin/curl')} ${url}/start`,
        `ExecStopPost=-/bin/sh -c '[ "$$SERVICE_RESULT" = success ] && end=0 || end=fail; ${CURL} "${url}/$$end"'`,
      ].join('\n'),
    },
    {
      id: 'curl',
      label: 'Shell script with exit code and log',
      hint: 'Sends the exit code and the output of the job. The last 10,000 bytes of output appear under “Recent pings”.',
      text: [
        `${CURL} ${url}/start`,
        `log=$(${JOB} 2>&1); code=$?`,
        `printf '%s' "$log" | tail -c 10000 | ${CURL} --data-binary @- "${url}/$code"`,
      ].join('\n'),
    },
    {
      id: 'github-actions',
      label: 'GitHub Actions',
      hint: 'Add this as the last step of a job. Store the ping URL in the secret DOGWATCH_PING_URL, because anyone who has the URL can send pings.',
      text: [
        '- name: Ping Dogwatch',
        '  if: always()',
        '  env:',
        '    PING_URL: ${{ secrets.DOGWATCH_PING_URL }}',
        `  run: ${CURL} "$PING_URL/\${{ job.status == 'success' && '0' || 'fail' }}"`,
      ].join('\n'),
    },
  ]
}

/** Returns the crontab times closest to an interval. */
export function cronTimes(interval_sec: number): string {
  const minutes = Math.max(1, Math.round(interval_sec / 60))
  if (minutes < 60) return `${every(nearestDivisor(60, minutes))} * * * *`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return `0 ${every(nearestDivisor(24, hours))} * * *`
  const days = Math.round(hours / 24)
  if (days < 7) return '0 3 * * *'
  return days < 28 ? '0 3 * * 1' : '0 3 1 * *'
}

function every(step: number): string {
  return step === 1 ? '*' : `*/${step}`
}

/** Returns the largest divisor of `whole` up to `wanted`, because other steps leave a gap at the end. */
function nearestDivisor(whole: number, wanted: number): number {
  let divisor = wanted
  while (whole % divisor !== 0) divisor -= 1
  return divisor
}
