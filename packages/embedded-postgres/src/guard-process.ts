// Runs beside a throwaway server. When the pipe to its owner closes, it ends the server in the owner's place.
import { type Leaving, leaveServer } from './leave.ts'

const leaving = JSON.parse(process.argv[2] ?? '') as Leaving
process.stdin.resume()
// No process reads its errors. Usually, the data directory is already deleted.
process.stdin.once('close', () => void leaveServer(leaving).catch(() => process.exit(1)))
