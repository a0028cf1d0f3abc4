// Writes whole files, after testing that each of them can be written.

import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Refusal } from './refusal.ts'

export interface OutputFile {
  path: string
  text: string
  /** Permissions of the file. Default: those of the existing file, or the system's default. */
  mode?: number
}

interface Target extends OutputFile {
  /**
   * Temporary file that is written first and then renamed. Absent if the target is not a regular file, but for example a pipe.
   */
  aside: string | undefined
}

/** Writes the files. @throws Refusal, before any replacement, if a file cannot be written or exists without `force`. */
export function writeFiles(files: readonly OutputFile[], force: boolean): void {
  const targets = files.map((file) => attempt(file.path, () => targetOf(file, force)))
  if (new Set(targets.map(({ path }) => path)).size < targets.length) {
    throw new Refusal('the configuration and the variables must be written to different files')
  }
  try {
    for (const target of targets) writeAside(target)
    for (const { path, aside, text } of targets) {
      attempt(path, () => (aside === undefined ? writeFileSync(path, text) : renameSync(aside, path)))
    }
  } finally {
    for (const { aside } of targets) if (aside !== undefined) rmSync(aside, { force: true })
  }
}

function targetOf({ path, text, mode }: OutputFile, force: boolean): Target {
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (isThere && !force) throw new Refusal(`${basename(path)} already exists; choose another file or add --force`)
  const held = statSync(path, { throwIfNoEntry: false })
  // If the path is a link, replaces the file to which the link points, and keeps the link.
  const real = held ? realpathSync(path) : resolve(path)
  if (held?.isDirectory() === true) throw refusalOf(path, 'it is a directory')
  const kept = mode ?? (held && held.mode & 0o777)
  const aside = held && !held.isFile() ? undefined : `${real}.${randomUUID()}.tmp`
  return { path: real, text, aside, ...(kept !== undefined && { mode: kept }) }
}

function writeAside({ path, text, mode, aside }: Target): void {
  if (aside === undefined) return
  attempt(path, () => {
    writeFileSync(aside, text, { flag: 'wx', ...(mode !== undefined && { mode }) })
    if (mode !== undefined) chmodSync(aside, mode)
  })
}

function attempt<Result>(path: string, deed: () => Result): Result {
  try {
    return deed()
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw refusalOf(path, (error as NodeJS.ErrnoException).code ?? 'unknown error')
  }
}

function refusalOf(path: string, why: string): Refusal {
  return new Refusal(`cannot write ${basename(path)}: ${why}`)
}
