// Runs the chores of a worker, each on a timer. Several processes can run a chore at once. No chore runs while this
// process does not trust the time, because chores judge, summarise or delete by the time.

import { goneMail } from '@dogwatch/console/mails'
import { weeklyReportMail } from '@dogwatch/console/weekly-report-mail'
import { endPresence, type OwnPresence, PRESENCE_MS, tellPresence } from '@dogwatch/domain/availability'
import { askOwners } from '@dogwatch/domain/channels/confirmation'
import { tellGone } from '@dogwatch/domain/channels/gone'
import { forgetRuns } from '@dogwatch/domain/checks/asked-runs'
import { measureDefinitions } from '@dogwatch/domain/checks/definition-size'
import { finishDeletions } from '@dogwatch/domain/checks/finish-deletions'
import { judgeUnmonitored } from '@dogwatch/domain/checks/unmonitored'
import { rejudgeChecks, untilNextRejudging } from '@dogwatch/domain/checks/update-health'
import { takeBackFuture, untilSetBack } from '@dogwatch/domain/clock-set-back'
import type { Deps } from '@dogwatch/domain/deps'
import { remind, untilNextReminder } from '@dogwatch/domain/events/remind'
import { sweepHeartbeats, untilNextDue } from '@dogwatch/domain/heartbeats/sweep'
import { askRegistries, type Registries, untilNextName } from '@dogwatch/domain/judged/ask-registries'
import { judgeByServer } from '@dogwatch/domain/judged/judge'
import { forgetFullBuckets } from '@dogwatch/domain/limits/spend'
import { forgetChanges } from '@dogwatch/domain/live/changes'
import type { LostCalls } from '@dogwatch/domain/lost-calls'
import { spreadWindows } from '@dogwatch/domain/maintenance/spread'
import { sweepFailing, untilMonitorInDoubt } from '@dogwatch/domain/monitors/failing'
import { sweepPresence } from '@dogwatch/domain/monitors/presence'
import { deleteOrganisations } from '@dogwatch/domain/organisations/deletion'
import { foldHistory } from '@dogwatch/domain/results/history'
import { dropPartitions, ensurePartitions } from '@dogwatch/domain/results/partitions'
import { sealHours } from '@dogwatch/domain/results/seal'
import { wipeResults } from '@dogwatch/domain/results/wipe'
import { forgetLeftovers, pruneOrgs, untilNextPruning } from '@dogwatch/domain/retention/prune'
import { releaseDue, untilNextRelease } from '@dogwatch/domain/routing/release'
import { preparePages } from '@dogwatch/domain/status-page/prepare'
import { sendWeeklyReports, untilNextReports } from '@dogwatch/domain/weekly-report/send'
import { isUnsent, MAIL_MS, type Mailer } from '@dogwatch/runtime/mail'
import { Metrics } from '@dogwatch/runtime/metrics'

interface Chore {
  name: string
  every_ms: number
  /**
   * Returns the milliseconds until the chore might have something to do, by one cheap statement. If they are more than 0, the
   * chore rests for that time, but at most `most_ms`.
   */
  untilNext?(deps: Deps): Promise<number>
  /** Maximum rest of the chore in milliseconds. Default: `every_ms`. */
  most_ms?: number
  /** Whether the chore also runs while this process does not trust the time, which the chore then handles itself. */
  runsInDoubt?: boolean
  runOnce(deps: Deps, metrics: Metrics): Promise<unknown>
}

const CHORES: readonly Chore[] = [
  { name: 'partitions', every_ms: 3_600_000, runOnce: ensurePartitions },
  { name: 'old partitions', every_ms: 3_600_000, runOnce: dropPartitions },
  { name: 'retention', every_ms: 15_000, untilNext: untilNextPruning, runOnce: pruneOrgs },
  { name: 'leftovers', every_ms: 3_600_000, runOnce: forgetLeftovers },
  { name: 'wipes', every_ms: 10_000, runOnce: (deps) => wipeResults(deps) },
  { name: 'clock set back', every_ms: 5_000, untilNext: untilSetBack, runOnce: takeBackFuture },
  { name: 'rejudge', every_ms: 5_000, untilNext: untilNextRejudging, runOnce: rejudgeChecks },
  { name: 'judged checks', every_ms: 1_000, runOnce: judgeByServer },
  {
    name: 'heartbeats',
    every_ms: 1_000,
    // A ping sets a deadline after an interval and a grace period. This chore finds a late heartbeat later than that
    // only if both together are shorter than this and it was not up before, or if someone changed its interval.
    most_ms: 5_000,
    untilNext: untilNextDue,
    runOnce: sweepHeartbeats,
  },
  { name: 'reminders', every_ms: 5_000, untilNext: untilNextReminder, runOnce: remind },
  // Maximum time until the chore finds alerts that another process plans or changes.
  { name: 'held alerts', every_ms: 1_000, most_ms: 5_000, untilNext: untilNextRelease, runOnce: releaseDue },
  { name: 'failing monitors', every_ms: 2_000, untilNext: untilMonitorInDoubt, runOnce: sweepFailing },
  { name: 'maintenance', every_ms: 600_000, runOnce: spreadWindows },
  { name: 'presence', every_ms: 15_000, runOnce: sweepPresence },
  { name: 'coverage', every_ms: 30_000, runOnce: judgeUnmonitored },
  { name: 'status pages', every_ms: 5_000, runOnce: preparePages },
  {
    name: 'history',
    every_ms: 60_000,
    runOnce: async (deps, metrics) => metrics.merged_hours.inc((await foldHistory(deps)).merged),
  },
  {
    name: 'sealing',
    every_ms: 15_000,
    runOnce: async (deps, metrics) => metrics.sealed_hours.inc((await sealHours(deps)).hours),
  },
  { name: 'deletions', every_ms: 60_000, runOnce: deleteOrganisations },
  { name: 'deleted checks', every_ms: 60_000, runOnce: finishDeletions },
  { name: 'definition sizes', every_ms: 300_000, runOnce: measureDefinitions },
  { name: 'confirmations', every_ms: 60_000, runOnce: askOwners },
  { name: 'rate limits', every_ms: 60_000, runOnce: forgetFullBuckets },
  { name: 'changes', every_ms: 300_000, runOnce: forgetChanges },
  { name: 'asked runs', every_ms: 60_000, runOnce: forgetRuns },
]

/** Access to the mail server, for emails to owners. */
export interface MailWay {
  mailer: Mailer
  /** Address of the console, for links. */
  public_url: string
}

function goneChannels({ mailer, public_url }: MailWay): Chore {
  return {
    name: 'gone channels',
    every_ms: 15_000,
    runOnce: (deps) =>
      tellGone(deps, (channel) => {
        // A later run of the chore retries a failed email.
        return mailer.send(goneMail(channel, public_url), { kind: 'notice', sender: String(channel.org_id) }, MAIL_MS)
      }),
  }
}

function weeklyReports({ mailer, public_url }: MailWay): Chore {
  return {
    name: 'weekly reports',
    every_ms: 60_000,
    // Limits the rest, so that the chore notices a clock that was set ahead.
    most_ms: 3_600_000,
    untilNext: untilNextReports,
    runOnce: (deps) =>
      sendWeeklyReports(deps, async (one) => {
        try {
          const mail = weeklyReportMail(one, public_url)
          await mailer.send(mail, { kind: 'report', sender: String(one.org_id) }, MAIL_MS)
          return 'sent'
        } catch (err) {
          if (!isUnsent(err)) throw err
          deps.log.warn({ err, org_id: one.org_id }, 'could not send a weekly report; will retry')
          return 'unsent'
        }
      }),
  }
}

function registrations(registries: Registries): Chore {
  return {
    name: 'registrations',
    every_ms: 10_000,
    // Limits the rest, so that the chore soon finds a name that was just added.
    most_ms: 30_000,
    untilNext: untilNextName,
    runOnce: (deps) => askRegistries(deps, registries),
  }
}

/** Maximum time in milliseconds until a chore checks again whether this process trusts the time. */
const DOUBT_MS = 1_000

/** Runs every chore repeatedly. The returned function stops them and waits for those that are running. */
export function runChores(
  deps: Deps,
  metrics = new Metrics(),
  { mail, registries }: { mail?: MailWay | undefined; registries?: Registries } = {},
): () => Promise<void> {
  const chores = [
    ...CHORES,
    ...(mail ? [goneChannels(mail), weeklyReports(mail)] : []),
    ...(registries ? [registrations(registries)] : []),
  ]
  const stops = chores.map((chore) => loop(deps, metrics, chore))
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

/**
 * Reports again and again that this process accepts requests, until the caller calls the returned function. That function reports
 * that the process accepts no more.
 */
export function runPresence(
  deps: Deps,
  own: OwnPresence,
  { metrics = new Metrics(), lost }: { metrics?: Metrics; lost?: LostCalls } = {},
): () => Promise<void> {
  const stop = loop(deps, metrics, {
    name: 'own presence',
    every_ms: PRESENCE_MS,
    runsInDoubt: true,
    runOnce: (given) => tellPresence(given, { own, ...(lost && { lost }) }),
  })
  return async () => {
    await stop()
    await endPresence(deps, own).catch((err: unknown) =>
      deps.log.warn({ err }, 'could not tell the other processes that this one no longer accepts pings'),
    )
  }
}

/**
 * Maximum rest after a failure, in milliseconds. Even an hourly chore retries soon, because it can fail when others lock the same
 * rows, and partitions must exist in time.
 */
const RETRY_MS = 300_000

/**
 * Returns the rest of a chore in milliseconds. `next`: whether it failed, or the milliseconds until it might have something to do.
 */
export function restAfter({ every_ms, most_ms }: Pick<Chore, 'every_ms' | 'most_ms'>, next: 'failed' | number): number {
  if (next === 'failed') return Math.min(every_ms, RETRY_MS)
  return next > 0 ? Math.min(Math.max(every_ms, next), most_ms ?? every_ms) : every_ms
}

function loop(deps: Deps, metrics: Metrics, chore: Chore): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const label = { chore: chore.name }
  const succeed = () => metrics.chore_success.set(label, deps.clock.now().getTime() / 1000)
  // Sets the time of the last success at the start, so that it also grows old for a chore that never succeeds.
  succeed()
  metrics.chore_failures.inc(label, 0)
  const run = async (): Promise<void> => {
    const begun = deps.clock.monotonicMs()
    // Does not count as a success, so that the time of the chore's last success grows old, which an alarm can watch.
    if (!chore.runsInDoubt && !deps.clock.isTrusted()) {
      if (!stopped) timer = setTimeout(() => (running = run()), Math.min(chore.every_ms, DOUBT_MS))
      return
    }
    let rest_ms = restAfter(chore, 'failed')
    try {
      const until_ms = (await chore.untilNext?.(deps)) ?? 0
      // Runs the chore if `untilNext` returned NaN, because an unreadable time must not stop the chore for good.
      if (!(until_ms > 0)) await chore.runOnce(deps, metrics)
      rest_ms = restAfter(chore, until_ms)
      succeed()
    } catch (error) {
      // The shutdown no longer waited for the chore and ended its connections, which does no harm, because each chore
      // works in transactions.
      if (stopped) deps.log.info({ err: error, chore: chore.name }, 'a chore was interrupted by shutdown')
      else {
        metrics.chore_failures.inc(label)
        deps.log.error({ err: error, chore: chore.name }, 'a chore failed; will retry')
      }
    }
    metrics.chore_duration.observe(label, (deps.clock.monotonicMs() - begun) / 1000)
    if (!stopped) timer = setTimeout(() => (running = run()), rest_ms)
  }
  let running = run()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
