// A real OpenID provider from npm, on a port of its own. Its pages are replaced by one request that signs somebody in.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Account {
  sub: string
  email?: string
  email_verified?: boolean
  groups?: string[]
}

export interface TestProvider {
  issuer: string
  /** Who the next visitor is. */
  account: Account
  /** What it says instead of the nonce it was given. */
  nonce: string | undefined
  /** Does what a person does there, and returns the address that the browser is sent back to. */
  visit(address: string): Promise<URL>
  close(): Promise<void>
}

export const CLIENT = { client_id: 'dogwatch', client_secret: 'a secret of the provider and ours' }

export async function openIdProvider(redirect_uri: string): Promise<TestProvider> {
  const server: Server = createServer((req, res) => void handle(req, res))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      { ...CLIENT, redirect_uris: [redirect_uri], grant_types: ['authorization_code'], response_types: ['code'] },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: () => Promise.resolve({ ...self.account, sub }),
    }),
    loadExistingGrant: async (ctx: { oidc: Loaded }) => {
      const { client, session, provider: own } = ctx.oidc
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()

  async function handle(req: Parameters<typeof callback>[0], res: Parameters<typeof callback>[1]): Promise<void> {
    if (req.url?.startsWith('/interaction/')) {
      await provider.interactionFinished(req, res, { login: { accountId: self.account.sub } })
      return
    }
    await callback(req, res)
  }

  const self: TestProvider = {
    issuer,
    account: { sub: 'nobody' },
    nonce: undefined,
    visit: async (address) => {
      const cookies = new Map<string, string>()
      let at = new URL(address)
      if (self.nonce !== undefined) at.searchParams.set('nonce', self.nonce)
      while (at.origin === issuer) {
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';')
          const end = pair.indexOf('=')
          cookies.set(pair.slice(0, end), pair.slice(end + 1))
        }
        const to = response.headers.get('location')
        if (to === null) throw new Error(`the provider answers ${response.status}: ${await response.text()}`)
        at = new URL(to, at)
      }
      return at
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
  return self
}

interface Loaded {
  client: { clientId: string }
  session: { accountId: string }
  provider: {
    Grant: new (of: {
      clientId: string
      accountId: string
    }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
  }
}
