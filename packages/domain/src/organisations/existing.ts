// Refuses organisations that do not exist.
import { DomainError } from '../errors.ts'

/** Returns the organisation that was found. Throws DomainError if none was. */
export function existing<Organisation>(found: Organisation | undefined): Organisation {
  if (found === undefined) throw new DomainError('missing', 'no organisation with that id')
  return found
}
