// Finds the system user for running the database server, and what that user can access.
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** User to run the server as, or null for the current user. */
export type Account = { readonly uid: number; readonly gid: number } | null

/**
 * Returns the user to run the server as. Postgres refuses to run as root, so for root this is an existing user: the owner of the
 * cluster, or a system user.
 */
export function serverAccount(cluster: string): Account {
  if (process.getuid?.() !== 0) return null
  const owner = lstatSync(cluster, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  // initdb looks up its user by name, so a number without an entry in passwd does not work.
  const account = passwdEntry('postgres') ?? passwdEntry('nobody')
  if (account) return account
  throw new Error(
    'the embedded database server cannot run as root, and there is no user postgres or nobody; set DATABASE_URL',
  )
}

function passwdEntry(name: string): Account {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid && uid !== '0' ? { uid: Number(uid), gid: Number(gid) } : null
}

/** Whether the account can reach a path through its folders, and read it (`need` 4), execute or enter it (1), or both (5). */
export function canReach(account: Account, path: string, need: number): boolean {
  if (!account) return true
  const target = realpathSync(path)
  if (!allows(account, target, need)) return false
  for (let dir = target; dir !== dirname(dir); ) {
    dir = dirname(dir)
    if (!allows(account, dir, 1)) return false
  }
  return true
}

function allows(account: { uid: number; gid: number }, path: string, need: number): boolean {
  const { uid, gid, mode } = statSync(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & need) === need
}
