// Everything an org has: the small parts in memory at once, the results page by page.
import { type ExportPage, openExportPages } from '../store/results/export-pages.ts'
import { type CheckKey, type Position, START } from '../store/results/result-pages.ts'
import { readChecks } from './checks/read.ts'
import type { Deps } from './deps.ts'
import { readHeartbeats } from './heartbeats/read.ts'
import { readVisibleMonitors } from './monitors/read.ts'
import { readChannels } from './channels/edit.ts'
import { readSettings } from './organisations/entitlements.ts'
import { readMembers } from './organisations/members.ts'
import type { StandbyReads } from './standby-reads.ts'

/** Enough rows that a page's overhead hardly matters, few enough that three exports at once stay small. */
const PAGE_ROWS = 500
/** Limit for the texts in one page, however many each result may carry. */
const PAGE_CHARS = 300_000
/** The same of sealed hours, with what runs take besides. */
const PAGE_BYTES = 300_000

export type ExportHeader = Awaited<ReturnType<typeof readHeader>>

/** Everything before the results. */
export async function readHeader(deps: Pick<Deps, 'database' | 'clock'>, org_id: number) {
  const generated_at = deps.clock.now()
  const [settings, checks, monitors, heartbeats, channels, members] = await Promise.all([
    readSettings(deps, org_id),
    readChecks(deps, org_id),
    readVisibleMonitors(deps, org_id),
    readHeartbeats(deps, org_id),
    readChannels(deps, org_id),
    readMembers(deps, org_id),
  ])
  return { generated_at, settings, checks, monitors, heartbeats, channels, members }
}

/** Some results of a check. A check without any comes once, with none. */
export interface ResultsChunk {
  guid: string
  rows: ExportPage['rows']
}

/**
 * The results of these checks, by check, oldest first. Each page is a statement of its own, so no snapshot is held
 * while the client reads, and memory does not grow with the number of results. One page is fetched ahead.
 */
export async function* streamResults(
  reading: StandbyReads,
  org_id: number,
  checks: readonly Omit<CheckKey & { guid: string }, 'org_id'>[],
): AsyncGenerator<ResultsChunk> {
  for (const { guid, check_id, result_detail_max_chars } of checks) {
    const pageRows = Math.min(PAGE_ROWS, Math.floor(PAGE_CHARS / (2 * Math.max(1, result_detail_max_chars))))
    const size = { rows: pageRows, bytes: PAGE_BYTES }
    const readPage = openExportPages({ org_id, check_id, result_detail_max_chars }, size)
    const fetchAfter = (position: Position): Promise<ExportPage> => {
      const page = reading(({ database }) => readPage(database, position))
      // The page that is fetched ahead may fail before anybody awaits it, or when nobody will. Whoever awaits it gets
      // the error.
      page.catch(() => {})
      return page
    }
    let ahead: Promise<ExportPage> | undefined = fetchAfter(START)
    let isShown = false
    while (ahead !== undefined) {
      const { rows, next }: ExportPage = await ahead
      ahead = next && fetchAfter(next)
      // A page may be empty where others follow.
      if (rows.length === 0 && (isShown || ahead)) continue
      isShown = true
      yield { guid, rows }
    }
  }
}
