/** Makes the browser save the file at `address`, under the name in the response. */
export function saveAs(address: string): void {
  const anchor = document.createElement('a')
  anchor.href = address
  anchor.download = ''
  anchor.click()
}
