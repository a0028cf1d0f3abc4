// Decides which part of the server a request belongs to. Its route decides. The route is found once, before all other
// work, and remembered for the later gates.
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

/** Finds the route of a request, and returns its part. Returns undefined if the route has no part of its own. */
export type PartOfRoute = (req: IncomingMessage) => Part | undefined

/** Parts of the routes of an app, as its routers registered them. */
export class RouteParts {
  readonly #routes = new Map<Surface, PartOfRoute>()

  tell(surface: Surface, partOfRoute: PartOfRoute): void {
    this.#routes.set(surface, partOfRoute)
  }

  /**
   * Returns the part of a request. Returns undefined for files, because they need no database, and downloads have their own
   * limits.
   */
  partOf(req: IncomingMessage): Part | undefined {
    const surface = surfaceOf(req.url ?? '')
    if (surface === 'assets' || surface === 'install') return undefined
    return this.#routes.get(surface)?.(req) ?? surface
  }
}
