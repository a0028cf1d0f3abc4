// Reads a response that is text instead of JSON.

import type { HandOut } from '#core/operation'

/** Returns the body of `response` as a stream that fails if the response breaks off. */
export const asText: HandOut = (response, watched, lost) => {
  const reader = (response.body ?? new Blob([]).stream()).getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        watched.progress()
        const { done, value } = await watched.guard(reader.read())
        watched.pause()
        if (!done) return controller.enqueue(value)
        watched.release()
        controller.close()
      } catch (error) {
        watched.release()
        reader.cancel().catch(() => {})
        controller.error(lost(error, 'the response was cut short'))
      }
    },
  })
}
