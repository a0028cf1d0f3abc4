// Loaded into the server: replaces the hosts of vendors by fakes.
import { standIn } from '../../../packages/channels/dist/stand-in.js'

const places = JSON.parse(process.env.STAND_INS ?? '{}') as Record<string, string>
for (const [origin, other] of Object.entries(places)) standIn(origin, other)
