// express-openapi-validator as the tests of the server import it: servers with the same document share what is made of it. A
// validator remembers nothing of requests, and to bundle a document and compile its schemas costs more than most tests. Servers
// that run as they are built make their own.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { RequestHandler } from 'express'
import type * as Validator from 'express-openapi-validator'

type Options = Parameters<typeof Validator.middleware>[0]

const PROGRAM = fileURLToPath(
  new URL('../../../../node_modules/express-openapi-validator/dist/index.js', import.meta.url),
)
const real = createRequire(import.meta.url)(PROGRAM) as typeof Validator

/** By everything that they are made of. */
const made = new Map<string, RequestHandler[]>()

export function middleware(options: Options): RequestHandler[] {
  const key = JSON.stringify(options)
  const known = made.get(key) ?? (real.middleware(options) as RequestHandler[])
  made.set(key, known)
  return known
}
