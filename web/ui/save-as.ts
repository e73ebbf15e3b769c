/** Makes the browser save the file at `address`, under the name in the response. */
export function saveAs(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
