// Lets statements of other subjects read results, however these are stored.
import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Db } from '../database.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import { inBothForms, type ResultQuery, resultsOf, type TextForm, type TextReader } from './stored/results-of.ts'

export { inBothForms, type ResultQuery, type TextForm, type TextReader }

/** Reads results as a part of a statement. */
export interface ResultsReader {
  /** Selects results. The query has no parentheses, for reading from it or joining it laterally. */
  of: (query: ResultQuery) => RawBuilder<unknown>
  /** Builds the statement. It is prepared if one plan serves all values. */
  sql: typeof prepared
}

export async function openReader(db: Db): Promise<ResultsReader> {
  const isSealed = await readSealedBoundary(db)
  return { of: (query) => resultsOf(query, isSealed), sql: isSealed === false ? prepared : sql }
}
