// Recipes, READMEs and other guides name only files, folders, tests and modules that exist.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const GUIDES = globSync(['.github/**/*.md', 'README.md', 'packages/*/README.md'], { cwd: ROOT })
const TESTS = globSync('packages/*/{src,test}/**/*.test.{ts,tsx}', { cwd: ROOT })
/** Names that examples make up. */
const MADE_UP = /rack|relay|\bline\b|\b_?NAME\b|NNNN/i

const textOf = (guide: string): string => readFileSync(join(ROOT, guide), 'utf8')
const isThere = (path: string): boolean => globSync(path, { cwd: ROOT }).length > 0

function missingPaths(text: string): string[] {
  const paths = Array.from(
    text.matchAll(/`((?:packages|openapi|scripts|\.github)\/[\w./*-]+)`/g),
    ([, path = '']) => path,
  )
  return paths.filter((path) => !MADE_UP.test(path) && !isThere(path))
}

function missingTests(text: string): string[] {
  const commands = Array.from(text.matchAll(/npm test -- ([^\n`#|]*)/g), ([, names = '']) => names.split(' -')[0] ?? '')
  const names = commands
    .flatMap((command) => command.split(' '))
    .filter((name) => /\w/.test(name) && !MADE_UP.test(name))
  return names.filter((name) => !TESTS.some((path) => path.includes(name)))
}

/** Lists the imports of examples that lead nowhere. An example is of the file that is named last before it. */
function missingImports(text: string): string[] {
  let file = ''
  return Array.from(text.matchAll(/`(packages\/[\w./-]+\.tsx?)`|^ *import [^']*'([^']+)'/gm)).flatMap(
    ([, path, target]) => {
      file = path ?? file
      if (target === undefined) return []
      const isOwn = target.startsWith('./') && MADE_UP.test(file)
      const isKnown = target.startsWith('.') ? existsSync(join(ROOT, dirname(file), target)) : isExported(target)
      return isKnown || isOwn || MADE_UP.test(target) ? [] : [`${target} in ${file}`]
    },
  )
}

function isExported(target: string): boolean {
  const [, name = '', subpath = ''] = /^@dogwatch\/([^/]+)(.*)$/.exec(target) ?? []
  if (name === '') return true
  const { exports } = JSON.parse(textOf(`packages/${name}/package.json`)) as { exports: Record<string, unknown> }
  return Object.hasOwn(exports, `.${subpath}`)
}

test.each(GUIDES)('%s names what exists', (guide) => {
  const text = textOf(guide)
  expect({ paths: missingPaths(text), tests: missingTests(text), imports: missingImports(text) }).toEqual({
    paths: [],
    tests: [],
    imports: [],
  })
})

test('the law finds what a guide should not name', () => {
  const text = [
    'Write `packages/console/src/pages/racks.tsx` like `packages/console/src/pages/no-such-page.tsx`:',
    "import { a } from '../../domain/monitors/read.ts'",
    "import { b } from '@dogwatch/domain/monitors/no-such-door'",
    "import { c } from '@dogwatch/domain/monitors/read'",
    'npm test -- test/access/ no/such/test --maxWorkers=1',
  ].join('\n')
  expect([missingPaths(text), missingTests(text), missingImports(text)]).toEqual([
    ['packages/console/src/pages/no-such-page.tsx'],
    ['no/such/test'],
    [
      '../../domain/monitors/read.ts in packages/console/src/pages/no-such-page.tsx',
      '@dogwatch/domain/monitors/no-such-door in packages/console/src/pages/no-such-page.tsx',
    ],
  ])
})
