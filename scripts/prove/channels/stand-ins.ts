// Runs inside the server, and replaces the hosts of vendors with fakes.
import { standIn } from '../../../packages/channels/dist/stand-in.js'

const places = JSON.parse(process.env.STAND_INS ?? '{}') as Record<string, string>
for (const [origin, other] of Object.entries(places)) standIn(origin, other)
