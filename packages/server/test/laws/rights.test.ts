// Links and forms of the console are drawn by the components that ask whether the viewer may use the path.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const CONSOLE = new URL('../../../console/src/', import.meta.url)
/** The components themselves. The public status page, which has no viewer, is in the folder status. */
const COMPONENTS = new Set(['rights.tsx', 'post-form.tsx'])

const BARE = /<a\b|<form\b(?!\s+method="dialog")/

test('no page draws a bare link or form', () => {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.tsx') && !path.startsWith('status/') && !COMPONENTS.has(path))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((path) => BARE.test(readFileSync(new URL(path, CONSOLE), 'utf8')))).toEqual([])
})

test.each(['<a href="/checks">', '<form method="get" action="/search">', '<form\n  method="post"'])(
  '%j is bare',
  (planted) => {
    expect(BARE.test(planted)).toBe(true)
  },
)
