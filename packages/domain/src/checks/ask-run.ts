// Requests a run out of turn, of a check or of an unsaved definition, and waits for its result.

import { setTimeout as pause } from 'node:timers/promises'
import { isTargetOfServer } from '@dogwatch/check-rules/schemes'
import { newGuid } from '@dogwatch/runtime/ids'
import { fromDate } from '@dogwatch/runtime/timestamps'
import { lockOrganisation } from '@dogwatch/store/accounts/organisations'
import {
  type AskableMonitor,
  type AskedRunRow,
  countOpenRuns,
  findRun,
  insertRun,
  listAskable,
  type OpenRuns,
} from '@dogwatch/store/checks/asked-runs'
import type { Database } from '@dogwatch/store/database'
import { recordAuditEntry } from '../audit/record.ts'
import type { AuditAction } from '../audit/sentences.ts'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import { ONLINE_MS } from '../monitors/monitor.ts'
import { toStorable } from '../text.ts'
import { canRun, missingWords } from './able.ts'
import { type RunReport, WAITED_FOR_MS } from './asked-runs.ts'
import { type CheckFields, readCheck, requirePlanAllows } from './check.ts'
import { requireRestored } from './hidden-secrets.ts'
import type { Editor } from './pause-delete-wipe.ts'
import { readOneCheck, readWholeCheck } from './read.ts'

/** A requested run as the person who requested it sees it. */
export interface AskedRun extends Omit<AskedRunRow, 'report' | 'asked_at'> {
  /** Whether the run has no report and will never have one. */
  isOver: boolean
  /** Undefined while the monitor has not reported. */
  report: Omit<RunReport, 'id'> | undefined
}

export interface RequestedRun {
  run_id: string
  monitor_id: string
}

/**
 * Choice of the monitor for a run: the given one, or one that can run the check. Monitors in `preferred` come first, then private
 * before shared monitors, then assigned before other monitors.
 */
export interface Whom {
  monitor?: string | undefined
  preferred?: readonly string[]
}

const OPEN_OF_ORG = 10
/**
 * Maximum number of open runs on a shared monitor for one organisation (or person). `OPEN_OF_SHARED`: maximum for all together,
 * twice as high for anyone without an open run there.
 */
const OPEN_OF_SHARER = 5
const OPEN_OF_SHARED = 20
/** Number of characters of a response that a test shows, whatever number the check keeps. A check that keeps none shows none. */
const SAMPLE_CHARS = 2048
/** Prefix of the fields that a refusal names, as in `check.<field>`. */
const AT = 'check'

/** Asks a monitor of the check to run it now. The result counts like that of any other run. */
export async function askToRun(deps: Deps, by: Editor, guid: string, whom: Whom = {}): Promise<RequestedRun> {
  const check = await readOneCheck(deps, by.org_id, guid)
  if (!check.enabled) throw new DomainError('conflict', 'the check is paused; resume it first')
  refuseJudged(check.url)
  const { check_id, name } = check
  const mayRun = ({ is_assigned }: AskableMonitor): boolean => is_assigned
  const nobody = (online: readonly AskableMonitor[]): string => {
    const unable = online.filter(({ is_unable }) => is_unable)
    return unable.length > 0 ? unableWords(check, unable) : 'none of the monitors of this check is online'
  }
  const found = { check_id, definition: null }
  return ask(deps, by, { ...found, whom, mayRun, nobody, action: 'check.run', subject: name })
}

/**
 * Asks a monitor to run a definition once, given as an entry of an import file. The run stores no result. The plan must allow the
 * definition. `check_id`: check under edit. `original`: guid of the check whose secrets replace the hidden ones.
 */
export async function askToTry(
  deps: Deps,
  by: Editor,
  entry: object,
  { check_id = null, original, ...whom }: Whom & { check_id?: number | null; original?: string | undefined } = {},
): Promise<RequestedRun> {
  const given = readCheck(AT, entry)
  const stored = original === undefined ? undefined : await readWholeCheck(deps, by.org_id, original)
  const content = requireRestored(AT, given, stored)
  if (content.url === '') {
    throw new DomainError('invalid', 'a private definition cannot be tested here; save the check, then use Run now')
  }
  refuseJudged(content.url)
  const isAllowed = ({ is_shared }: AskableMonitor): boolean => !(is_shared && content.restricted)
  const mayRun = (one: AskableMonitor): boolean => isAllowed(one) && canRun(content, one)
  const nobody = (online: readonly AskableMonitor[]): string => {
    const unable = online.filter(isAllowed)
    if (unable.length > 0) return unableWords(content, unable)
    return content.restricted
      ? 'none of your own monitors is online, and shared monitors cannot test internal targets'
      : 'no monitor is online'
  }
  const chars = content.result_detail_max_chars
  const definition: CheckFields = { ...content, enabled: true, result_detail_max_chars: chars && SAMPLE_CHARS }
  const found = { check_id: null, definition, of: check_id }
  return ask(deps, by, { ...found, whom, mayRun, nobody, action: 'check.test', subject: content.name })
}

/** Refuses a check that the server judges, because no monitor can run it. */
function refuseJudged(url: string): void {
  if (isTargetOfServer(url)) throw new DomainError('invalid', 'the server judges this check, so no monitor can run it')
}

/** Returns words for the abilities that are missing on the monitors that are online and may run the check. */
function unableWords(check: CheckFields, monitors: readonly AskableMonitor[]): string {
  return `no online monitor can run this check (${missingWords(check, monitors)}); upgrade a monitor, or choose another one`
}

interface RunOrder {
  check_id: number | null
  definition: CheckFields | null
  /** Check whose monitors are preferred. */
  of?: number | null
  whom: Whom
  mayRun: (monitor: AskableMonitor) => boolean
  /** Returns the message of the refusal if none of the monitors that are online may run the definition. */
  nobody: (online: readonly AskableMonitor[]) => string
  action: AuditAction
  subject: string
}

async function ask(deps: Deps, { org_id, actor }: Editor, asking: RunOrder): Promise<RequestedRun> {
  const { check_id, definition, action, subject } = asking
  const now = deps.clock.now()
  const run_id = newGuid(deps.random)
  const of = check_id ?? asking.of ?? null
  return deps.database.people.transaction().execute(async (trx) => {
    // The lock makes requests run one after the other, so that their number is right.
    const organisation = await lockOrganisation(trx, org_id)
    if (!organisation) throw new DomainError('missing', 'no organisation with that id')
    if (definition) requirePlanAllows(AT, definition, organisation)
    const online_since = fromDate(new Date(now.getTime() - ONLINE_MS))
    const online = await listAskable(trx, { org_id, check_id: of, online_since })
    const { id: monitor_id, is_shared } = choose(online, asking)
    const since = fromDate(new Date(now.getTime() - WAITED_FOR_MS))
    const open = await countOpenRuns(trx, { org_id, person_id: actor.person_id, monitor_id, since })
    if (open.of_org >= OPEN_OF_ORG || (is_shared && isShareSpent(open))) {
      throw new DomainError(
        'conflict',
        'too many requested runs are still pending; wait for them to finish and try again',
      )
    }
    const asked_at = fromDate(now)
    await insertRun(trx, { org_id, run_id, monitor_id, check_id, definition, asked_by: actor.person_id, asked_at })
    const deed = { org_id, action, subject, ...(of !== null && { check_id: of }), detail: { monitor: monitor_id } }
    await recordAuditEntry(trx, deps, actor, deed)
    return { run_id, monitor_id }
  })
}

/**
 * Whether an organisation has used up its share of the runs on a shared monitor. The remaining runs stay free for other
 * organisations.
 */
function isShareSpent({ own, of_monitor }: OpenRuns): boolean {
  return own >= OPEN_OF_SHARER || of_monitor >= (own === 0 ? 2 : 1) * OPEN_OF_SHARED
}

function choose(online: readonly AskableMonitor[], { whom, mayRun, nobody }: RunOrder): AskableMonitor {
  const monitors = online.filter(mayRun)
  const { monitor, preferred = [] } = whom
  if (monitor !== undefined) {
    const named = monitors.find(({ id }) => id === monitor)
    if (!named)
      throw new DomainError(
        'conflict',
        'the selected monitor is offline or cannot run this check; choose another monitor',
      )
    return named
  }
  const [first] = [...monitors].sort((a, b) => rank(a) - rank(b))
  if (!first) throw new DomainError('conflict', nobody(online))
  return first

  function rank({ id, is_assigned, is_shared }: AskableMonitor): number {
    return (preferred.includes(id) ? 0 : 4) + (is_shared ? 2 : 0) + (is_assigned ? 0 : 1)
  }
}

/** Reads a requested run of the organisation. Runs are forgotten after ten minutes. */
export async function readRun(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  org_id: number,
  run_id: string,
): Promise<AskedRun> {
  const found = toStorable(run_id) === run_id ? await findRun(database.people, org_id, run_id) : undefined
  if (!found) throw new DomainError('missing', 'no run with that id; requested runs are kept for only ten minutes')
  const { report, asked_at, ...run } = found
  const isOver = report === null && clock.now().getTime() - Date.parse(asked_at) > WAITED_FOR_MS
  return { ...run, isOver, report: report ?? undefined }
}

const LOOK_MS = 150
const AT_ONCE_OF_PERSON = 2
const AT_ONCE_OF_ORG = 4
const AT_ONCE = 12
const waiting = new WeakMap<Database, { org_id: number; person_id: number }[]>()

/**
 * Returns the run once its monitor has reported, or after `wait_ms`. Returns the run at once if too many callers already wait,
 * because each of them keeps a request open.
 */
export async function waitForRun(
  deps: Pick<Deps, 'database' | 'clock'>,
  { org_id, person_id }: { org_id: number; person_id: number },
  run_id: string,
  wait_ms: number,
): Promise<AskedRun> {
  const first = await readRun(deps, org_id, run_id)
  const people = waiting.get(deps.database) ?? []
  waiting.set(deps.database, people)
  const isFull =
    people.length >= AT_ONCE ||
    people.filter((one) => one.person_id === person_id).length >= AT_ONCE_OF_PERSON ||
    people.filter((one) => one.org_id === org_id).length >= AT_ONCE_OF_ORG
  if (first.report || first.isOver || isFull) return first
  const self = { org_id, person_id }
  people.push(self)
  try {
    for (let waited_ms = 0, run = first; ; waited_ms += LOOK_MS) {
      if (run.report || waited_ms >= wait_ms) return run
      await pause(LOOK_MS)
      run = await readRun(deps, org_id, run_id)
    }
  } finally {
    people.splice(people.indexOf(self), 1)
  }
}
