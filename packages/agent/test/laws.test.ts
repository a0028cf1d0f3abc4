// The laws of the agent's house, as its README states them.
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)))

const ROOMS = {
  main: ['agent', 'run', 'definitions', 'sync', 'process'],
  agent: ['schedule', 'buffer', 'identity', 'run', 'definitions', 'sync', 'process'],
  schedule: ['outages', 'run', 'definitions', 'sync', 'process'],
  buffer: ['run', 'sync', 'process'],
  outages: ['run', 'probes', 'process'],
  identity: ['sync', 'process'],
  run: ['probes', 'matching', 'process'],
  probes: ['process'],
  matching: ['process'],
  definitions: ['process'],
  sync: ['process'],
  process: [],
}

test('imports go down, in no circle; no file and no function is too long', () => {
  expect(sources.length).toBeGreaterThan(70)
  expect(breachesOf(sources, { rooms: ROOMS, packages: ['@dogwatch/check-rules', '@dogwatch/monitor-sdk'] })).toEqual(
    [],
  )
})

test('every file begins by saying what it is for', () => {
  expect(sources.filter(({ text }) => !/^(\/\/ |\/\*\*)/.test(text)).map(({ path }) => path)).toEqual([])
})
