// Every operation of both APIs, from their documents: a new one is in it by itself.
import { document as account } from '@dogwatch/contract/account'
import { document as monitor } from '@dogwatch/contract/monitor'
import { PLACE } from './world.ts'

interface DocumentShape {
  servers: { url: string }[]
  security?: Record<string, unknown>[]
  paths: Record<string, Record<string, { operationId: string; security?: Record<string, unknown>[] }>>
}
export const OPERATIONS = [monitor, account].flatMap((document) => {
  const { servers, security, paths } = document as unknown as DocumentShape
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${servers[0]?.url}${path}`,
      id: operation.operationId,
      method: method as 'get' | 'post',
      path: `${servers[0]?.url}${path}`,
      scheme: Object.keys((operation.security ?? security)?.[0] ?? {})[0] ?? '',
    })),
  )
})

/** Bodies with which a request that is let in succeeds. */
export const BODIES: Record<string, unknown> = {
  enroll: PLACE,
  uploadResults: { results: [] },
  reportStatus: { version: '1', uptime_sec: 0, unsent_results: 0 },
}
