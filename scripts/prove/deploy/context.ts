// The build context: the files of the checkout that the ignore file lets through.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'

/** Copies them to a folder, and returns how many there are. */
export function copyContext(root: string, ignoreFile: string, target: string): number {
  const rules = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), glob: line.replace(/^!/, '') }))
  // What git would commit, including new files, but no leftovers of builds.
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const paths = listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)) && isSent(path, rules))
  for (const path of paths) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    cpSync(join(root, path), join(target, path))
  }
  return paths.length
}

/** The last rule that matches the path, or a folder above it, decides. */
function isSent(path: string, rules: readonly { isKept: boolean; glob: string }[]): boolean {
  const parts = path.split('/')
  const above = parts.map((_, n) => parts.slice(0, n + 1).join('/'))
  let isKept = true
  for (const rule of rules) if (above.some((each) => matchesGlob(each, rule.glob))) isKept = rule.isKept
  return isKept
}
