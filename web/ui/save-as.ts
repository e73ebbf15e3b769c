/** Lets the browser save what is at `address`, under the name that the answer gives it. */
export function saveAs(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
