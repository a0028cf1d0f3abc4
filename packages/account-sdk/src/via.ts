// Declares the connection of a client. Not declared with the client, because the client's published types must not refer to the
// transport.

import type { Connection } from '#core/connection'
import type { ClientOptions } from './core-types.ts'
import type { paths } from './generated.ts'

/** The connection, and the client's options for waits between requests. */
export type Via = Connection<paths> & Pick<ClientOptions, 'signal' | 'clock'>
