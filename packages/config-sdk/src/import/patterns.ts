// Converts text searches of other tools to the search of a check, and further searches to assertions.
import { hasSubject } from '@dogwatch/check-rules/assertions'
import { schemeOf } from '@dogwatch/check-rules/schemes'
import type { FileCheck } from '../file/format.ts'
import { addAssertions } from './assertions.ts'
import { carried, impossible, type Said } from './audit.ts'

const SPECIAL = /[\\^$.*+?()[\]{}|]/g

type MatchMode = 'contains' | 'not_contains' | 'regex' | 'not_regex'

/** Escapes a text so that a regular expression matches it literally. */
export function literally(text: string): string {
  return text.replace(SPECIAL, (character) => `\\${character}`)
}

/** Sets the text or pattern that a check looks for. If the check already has one, adds an assertion about the body instead. */
export function setMatch(check: FileCheck, match_string: string, match_mode: MatchMode = 'contains'): Said {
  if (check.match_string !== undefined) return addMatch(check, match_string, match_mode)
  check.match_string = match_string
  if (match_mode !== 'contains') check.match_mode = match_mode
  return carried
}

function addMatch(check: FileCheck, value: string, is: MatchMode): Said {
  const scheme = schemeOf(check.url ?? '')
  if (scheme === undefined) return impossible('checks look for one text only; create a second check for the other text')
  return addAssertions(check, [{ on: hasSubject(scheme, 'body') ? 'body' : 'banner', is, value }])
}
