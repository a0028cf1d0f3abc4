// Writes the values of variables as a file for a shell.

/** Returns lines of the form `NAME='value'`, each name once. An unknown value is empty, to be filled in. */
export function variableLines(variables: readonly { name: string; value: string | undefined }[]): string {
  const values = new Map(variables.map(({ name, value = '' }) => [name, value]))
  return [...values].map(([name, value]) => `${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`).join('')
}
