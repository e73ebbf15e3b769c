import { addressOf, api } from './client.ts'

/**
 * An address the browser itself may open for the bytes of the file at `path`, good for 60 s to start (contract W4).
 * `inline` shows instead of saving.
 *
 * @throws ApiProblem when the file may not be downloaded.
 */
export async function rawAddress(path: string, inline: boolean): Promise<string> {
  const { ticket } = await api('POST /api/ticket', { body: { action: 'raw', path } })
  return addressOf('/api/raw/*', { '*': path }, { auth: ticket, ...(inline && { inline: 'true' }) })
}
