// Ends the agent if its Node is too old. This file is imported first, because later native code may crash on such a Node.
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(`dogwatch-agent: requires Node ${OLDEST} or newer, but this is ${process.version}\n`)
  process.exit(1)
}
