/** The length of a name without its file extension. Folders and hidden files have no extension. */
export function stemLength(name: string, isDir: boolean): number {
  if (isDir) return name.length
  const ending = /(\.tar)?\.[^.]*$/i.exec(name)
  // A leading dot marks a hidden file, not an extension.
  return ending && ending.index > 0 ? ending.index : name.length
}
