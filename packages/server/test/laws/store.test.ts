// The rooms of store/: each holds the SQL of one subject and knows only what it says here.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../../scripts/testing/laws.ts'

const sources = readSources(fileURLToPath(new URL('../../../store/src', import.meta.url)))

/** `.` is what all of them use: the database, its tables, and how rows are read. */
const ROOMS = {
  incidents: ['alerting', 'checks', 'results', 'routing', '.'],
  alerting: ['heartbeats', 'checks', 'accounts', 'results', '.'],
  routing: ['accounts', '.'],
  maintenance: ['.'],
  checks: ['accounts', 'results', '.'],
  heartbeats: ['accounts', '.'],
  configuration: ['.'],
  monitors: ['.'],
  accounts: ['results', '.'],
  processes: ['postgres', 'results', '.'],
  'status-pages': ['.'],
  search: ['.'],
  // The database knows where results are, and what else it says, results use.
  results: ['postgres', '.'],
  '.': ['postgres', 'results'],
  postgres: [],
}

test('each room of the store knows only the rooms below it', () => {
  expect(sources.length).toBeGreaterThan(55)
  const packages = ['@dogwatch/check-rules', '@dogwatch/runtime']
  expect(breachesOf(sources, { rooms: ROOMS, packages, fileMax: 480 })).toEqual([])
})
