// What a client's requests go through. Apart from the client, whose published declarations must not lead to the transport.

import type { Connection } from '#core/connection'
import type { paths } from './generated.ts'
import type { ClientOptions } from './core-types.ts'

/** The connection, and what waiting between two requests takes from the client's options. */
export type Via = Connection<paths> & Pick<ClientOptions, 'signal' | 'clock'>
