// The patterns of a file: what is refused before anything is compiled, and how much is compiled at a time.
import { PATTERN_MAX_WEIGHT, weigh } from '@dogwatch/check-rules/pattern'
import { expect, test } from '@jest/globals'
import { RE2JS } from 're2js'
import { DomainError } from '../errors.ts'
import { readEntries } from './file.ts'
import { requirePatterns, slicesOf } from './patterns.ts'

const entry = (match_string: string) => ({
  name: 'shop',
  url: 'https://example.com/',
  interval_sec: 120,
  match_mode: 'regex',
  match_string,
})
const contentsOf = async (file: unknown) => (await readEntries(file)).map(({ content }) => content)
const sizeOf = (pattern: string) => RE2JS.compile(pattern).programSize()

test('a file of patterns that are a million instructions each is refused by its text', async () => {
  const file = Array.from({ length: 20 }, (_, n) => entry(`((a*)*${'b'.repeat(970)}${n}){1000}`))
  await expect(readEntries(file)).rejects.toThrow(
    /^\[0\]\.match_string must be a simpler regular expression with smaller repeat counts; /,
  )
})

test('reading a file compiles nothing: what is no pattern is told afterwards, by the first entry that has it', async () => {
  const contents = await contentsOf([entry('ok'), entry('a('), entry('a(')])
  await expect(requirePatterns(contents)).rejects.toThrow(
    new DomainError('invalid', '[1].match_string is not a valid regular expression (RE2 syntax)'),
  )
})

test('others have their turns while a long file is read', async () => {
  let turns = 0
  let next = setImmediate(function again() {
    turns++
    next = setImmediate(again)
  })
  await readEntries(Array.from({ length: 5000 }, () => entry('ok')))
  clearImmediate(next)
  expect(turns).toBeGreaterThan(15)
})

test('patterns that are too large together are refused, and equal ones count once', async () => {
  const large = (n: number) => entry(`(?:ab){1,900}${n}`)
  const most = Array.from({ length: 22 }, (_, n) => large(10 + n))
  expect(await contentsOf(most)).toHaveLength(22)
  await expect(readEntries([...most, large(40)])).rejects.toThrow(
    'the regular expressions in the file need more than 60000 steps together, the maximum for an import; split the file',
  )
  expect(await contentsOf([...most, ...most, ...most])).toHaveLength(66)
  expect(await contentsOf(Array.from({ length: 1000 }, (_, n) => entry(`^status: (ok|fine) ${n}$`)))).toHaveLength(1000)
})

test('the worst file that is allowed is compiled in slices no larger than one pattern may be, each pattern once', async () => {
  const patterns = Array.from({ length: 22 }, (_, n) => `(?:ab){1,900}${10 + n}`)
  const small = Array.from({ length: 50 }, (_, n) => `^a${n}$`)
  const contents = await contentsOf([...patterns, ...small, ...patterns, ...small].map(entry))
  const slices = slicesOf(contents).map((slice) => slice.map(([, { match_string }]) => match_string))
  expect(slices.flat().toSorted()).toEqual([...patterns, ...small].toSorted())
  for (const slice of slices) {
    expect(slice.reduce((sum, pattern) => sum + weigh(pattern), 0)).toBeLessThanOrEqual(PATTERN_MAX_WEIGHT)
    expect(slice.reduce((sum, pattern) => sum + sizeOf(pattern), 0)).toBeLessThanOrEqual(PATTERN_MAX_WEIGHT)
  }
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  await requirePatterns(contents)
  clearInterval(counting)
  // Others had their turn between the slices.
  expect(turns).toBeGreaterThan(5)
})
