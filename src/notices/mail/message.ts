import type { Notice } from '#contract/notices/notices.ts'
import { entryOf } from '#src/core/lookup.ts'
import { oneLine } from '#src/core/text/one-line.ts'

/** The body of a delivery, as webhooks get it. */
interface Payload {
  type: string
  timestamp: string
  data: Partial<Notice>
}

/**
 * The subject and the text of an e-mail about a notice, in English.
 *
 * @param url the address of the instance; empty: it is not known
 */
export function messageOf(body: string, { url }: { url: string }): { subject: string; text: string } {
  // Coffer has written it.
  const { type, data } = JSON.parse(body) as Payload
  const title = oneLine(data.title ?? '')
  const [subject, ...lines] = (entryOf(sentences, type) ?? other)(title, data)
  const link =
    url && data.path ? [`${url}/files${encodeURI(data.path).replace(/[?#]/g, encodeURIComponent)}`] : []
  const place = data.path ? [`Folder or file: ${oneLine(data.path, 1000)}`] : []
  const end = 'You get this e-mail because you have turned on notices by e-mail for this link.'
  const text = [[subject], lines, [...place, ...link], [end]].filter((part) => part.length > 0)
  return { subject: subject ?? title, text: `${text.map((part) => part.join('\n')).join('\n\n')}\n` }
}

type Sentences = (title: string, data: Partial<Notice>) => string[]

const other: Sentences = (title) => [`Notice about your link "${title}"`]

const sentences: Record<string, Sentences> = {
  'share.visited': (title) => [`Your link "${title}" was opened for the first time`],
  'share.received': (title, { count = 0, bytes = 0, names = [], sender }) => [
    `${count === 1 ? '1 file' : `${count} files`} received through your link "${title}"`,
    ...(sender ? [`The sender gave this name: ${oneLine(sender)}`] : []),
    `Size: ${sizeText(bytes)}`,
    ...names.map((name) => `- ${oneLine(name)}`),
    ...(count > names.length ? [`and ${count - names.length} more`] : []),
  ],
  'share.scan': (title, { names = [] }) => [
    `The virus scanner has found something in a file sent through your link "${title}"`,
    ...names.map((name) => `- ${oneLine(name)}`),
    'The file was not accepted. It is on the page of held files.',
  ],
  'share.limit': (title, { limit }) => [
    `Your link "${title}" has reached its limit`,
    ...(limit ? [limitTexts[limit]] : []),
  ],
  'share.ending': (title, { ends = '' }) => [
    `Your link "${title}" ends soon`,
    `It ends at ${ends.slice(0, 16).replace('T', ' ')} UTC.`,
  ],
}

const limitTexts = {
  downloads: 'The number of downloads is used up.',
  visitors: 'The number of visitors is used up.',
  files: 'The number of files that may be sent is used up.',
  bytes: 'The size of all files that may be sent is used up.',
} as const

const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

function sizeText(bytes: number): string {
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const number = bytes / 1000 ** at
  return `${at === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)} ${units[at]}`
}

/** The e-mail with the code that confirms an address. */
export function codeMessage(code: string, name: string): { subject: string; text: string } {
  return {
    subject: `${code} is your code for ${name}`,
    text: `Enter this code to receive notices of ${oneLine(name)} at this address:\n\n${code}\n\nIt is valid for 30 minutes. If you have not asked for it, ignore this e-mail: nothing more is sent to you.\n`,
  }
}

/** The e-mail with which an administrator tests the settings. */
export function testMessage(name: string): { subject: string; text: string } {
  return { subject: `Test e-mail of ${name}`, text: `The e-mail settings of ${oneLine(name)} work.\n` }
}
