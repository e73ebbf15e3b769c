/**
 * The `n`th name to try for “Keep both”: `a.txt`, 2 becomes `a(2).txt` (contract/README.md#resources). Folders keep
 * their slash.
 */
export function freeName(path: string, n: number): string {
  const slash = path.lastIndexOf('/') + 1
  const [folder, name] = [path.slice(0, slash), path.slice(slash)]
  const dot = name.lastIndexOf('.')
  // A leading dot marks a hidden file, not an extension.
  const at = dot > 0 ? dot : name.length
  return `${folder}${name.slice(0, at)}(${n})${name.slice(at)}`
}
