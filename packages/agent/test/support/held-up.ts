// Whether this thread is free for others while something goes on.

/** The longest that this thread computed without a pause, in ms of its own CPU time: a busy machine adds nothing to that. */
export async function heldUp(work: () => Promise<unknown>): Promise<number> {
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let [last, longest] = [cpu(), 0]
  const look = setInterval(() => {
    longest = Math.max(longest, cpu() - last)
    last = cpu()
  }, 1)
  await work()
  clearInterval(look)
  return longest
}
