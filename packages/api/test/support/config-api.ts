// Requests to the configuration API.
import { createConfigurationToken, type WantedToken } from '@dogwatch/domain/configuration/tokens'
import { CONFIG, type Org, type World } from './world.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export async function configToken(w: World, org: Org, wanted: Partial<WantedToken> = {}): Promise<string> {
  const { token } = await createConfigurationToken(w.deps, org.org_id, {
    name: 'deployment',
    scopes: ['write'],
    ...wanted,
  })
  return token
}

/** Asks with a token: `ask('post', '/checks', body)`. */
export function configurator(w: World, token: string) {
  return (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
    const request = w.http[method](`${CONFIG}${path}`).set({ Authorization: `Bearer ${token}`, ...headers })
    return body === undefined ? request : request.send(body)
  }
}
