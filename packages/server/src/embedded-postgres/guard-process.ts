// The process beside a throwaway server: when the pipe to its owner closes, it leaves the server in the owner's name.
import { type Leaving, leaveServer } from './leave.ts'

const leaving = JSON.parse(process.argv[2] ?? '') as Leaving
process.stdin.resume()
// Nobody reads what goes wrong here; a data directory that is gone already is the usual case.
process.stdin.once('close', () => void leaveServer(leaving).catch(() => process.exit(1)))
