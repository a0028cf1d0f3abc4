// Prints a program that runs `dogwatch` as it is built here: in a container, or as /usr/local/bin/dogwatch of a host.
import { fileURLToPath } from 'node:url'
import { pinnedNode } from '../../../scripts/bootstrap.js'
import { launcherText, quoted } from './launcher-text.js'

const program = fileURLToPath(new URL('../dist/bin/dogwatch.js', import.meta.url))
const madeBy = 'Made by packages/server/deploy/launcher.js.'
process.stdout.write(launcherText({ madeBy, node: quoted(pinnedNode()), program: quoted(program) }))
