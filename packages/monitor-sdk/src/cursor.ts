// Defines the cursor of the sync delta: a time from the server, never from the caller's clock.

declare const cursor: unique symbol

/**
 * A `server_time` of an earlier `sync`, for the next one. It is a string and can be stored as such. Turn a stored text into a
 * cursor again with {@link syncCursor}.
 */
export type SyncCursor = string & { readonly [cursor]: true }

/**
 * Turns a stored `server_time` into a cursor.
 *
 * @throws TypeError for other texts, such as `new Date().toISOString()`: the server writes UTC with exactly six fractional
 * digits.
 */
export function syncCursor(stored: string): SyncCursor {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(stored)) {
    throw new TypeError('not a sync cursor; store the server_time that sync() returned and pass it unchanged')
  }
  return stored as SyncCursor
}
