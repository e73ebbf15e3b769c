import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import {
  extensionOf,
  looksBinary,
  modifiedOf,
  pageUrl,
  sampleBytes,
  subtitleName,
} from '#src/files/listing/entry.ts'
import type { Columns } from '#src/files/listing/folder-entries.ts'
import type { ListTask } from '#src/files/listing/list-task.ts'
import { openSync, readlinkSync } from '#src/files/paths/disk.ts'
import { isWithin } from '#src/files/paths/user-path.ts'

// A listing reads at most this many files of unknown extension to detect their type. The response for a single file
// always has the exact type.
const maxSamples = 2000

// Number of entries that become text at once: few enough that the garbage collector frees them cheaply.
const entriesPerBatch = 256

/**
 * Creates the function that writes entries as JSON. It reads the start of a file if its name does not show its type.
 */
export function createJsonWriter(
  task: ListTask,
  entries: Columns,
): (order: Uint32Array) => Uint8Array<ArrayBuffer> {
  const write = writerOf(task, entries)
  let index = 0
  const textOf = (batch: Uint32Array, isFirst: boolean) => {
    let text = ''
    for (const at of batch) {
      if (entries.isListed[at]) text += (isFirst && text === '' ? '' : ',') + write(at, index++)
    }
    return text
  }
  return (order) => {
    let target = Buffer.from(new ArrayBuffer(order.length * 256))
    let length = 0
    for (let from = 0; from < order.length; from += entriesPerBatch) {
      const text = textOf(order.subarray(from, from + entriesPerBatch), length === 0)
      // A UTF-16 code unit becomes at most three bytes of UTF-8.
      const needed = length + 3 * text.length
      if (needed > target.length) target = Buffer.from(target.buffer.transfer(2 * needed))
      length += target.write(text, length)
    }
    return new Uint8Array(target.buffer.transfer(length))
  }
}

/**
 * Writes the JSON of one entry by hand, because temporary objects for `JSON.stringify` would cost more than all other
 * work.
 */
function writerOf(task: ListTask, entries: Columns): (at: number, index: number) => string {
  let samples = maxSamples
  const folder = task.path === '/' ? '/' : `${task.path}/`
  const pathStart = JSON.stringify(folder).slice(0, -1)
  const urlStart = pageUrl(folder, false, task.page)
  const subtitles = entries.names.filter((name) => subtitleName.test(name))
  return (at, index) => {
    const { [at]: name = '' } = entries.names
    const isDir = entries.isDir[at] === 1
    const isSymlink = entries.isSymlink[at] === 1
    const quoted = JSON.stringify(name)
    const extension = isDir ? '' : extensionOf(name)
    const isPlain = quoted.length === name.length + 2
    const type = entries.types[at] ?? (samples-- > 0 ? sniff(task, { name, isSymlink }) : 'blob')
    return (
      `{"index":${index},"name":${quoted},"path":${pathStart}${quoted.slice(1)}` +
      `,"url":"${urlStart}${encodeName(name)}${isDir ? '/' : ''}","size":${entries.sizes[at]}` +
      `,"extension":${isPlain ? `"${extension}"` : JSON.stringify(extension)}` +
      `,"modified":"${modifiedOf({ mtimeMs: entries.times[at] ?? 0 })}","mode":${entries.modes[at]}` +
      `,"isDir":${isDir},"isSymlink":${isSymlink},"type":"${type}"` +
      `${type === 'video' ? subtitlesOf(name, subtitles, folder) : ''}}`
    )
  }
}

const needsNoEncoding = /^[\w.!~*'()-]+$/

function encodeName(name: string): string {
  return needsNoEncoding.test(name) ? name : encodeURIComponent(name)
}

/**
 * The subtitles beside a video, as the end of its JSON. The response for the video itself lists more
 * (contract/compatibility.md#listings-and-files).
 */
function subtitlesOf(video: string, subtitles: string[], folder: string): string {
  const stem = video.replace(/\.[^.]*$/, '')
  const found = subtitles.filter((name) => name.startsWith(stem)).map((name) => folder + name)
  return found.length > 0 ? `,"subtitles":${JSON.stringify(found)}` : ''
}

function sniff(task: ListTask, { name, isSymlink }: { name: string; isSymlink: boolean }): ResourceType {
  try {
    // The file may have been replaced by a pipe or a symbolic link: do not wait for the one or follow the other.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
    const file = openSync(`${task.address}/${name}`, O_RDONLY | O_NONBLOCK | (isSymlink ? 0 : O_NOFOLLOW))
    try {
      if (!fstatSync(file).isFile() || (isSymlink && !isInScope(task, file))) return 'blob'
      const sample = Buffer.allocUnsafe(sampleBytes)
      return looksBinary(sample.subarray(0, readSync(file, sample, 0, sampleBytes, 0))) ? 'blob' : 'text'
    } finally {
      closeSync(file)
    }
  } catch {
    return 'blob' // an unreadable file is listed as a file (contract/compatibility.md#listings-and-files)
  }
}

/**
 * Whether an open file is inside the scope, even if symbolic links changed meanwhile. Can be checked on Linux only.
 */
function isInScope(task: ListTask, file: number): boolean {
  return process.platform !== 'linux' || isWithin(readlinkSync(`/proc/self/fd/${file}`), task.root)
}
