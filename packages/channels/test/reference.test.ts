// The page that lists the kinds of channels has a row for each, with the plan and the size of groups that the kind declares.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { channelKinds } from '../src/registry.ts'

const PAGE = readFileSync(new URL('../../server/docs/reference/channels.md', import.meta.url), 'utf8')
const [, AFTER_GROUPS = ''] = PAGE.split('## Several alerts in one message')

test('each kind has one row, with its plan', () => {
  const rows = Array.from(PAGE.matchAll(/^\| `([a-z-]+)` \|[^|]*\| (\w+) \|[^|]*\|$/gm), ([, name, plan]) => {
    return `${name} ${plan?.toLowerCase()}`
  })
  expect(rows.toSorted()).toEqual(
    channelKinds()
      .map(({ name, plan }) => `${name} ${plan}`)
      .toSorted(),
  )
})

test('the table of groups has the maximum of each kind', () => {
  const table = AFTER_GROUPS.split('\n\n').find((block) => block.startsWith('| Kind |')) ?? ''
  const rows = Array.from(table.matchAll(/^\| (.*) \| (\d+)\b.*\|$/gm), ([, names = '', most]) => ({
    names,
    most: Number(most),
  }))
  const others = rows.find(({ names }) => names === 'all other kinds')?.most
  const told = channelKinds().map(({ name }) => [
    name,
    rows.find(({ names }) => names.includes(`\`${name}\``))?.most ?? others,
  ])
  expect(told).toEqual(channelKinds().map(({ name, grouped = 1 }) => [name, grouped]))
})
