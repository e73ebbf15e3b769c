// Requests that change nothing.
import { createHash } from 'node:crypto'
import { check, encodePath } from './client.ts'
import { type Person, raw, resource } from './person.ts'
import {
  fewCount,
  foundTexts,
  largeBytes,
  largePart,
  photoCount,
  textCount,
  textName,
  textOf,
  treeEntries,
} from './served-files.ts'
import { readZip } from './zip.ts'

const rangeBytes = 512 * 1024

export async function listFew(person: Person): Promise<void> {
  const { items } = await person.read(resource('/few/'))
  check(items.length === fewCount, `the listing has ${items.length} items`)
}

export async function listMany(person: Person): Promise<void> {
  const { items, numFiles } = await person.read(resource('/texts/'))
  check(items.length === textCount && numFiles === textCount, `the listing has ${items.length} items`)
}

export async function listTree(person: Person): Promise<void> {
  const entries = await person.read('/api/resources/recursive/tree')
  check(entries.length === treeEntries, `the tree has ${entries.length} entries`)
}

export async function readText(person: Person): Promise<void> {
  const number = (person.next() * 31) % textCount
  const { bytes } = await person.send(raw(`/texts/${textName(number)}`))
  check(bytes.equals(textOf(number)), 'the content of a small file is wrong')
}

export async function readDetails(person: Person): Promise<void> {
  const number = (person.next() * 37) % textCount
  const { content, size } = await person.read(resource(`/texts/${textName(number)}`))
  const expected = textOf(number)
  check(content === expected.toString() && size === expected.length, 'the details of a file are wrong')
}

export async function readRange(person: Person): Promise<void> {
  const from = (person.next() * 7_654_321) % (largeBytes - rangeBytes)
  const headers = { range: `bytes=${from}-${from + rangeBytes - 1}` }
  const { bytes } = await person.send(raw('/large/large.bin'), { headers, status: 206 })
  check(bytes.equals(largePart(from, rangeBytes)), 'a range of the large file is wrong')
}

export async function readUnchanged(person: Person): Promise<void> {
  const address = raw(`/texts/${textName(person.next() % textCount)}`)
  const etag = (await person.send(address)).headers.get('etag') ?? ''
  const { bytes } = await person.send(address, { headers: { 'if-none-match': etag }, status: 304 })
  check(bytes.length === 0, 'the response 304 has a body')
}

export async function sumSmall(person: Person): Promise<void> {
  const number = (person.next() * 41) % textCount
  const { checksums } = await person.read(`${resource(`/texts/${textName(number)}`)}?checksum=sha256`)
  check(checksums.sha256 === sha256(textOf(number)), 'the checksum of a small file is wrong')
}

let largeSum: string | undefined

export async function sumLarge(person: Person): Promise<void> {
  const { checksums } = await person.read(`${resource('/large/large.bin')}?checksum=sha256`)
  largeSum ??= sha256(largePart(0, largeBytes))
  check(checksums.sha256 === largeSum, 'the checksum of the large file is wrong')
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export async function search(person: Person): Promise<void> {
  const hits = await person.read('/api/search/?query=text-17')
  check(hits.length === foundTexts, `the search has ${hits.length} hits`)
}

export async function downloadZip(person: Person): Promise<void> {
  const contents = readZip((await person.send(raw('/few'))).bytes)
  check(contents.size === fewCount, `the zip has ${contents.size} files`)
  for (const [name, bytes] of contents) {
    const number = Number(/few (\d+)\.txt$/.exec(name)?.[1])
    check(bytes.equals(textOf(number)), `the file ${name} in the zip is wrong`)
  }
}

export async function viewPhoto(person: Person): Promise<void> {
  const names = [...person.files.photos.keys()]
  const size = ['thumb', 'tile', 'big'][person.next() % 3]
  const name = names[person.next() % names.length] ?? ''
  checkWebp((await person.send(`/api/preview/${size}/photos/${name}`)).bytes)
}

export function checkWebp(bytes: Buffer): void {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  check(isWebp, 'the preview is no WebP')
}

export async function readFolderMetadata(person: Person): Promise<void> {
  const { items, complete } = await person.read('/api/metadata/photos')
  const count = Object.keys(items).length
  check(!complete || count === photoCount, `the metadata of the folder have ${count} items`)
}

export async function readPhotoMetadata(person: Person): Promise<void> {
  const photos = [...person.files.photos]
  const [name = '', picture] = photos[person.next() % photos.length] ?? []
  const found = await person.read(`/api/metadata${encodePath(`/photos/${name}`)}`)
  check(found.width === picture?.width && found.height === picture?.height, 'the size of a photo is wrong')
  check(!picture?.taken || found.taken.startsWith(picture.taken), 'the date of a photo is wrong')
}

export async function readUsage(person: Person): Promise<void> {
  const { total, used } = await person.read('/api/usage/')
  check(total > 0 && used > 0, 'the usage is zero')
}
