// Converts text searches of other tools to the one search of a check: one text, or one regular expression in RE2 syntax.
import type { FileCheck } from '../file/format.ts'
import { carried, impossible, type Said } from './audit.ts'

const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** Escapes a text so that a regular expression matches it literally. */
export function literally(text: string): string {
  return text.replace(SPECIAL, (character) => `\\${character}`)
}

/** Sets the text or pattern of a check that has none yet. */
export function setMatch(check: FileCheck, match_string: string, match_mode?: string): Said {
  if (check.match_string !== undefined)
    return impossible('checks look for one text only; create a second check for the other text')
  check.match_string = match_string
  if (match_mode !== undefined && match_mode !== 'contains') check.match_mode = match_mode
  return carried
}
