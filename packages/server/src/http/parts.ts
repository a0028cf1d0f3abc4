// Which part of the server a request takes a place of. Its route says so: the route is found once, before anything else
// looks at the request, and remembered for the gates behind.
import type { IncomingMessage } from 'node:http'
import { type Surface, surfaceOf } from './surface.ts'

export const PARTS = [
  'uploads',
  'monitor-api',
  'export',
  'account-api',
  'config-api',
  'console',
  'sign-in',
  'status-page',
  'ping',
] as const
export type Part = (typeof PARTS)[number]

/** Finds the route of a request, and returns its part; undefined where the route has no part of its own. */
export type PartOfRoute = (req: IncomingMessage) => Part | undefined

/** The routes of an app, as each of its routers has told them. */
export class RouteParts {
  readonly #routes = new Map<Surface, PartOfRoute>()

  tell(surface: Surface, partOfRoute: PartOfRoute): void {
    this.#routes.set(surface, partOfRoute)
  }

  /** Undefined for files: nothing waits for the database, and downloads have bounds of their own. */
  partOf(req: IncomingMessage): Part | undefined {
    const surface = surfaceOf(req.url ?? '')
    if (surface === 'assets' || surface === 'install') return undefined
    return this.#routes.get(surface)?.(req) ?? surface
  }
}
