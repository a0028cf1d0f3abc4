// What a client's requests go through. Apart from the client, whose published declarations must not lead to the transport.

import type { Connection } from './connection.ts'
import type { paths } from './generated.ts'
import type { ClientOptions } from './options.ts'

/** The connection, and what waiting between two requests takes from the client's options. */
export type Via = Connection<paths> & Pick<ClientOptions, 'signal' | 'clock'>
