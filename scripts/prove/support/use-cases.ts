// The use cases that set up an organisation, of this build or of another: a build writes the schema that it knows.
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import type { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import type { createHeartbeat } from '../../../packages/server/dist/domain/heartbeats/edit.js'
import type { createEnrollmentToken } from '../../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import type { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'

export interface UseCases {
  createOrganisation: typeof createOrganisation
  createEnrollmentToken: typeof createEnrollmentToken
  createChannel: typeof createChannel
  createHeartbeat: typeof createHeartbeat
  importChecks: typeof importChecks
}

/** The folder of this build's compiled server. */
export const OURS = fileURLToPath(new URL('../../../packages/server/dist', import.meta.url))

const MODULES: Readonly<Record<keyof UseCases, string>> = {
  createOrganisation: 'domain/organisations/organisation.js',
  createEnrollmentToken: 'domain/monitors/enrollment-tokens.js',
  createChannel: 'domain/channels/edit.js',
  createHeartbeat: 'domain/heartbeats/edit.js',
  importChecks: 'domain/checks/import.js',
}

/** Those of the build whose compiled server is in the folder `dist`. */
export async function useCasesOf(dist: string): Promise<UseCases> {
  const found = await Promise.all(
    Object.entries(MODULES).map(async ([name, file]) => {
      const module = (await import(pathToFileURL(join(dist, file)).href)) as Record<string, unknown>
      if (typeof module[name] !== 'function') throw new Error(`the build in ${dist} has no ${name} in ${file}`)
      return [name, module[name]] as const
    }),
  )
  return Object.fromEntries(found) as unknown as UseCases
}
