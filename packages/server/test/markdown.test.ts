// Every link in the documents of this repository leads somewhere.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGES = ['README.md', '.github/**/*.md', 'packages/*/*.md', 'packages/*/{docs,src,conformance}/**/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .map((path) => join(ROOT, path))

/** The anchors of headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** A page without its blocks of code. */
function textOf(page: string): string {
  return readFileSync(page, 'utf8').replace(/^ *```[^]*?^ *```$/gm, '')
}

function linksOf(page: string): string[] {
  const targets = Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target))
}

test('there are documents to look at', () => {
  expect(PAGES.length).toBeGreaterThan(20)
  expect(PAGES.flatMap(linksOf).length).toBeGreaterThan(100)
})

test.each(PAGES.map((page) => relative(ROOT, page)))('%s', (path) => {
  const page = join(ROOT, path)
  const broken = linksOf(page).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? page : join(dirname(page), file)
    if (!existsSync(target)) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
  })
  expect(broken).toEqual([])
})
