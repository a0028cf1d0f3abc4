// The laws of the agent's house, as its README states them.
import { fileURLToPath } from 'node:url'
import { isJudgedByServer, type ProbedScheme, SCHEME_NAMES } from '@dogwatch/check-rules/schemes'
import { expect, test } from '@jest/globals'
import { breachesOf, readSources } from '../../../scripts/testing/laws.ts'
import { probeOf } from '../src/probes/registry.ts'

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)))

const ROOMS = {
  main: ['agent', 'run', 'definitions', 'sync', 'process'],
  agent: ['agent-options', 'schedule', 'buffer', 'identity', 'run', 'definitions', 'sync', 'process'],
  'agent-options': ['run', 'process'],
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

const PROBED = SCHEME_NAMES.filter((scheme): scheme is ProbedScheme => !isJudgedByServer(scheme))

test('each kind of probe is one folder, which only the registry imports', async () => {
  const kinds = sources.map(({ path }) => path).filter((path) => /^probes\/[^/]+\/probe\.ts$/.test(path))
  const folderOf = (path: string) => /^probes\/[^/]+(?=\/)/.exec(path)?.[0]
  const intruders = sources.flatMap(({ path, imports }) => {
    const foreign = imports.filter(({ target }) => folderOf(target) && folderOf(target) !== folderOf(path))
    return foreign.map(({ target }) => `${path} imports ${target}`)
  })
  expect(kinds.length).toBeGreaterThan(2)
  expect([...new Set(intruders)].toSorted()).toEqual(
    kinds.map((path) => `probes/registry.ts imports ${path}`).toSorted(),
  )
  expect(new Set((await Promise.all(PROBED.map(probeOf))).map((probe) => typeof probe))).toEqual(new Set(['function']))
})

test('the registry loads each kind of probe on its first check', () => {
  const registry = sources.find(({ path }) => path === 'probes/registry.ts')
  expect(registry?.text).toContain("import('./tcp/probe.ts')")
  expect(registry?.text.match(/^import (?!type ).*'\..*/gm)).toBeNull()
})

test('every file begins by saying what it is for', () => {
  expect(sources.filter(({ text }) => !/^(\/\/ |\/\*\*)/.test(text)).map(({ path }) => path)).toEqual([])
})
