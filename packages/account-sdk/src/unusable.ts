// Declares the function with which modules that are loaded on demand make the error for an unusable response.

import type { ConnectionError } from '#core/errors'

/** Makes the error for a response that came but is unusable. */
export type Unusable = (path: string, line: string) => ConnectionError
