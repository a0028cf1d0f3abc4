// Runs beside a throwaway server. Ends the server when the pipe to the process that started it closes.
import { type Leaving, leaveServer } from './leave.ts'

const leaving = JSON.parse(process.argv[2] ?? '') as Leaving
process.stdin.resume()
// Ignores errors, because no process reads them. Usually, the data directory is already deleted.
process.stdin.once('close', () => void leaveServer(leaving).catch(() => process.exit(1)))
