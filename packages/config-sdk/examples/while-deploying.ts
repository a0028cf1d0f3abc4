// Pauses the checks of a tag while something is deployed, and resumes those that it paused.
import { type ConfigClient, each, listChecks, pauseCheck, resumeCheck } from '@dogwatch/config-sdk'

export async function whileDeploying<Result>(
  client: ConfigClient,
  tag: string,
  deploy: () => Promise<Result>,
): Promise<Result> {
  const paused: string[] = []
  try {
    for await (const { guid, enabled } of each(listChecks, client, { tag })) {
      if (!enabled) continue
      await pauseCheck(client, { guid })
      paused.push(guid)
    }
    return await deploy()
  } finally {
    for (const guid of paused) await resumeCheck(client, { guid })
  }
}
