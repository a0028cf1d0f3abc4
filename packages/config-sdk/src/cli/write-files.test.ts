// Files that the command writes: all of them or none, and the secret ones for one reader.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { writeFiles } from './write-files.ts'

const folders: string[] = []
let yaml: string
let env: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'dogwatch-write-'))
  folders.push(folder)
  yaml = join(folder, 'dogwatch.yaml')
  env = join(folder, 'secrets.env')
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const modeOf = (path: string) => statSync(path).mode & 0o777
const wanted = () => [
  { path: env, text: 'B=2', mode: 0o600 },
  { path: yaml, text: 'new' },
]

test('a file of secrets that is replaced is readable for its owner alone, and others keep their mode', () => {
  writeFileSync(env, 'A=1', { mode: 0o644 })
  writeFileSync(yaml, 'old', { mode: 0o640 })
  writeFiles(wanted(), true)
  expect([readFileSync(env, 'utf8'), readFileSync(yaml, 'utf8')]).toEqual(['B=2', 'new'])
  expect([modeOf(env), modeOf(yaml)]).toEqual([0o600, 0o640])
})

test('nothing is written when one of the files exists, cannot be written, or is another one', () => {
  writeFileSync(env, 'A=1')
  expect(() => writeFiles(wanted(), false)).toThrow('secrets.env already exists; choose another file or add --force')
  const nowhere = [wanted()[1] ?? { path: '', text: '' }, { path: join(env, 'below.env'), text: 'B=2' }]
  expect(() => writeFiles(nowhere, true)).toThrow('cannot write below.env')
  expect(() => writeFiles([...wanted(), { path: env, text: 'other' }], true)).toThrow(
    'must be written to different files',
  )
  expect(readdirSync(join(env, '..'))).toEqual(['secrets.env'])
  expect(readFileSync(env, 'utf8')).toBe('A=1')
})
