// Reads everything that an organisation has: small parts into memory at once, results page by page.
import { type ExportPage, openExportPages } from '@dogwatch/store/results/export-pages'
import { type CheckKey, type Position, START } from '@dogwatch/store/results/result-pages'
import { readChannels } from './channels/edit.ts'
import { readChecks } from './checks/read.ts'
import type { Deps } from './deps.ts'
import { readHeartbeats } from './heartbeats/read.ts'
import { readVisibleMonitors } from './monitors/read.ts'
import { readSettings } from './organisations/entitlements.ts'
import { readMembers } from './organisations/members.ts'
import type { StandbyReads } from './standby-reads.ts'

/**
 * Number of rows in a page: enough that its overhead hardly matters, few enough that three exports at once need little memory.
 */
const PAGE_ROWS = 500
/** Maximum number of characters in the texts of one page, however many each result can have. */
const PAGE_CHARS = 300_000
/** Maximum size of the sealed hours in one page, in bytes, including what runs need in addition to texts. */
const PAGE_BYTES = 300_000

export type ExportHeader = Awaited<ReturnType<typeof readHeader>>

/** Reads everything that precedes the results. */
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

/** Results of a check. A check without results comes once, with no rows. */
export interface ResultsChunk {
  guid: string
  rows: ExportPage['rows']
}

/**
 * Streams the results of checks, by check, oldest first. Each page is a separate statement, so that no snapshot stays open while
 * the client reads, and memory does not grow with the number of results. Fetches one page ahead.
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
      // The page that is fetched ahead can fail before the loop awaits it, or although the loop never does. Anything that awaits
      // the page gets the error.
      page.catch(() => {})
      return page
    }
    let ahead: Promise<ExportPage> | undefined = fetchAfter(START)
    let isShown = false
    while (ahead !== undefined) {
      const { rows, next }: ExportPage = await ahead
      ahead = next && fetchAfter(next)
      // A page can be empty although others follow.
      if (rows.length === 0 && (isShown || ahead)) continue
      isShown = true
      yield { guid, rows }
    }
  }
}
