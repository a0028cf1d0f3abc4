// What the tests use of it: the package has no types of its own.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>
  }
}
