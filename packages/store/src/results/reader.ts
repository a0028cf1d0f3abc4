// Lets statements of other subjects read results, however these are stored.
import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../builder-pool.ts'
import type { Database, Db } from '../database.ts'
import { readSealedBoundary } from './nodes/layout.ts'
import { inBothForms, type ResultQuery, resultsOf, resultsText } from './stored/results-of.ts'

export type { ResultQuery }

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

/** Reads results as a part of a statement that is text. */
export interface TextReader {
  of: (query: ResultQuery<string>) => string
  /** Whether a search without near bounds opens every stored day, which is slow. */
  opensDays: boolean
  /** Keyword for a part that reads no results. */
  between: string
}

/** A statement that is text, in the form for the present way of storing. */
export interface TextForm extends Pick<TextReader, 'opensDays'> {
  /** Name of the prepared statement. Absent if the statement is not prepared. */
  name?: string
  text: string
}

/** Builds the forms of a statement that reads results, and returns a function that picks one. */
export function inEachForm(name: string, text: (results: TextReader) => string) {
  const pick = inBothForms(name, (isSealed, between) =>
    text({ of: (query) => resultsText(query, isSealed), opensDays: isSealed !== false, between }),
  )
  return async (database: Pick<Database, 'machines'>): Promise<TextForm> => {
    const { isSealed, ...form } = await pick(database)
    return { ...form, opensDays: isSealed }
  }
}
