/** How much of a name a person means to change: all before its ending; all of a folder's name and of a hidden file's. */
export function stemLength(name: string, isDir: boolean): number {
  if (isDir) return name.length
  const ending = /(\.tar)?\.[^.]*$/i.exec(name)
  // A leading dot hides a file; it begins no ending.
  return ending && ending.index > 0 ? ending.index : name.length
}
