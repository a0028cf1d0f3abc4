// The agent judges definitions as the server does: both run the same list of them.

import type { Check } from '@dogwatch/monitor-sdk'
import { describe, expect, test } from '@jest/globals'
import { ACCEPTED, REFUSED } from '../../../check-rules/fixtures/definitions.ts'
import { ACCEPTED_RULES, REFUSED_RULES } from '../../../check-rules/fixtures/rules.ts'
import { DefinitionFaults, parseDefinitions } from '../../src/definitions/private-definitions.ts'
import { NO_PATTERN } from '../../src/matching/content-match.ts'
import { readRules } from '../../src/run/verdict.ts'
import { aCheck } from '../support/checks.ts'

function faultsOf(definition: Record<string, unknown>): readonly string[] {
  try {
    parseDefinitions(JSON.stringify({ a: definition }))
    return []
  } catch (error) {
    if (error instanceof DefinitionFaults) return error.faults
    throw error
  }
}

/** As the server would send it. */
const checkOf = ({ url, ...fields }: Record<string, unknown>) => {
  const given: Partial<Check> = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  return aCheck(url as string, given)
}

/** What a run of the check tells. Whether a large pattern is one is known only when the pattern thread compiles it. */
async function faultOfRun(check: Check): Promise<string | undefined> {
  const rules = readRules(check)
  if ('fault' in rules) return rules.fault
  return (await rules.match?.search('', { left_ms: 20_000 })) === 'no_pattern' ? NO_PATTERN : undefined
}

describe('accepted in a file, and run', () => {
  test.each(Object.entries({ ...ACCEPTED, ...ACCEPTED_RULES }))('%s', (_, definition) => {
    expect(faultsOf(definition)).toEqual([])
    expect(readRules(checkOf(definition))).toHaveProperty('target')
  })
})

describe('refused in a file by its field alone, and a failure of its check when the server sends it', () => {
  test.each(Object.entries({ ...REFUSED, ...REFUSED_RULES }))(
    '%s',
    async (_, { given, field, header, part = '', must }) => {
      expect(faultsOf(given)).toEqual([
        header === undefined ? `a: ${field}${part} ${must}` : `a: ${field}: a header ${must}`,
      ])
      const words = header === undefined ? `the ${field}${part} ${must}` : `a header ${must}`
      expect(await faultOfRun(checkOf(given))).toBe(words)
    },
  )
})
