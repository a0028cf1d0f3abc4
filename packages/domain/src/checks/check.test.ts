// One entry of an import file: what is read, what is filled in, and each refusal in its words. Fields of the definition are in
// definitions.test.ts.
import { BLANK_CHECK } from '@dogwatch/check-rules/fields'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DomainError } from '../errors.ts'
import type { PLANS } from '../organisations/plans.ts'
import { readCheck, requirePlanAllows } from './check.ts'

const LEAST = { name: 'shop', url: 'https://example.com/', interval_sec: 60 }

const read = (given: Record<string, unknown> = {}) => readCheck('[3]', { ...LEAST, ...given })

test('what is left out has its default', () => {
  expect(read()).toEqual({
    ...BLANK_CHECK,
    ...LEAST,
    enabled: true,
    restricted: false,
    timeout_sec: 0,
    disable_redirects: false,
    insecure_skip_verify: false,
    headers: {},
    post_data: '',
    match_string: '',
    match_mode: '',
    status_code_op: '',
    status_code_value: 0,
    cert_expiry_warn_days: 0,
    max_response_time_ms: 0,
    invert_result: false,
    result_detail_max_chars: 256,
    down_interval_sec: 0,
    resend_interval_sec: 0,
  })
})

test('null is left out, as some tools write it', () => {
  const nulls = Object.fromEntries(
    Object.keys(read())
      .filter((field) => !(field in LEAST))
      .map((field) => [field, null]),
  )
  expect(read(nulls)).toEqual(read())
})

test('fields that no check has are ignored', () => {
  expect(read({ monitor_count: 7, updated_at: 'x', deleted: true, anything: {} })).toEqual(read())
})

test('an object with a __proto__ of its own makes nothing inherit', () => {
  const content = readCheck('[0]', JSON.parse(JSON.stringify(LEAST).replace('{', '{"__proto__":{"restricted":true},')))
  expect(content.restricted).toBe(false)
})

describe('taken as given', () => {
  const cases: Record<string, Record<string, unknown>> = {
    'every field set': {
      enabled: false,
      restricted: true,
      timeout_sec: 30,
      disable_redirects: true,
      insecure_skip_verify: true,
      headers: { Accept: 'text/html', 'X-Key': 'a b\tc é' },
      post_data: '{"a":\n1}',
      match_string: 'ok',
      match_mode: 'not_contains',
      status_code_op: 'lt',
      status_code_value: 300,
      cert_expiry_warn_days: 14,
      max_response_time_ms: 1500,
      invert_result: true,
      result_detail_max_chars: 1000,
      down_interval_sec: 3,
      resend_interval_sec: 3600,
    },
    'a name of 200 characters': { name: 'x'.repeat(200) },
    'the shortest interval': { interval_sec: 1 },
    'the longest interval': { interval_sec: 31 * 86_400 },
    'the longest timeout': { timeout_sec: 60 },
    'no detail': { result_detail_max_chars: 0 },
    'the most detail': { result_detail_max_chars: 10_000 },
  }
  test.each(Object.entries(cases))('%s', (_, given) => expect(read(given)).toMatchObject(given))
})

describe('restricted', () => {
  const cases: Record<string, [given: Record<string, unknown>, want: boolean]> = {
    'a public target is not': [{}, false],
    'a public target is when that was asked for': [{ restricted: true }, true],
    'an inner target is': [{ url: 'http://192.168.1.1/' }, true],
    'an inner target is, whatever was asked for': [{ url: 'tcp://printer.local:9100', restricted: false }, true],
    'a database is': [{ url: 'postgres://u@db.example.com' }, true],
    'a WebSocket is if it has a message': [{ url: 'wss://a.example.com/', post_data: 'x' }, true],
    'a WebSocket is not without a message': [{ url: 'wss://a.example.com/', headers: { A: 'b' } }, false],
    'a private definition is': [{ url: '' }, true],
    'a private definition is, whatever was asked for': [{ url: '', restricted: false }, true],
  }
  test.each(Object.entries(cases))('%s', (_, [given, want]) => expect(read(given).restricted).toBe(want))
})

describe('refused, in words that name the entry and the field', () => {
  const STRING = 'must be a string'
  const BOOLEAN = 'must be true or false'
  const NO_STORE = 'must not contain null characters or invalid Unicode'
  const BLANK = 'must be empty, because a private definition is stored only on the monitor'
  const cases: Record<string, [given: Record<string, unknown>, line: string]> = {
    'no name': [{ name: undefined }, '[3].name is required'],
    'no interval': [{ interval_sec: undefined }, '[3].interval_sec is required'],
    'null for a name': [{ name: null }, '[3].name is required'],
    'a number for a name': [{ name: 7 }, `[3].name ${STRING}`],
    'an empty name': [{ name: '' }, '[3].name must not be blank'],
    'a blank name': [{ name: ' \u00a0' }, '[3].name must not be blank'],
    'a name of 201 characters': [{ name: 'x'.repeat(201) }, '[3].name must be 200 characters or fewer'],
    'a line break in a name': [{ name: 'a\nb' }, '[3].name must not contain control characters or invalid Unicode'],
    'U+0000 in a name': [{ name: 'a\0b' }, `[3].name ${NO_STORE}`],
    'a lone surrogate in a name': [{ name: 'a\ud800' }, `[3].name ${NO_STORE}`],
    'tags as a string': [{ tags: 'eu' }, '[3].tags must be a list of strings'],
    'a tag that is a number': [{ tags: [1] }, '[3].tags must be a list of strings'],
    'an empty tag': [{ tags: ['eu', ' '] }, '[3].tags must have entries of 1 to 50 characters each, without commas'],
    'a tag with a comma': [{ tags: ['a,b'] }, '[3].tags must have entries of 1 to 50 characters each, without commas'],
    'a tag with a line break': [
      { tags: ['a\nb'] },
      '[3].tags must have entries of 1 to 50 characters each, without commas',
    ],
    'a tag of 51 characters': [
      { tags: ['x'.repeat(51)] },
      '[3].tags must have entries of 1 to 50 characters each, without commas',
    ],
    '21 tags': [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, '[3].tags must have 20 tags or fewer'],
    ...Object.fromEntries(
      ['enabled', 'restricted', 'disable_redirects', 'insecure_skip_verify', 'invert_result'].flatMap((field) =>
        [0, 'true', {}].map((value): [string, [Record<string, unknown>, string]] => [
          `${field}: ${JSON.stringify(value)}`,
          [{ [field]: value }, `[3].${field} ${BOOLEAN}`],
        ]),
      ),
    ),
    ...Object.fromEntries(
      Object.entries({
        interval_sec: [1, 2_678_400],
        timeout_sec: [0, 60],
        status_code_value: [0, 599],
        cert_expiry_warn_days: [0, 3650],
        max_response_time_ms: [0, 60_000],
        result_detail_max_chars: [0, 10_000],
        down_interval_sec: [0, 1000],
        resend_interval_sec: [0, 31_536_000],
      }).flatMap(([field, [min = 0, max = 0]]) =>
        [min - 1, max + 1, 1.5, '5', true, [5], {}, Number.NaN, 2 ** 53].map(
          (value): [string, [Record<string, unknown>, string]] => [
            `${field}: ${typeof value === 'number' ? value : JSON.stringify(value)}`,
            [{ [field]: value }, `[3].${field} must be a whole number from ${min} to ${max}`],
          ],
        ),
      ),
    ),
    ...Object.fromEntries(
      Object.entries({
        match_string: 'x',
        match_mode: 'regex',
        post_data: 'x',
        headers: { A: 'b' },
        status_code_op: 'eq',
      }).map(([field, value]): [string, [Record<string, unknown>, string]] => [
        `a private definition with ${field}`,
        [
          { url: '', [field]: value, ...(field === 'status_code_op' && { status_code_value: 200 }) },
          `[3].${field} ${BLANK}`,
        ],
      ]),
    ),
  }
  test.each(Object.entries(cases))('%s', (_, [given, line]) => {
    expect(() => read(given)).toThrow(new DomainError('invalid', line))
  })

  test.each([null, undefined, 7, 'x', true, [], [[LEAST]]])('an entry that is %j', (entry) => {
    expect(() => readCheck('[3]', entry)).toThrow(new DomainError('invalid', '[3] must be an object'))
  })
})

test('whatever stands in an entry, the answer is a check or a refusal in one line', () => {
  const fields = Object.keys(read())
  const entry = fc.dictionary(fc.constantFrom(...fields), fc.anything({ maxDepth: 2 }), { maxKeys: 8 })
  fc.assert(
    fc.property(entry, (given) => {
      try {
        read(given)
      } catch (error) {
        expect(error).toBeInstanceOf(DomainError)
        expect((error as DomainError).message).toMatch(/^\[3\]\.[^\r\n]+$/)
      }
    }),
    { numRuns: 1000 },
  )
})

test('what was read reads as itself', () => {
  const all = read({ headers: { A: 'b' }, status_code_op: 'eq', status_code_value: 200, timeout_sec: 5 })
  expect(readCheck('[0]', all)).toEqual(all)
})

describe('requirePlanAllows', () => {
  const cases: Record<string, [given: Record<string, unknown>, plan: keyof typeof PLANS, line: string | undefined]> = {
    'free at its shortest interval': [{ interval_sec: 120 }, 'free', undefined],
    'free, too short': [{ interval_sec: 119 }, 'free', '[3].interval_sec must be at least 120 on the free plan'],
    'solo at its shortest interval': [{ interval_sec: 60 }, 'solo', undefined],
    'solo, too short': [{ interval_sec: 59 }, 'solo', '[3].interval_sec must be at least 60 on the solo plan'],
    'double at its shortest interval': [{ interval_sec: 45 }, 'double', undefined],
    'double, too short': [{ interval_sec: 44 }, 'double', '[3].interval_sec must be at least 45 on the double plan'],
    'team at its shortest interval': [{ interval_sec: 30 }, 'team', undefined],
    'team, too short': [{ interval_sec: 29 }, 'team', '[3].interval_sec must be at least 30 on the team plan'],
    'free at its longest timeout': [{ timeout_sec: 10 }, 'free', undefined],
    'free with none, which is 10': [{ timeout_sec: 0 }, 'free', undefined],
    'free, too long': [{ timeout_sec: 11 }, 'free', '[3].timeout_sec must be at most 10 on the free plan'],
    'solo at its longest timeout': [{ timeout_sec: 30 }, 'solo', undefined],
    'solo, too long': [{ timeout_sec: 31 }, 'solo', '[3].timeout_sec must be at most 30 on the solo plan'],
    'double at its longest timeout': [{ timeout_sec: 45 }, 'double', undefined],
    'double, too long': [{ timeout_sec: 46 }, 'double', '[3].timeout_sec must be at most 45 on the double plan'],
    'team at its longest timeout': [{ timeout_sec: 60 }, 'team', undefined],
    'free with a certificate warning': [
      { cert_expiry_warn_days: 1 },
      'free',
      '[3].cert_expiry_warn_days must be 0 on the free plan',
    ],
    'free without one': [{ cert_expiry_warn_days: 0 }, 'free', undefined],
    'solo with a certificate warning': [{ cert_expiry_warn_days: 1 }, 'solo', undefined],
  }
  test.each(Object.entries(cases))('%s', (_, [given, plan, line]) => {
    const content = read({ interval_sec: 600, ...given })
    const judge = () => requirePlanAllows('[3]', content, { plan, custom_limits: null })
    if (line === undefined) expect(judge).not.toThrow()
    else expect(judge).toThrow(new DomainError('invalid', line))
  })

  test('a timeout of 0 counts as 10 where a plan allows less', () => {
    const judge = () => requirePlanAllows('[3]', read(), { plan: 'custom', custom_limits: { max_timeout_sec: 9 } })
    expect(judge).toThrow(new DomainError('invalid', '[3].timeout_sec must be at most 9 on the custom plan'))
  })
})
