// The process beside a throwaway server: when the pipe to its owner closes, it ends the server in the owner's place.
import { type Leaving, leaveServer } from './leave.ts'

const leaving = JSON.parse(process.argv[2] ?? '') as Leaving
process.stdin.resume()
// Nobody reads its errors; usually the data directory is gone already.
process.stdin.once('close', () => void leaveServer(leaving).catch(() => process.exit(1)))
