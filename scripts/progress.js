// Shows the numbered stages of a long start: on a terminal, each stage replaces the previous one; elsewhere, each is a separate
// line. Plain JavaScript for any Node from 20 on, because the first stage is shown before anything is installed.
const CLEAR = '\r\u001b[K'

export class Progress {
  #total
  #out
  #isShown = false

  /**
   * @param {number} total
   * @param {{ isTTY?: boolean, write(text: string): unknown }} out never standard output, which belongs to the command
   */
  constructor(total, out = process.stderr) {
    this.#total = total
    this.#out = out
  }

  /**
   * @param {number} stage from 1
   * @param {string} what
   */
  show(stage, what) {
    const line = `dogwatch: [${stage}/${this.#total}] ${what}`
    this.#out.write(this.#out.isTTY ? `${CLEAR}${line}` : `${line}\n`)
    this.#isShown = Boolean(this.#out.isTTY)
  }

  /** Removes the line from the terminal before others write there. */
  clear() {
    this.#leave(CLEAR)
  }

  /** Ends the line on the terminal, so that others write below it. */
  settle() {
    this.#leave('\n')
  }

  #leave(text) {
    if (this.#isShown) this.#out.write(text)
    this.#isShown = false
  }
}
