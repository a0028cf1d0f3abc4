// What the documents have people type first works as it stands.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const textOf = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')

test('the README names no organisation by a number that another start gives to it', () => {
  const given = Array.from(textOf('README.md').matchAll(/--org (\S+)/g), ([, id]) => id)
  expect(new Set(given)).toEqual(new Set(['$ORG']))
  expect(textOf('README.md')).toMatch(/^ORG=1 /m)
})

test('git ignores the state directories that the READMEs name', () => {
  const texts = ['README.md', 'packages/agent/README.md'].map(textOf).join('\n')
  const folders = new Set(Array.from(texts.matchAll(/--state-dir (\.\/[\w/-]+)/g), ([, folder]) => folder ?? ''))
  expect(folders.size).toBeGreaterThan(0)
  for (const folder of folders) {
    const file = `${folder}/identity.json`
    expect(execFileSync('git', ['check-ignore', file], { cwd: ROOT, encoding: 'utf8' }).trim()).toBe(file)
  }
})

test.each(['packages/server/deploy/Containerfile', 'packages/server/docs/guides/deploying.md'])(
  '%s keeps the HEALTHCHECK with podman and buildah',
  (path) => {
    const lines = textOf(path)
      .split('\n')
      .filter((line) => /\b(?:podman|buildah) (?:build|bud)\b/.test(line))
    expect(lines).not.toEqual([])
    expect(lines.filter((line) => !line.includes('--format docker'))).toEqual([])
  },
)
