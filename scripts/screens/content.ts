import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asJpeg, asPng, painted } from '#src/testing/pictures.ts'
import { emptyPdf } from '#web/testing/pdf.ts'

const day = 24 * 3600 * 1000

/** Fills `root` with folders, texts, pictures, long and foreign names, and empty files of many kinds. */
export async function fillFolder(root: string): Promise<void> {
  const files: Record<string, string | Buffer> = {
    'Contracts/2026/Lease.pdf': '%PDF-1.4\n',
    'Contracts/2026/Insurance.docx': 'x',
    'Letters/notes (1).txt': 'A letter.\n',
    'Letters/صورة العائلة.txt': 'x',
    'Letters/家族の写真.txt': 'x',
    'Report of the working group about the future of the harbour, second and corrected edition.txt': 'x',
    'Plan.md': '# Plan\n\n- [x] done\n- [ ] open\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`code`\n',
    'budget.xlsx': Buffer.alloc(48_000),
    'holiday.zip': Buffer.alloc(1_200_000),
    'main.ts':
      'const answer = "words" // 1\n\nexport function double(value: number) {\n  return value * 2\n}\n',
    'notes.txt': `${'A line of a long text that wraps in a narrow window.\n'.repeat(60)}`,
    'program.bin': Buffer.alloc(2048),
    'slides.pptx': Buffer.alloc(80_000),
    'song.wav': silence(20),
    // The page shows the video player because of the name. The browser recognizes the sound by its content.
    'film.mp4': silence(20),
    'broken.mp4': 'no film',
    'form.pdf': emptyPdf(),
    'Letters/letter.txt': 'Dear Ann,\nfirst\n',
  }
  for (const [name, content] of Object.entries(files)) await put(join(root, name), content)
  for (let n = 0; n < 14; n++) {
    const wide = n % 3 !== 1
    const [width, height] = wide ? [480, 320] : [300, 450]
    const picture = painted(width, height, (x, y) => [(x + n * 40) % 256, (y + n * 90) % 256, 140, 255])
    const name = join(root, 'Photos', `IMG_${2041 + n}.jpg`)
    await put(name, await asJpeg(picture))
    const time = new Date(Date.UTC(2026, 8, 12) - n * 9 * day)
    await utimes(name, time, time)
  }
  await put(join(root, 'panorama.png'), asPng(painted(900, 300, (x, y) => [x % 256, y % 256, 90, 255])))
  await mkdir(join(root, 'Empty'), { recursive: true })
}

/** Fills `root` with a website for Hugo: a draft, a published post and one of the future. */
export async function fillWebsite(root: string): Promise<void> {
  const post = (fields: string) => `---\n${fields}\n---\n\nThe waves.\n`
  const files = {
    'hugo.toml': 'baseURL = "https://example.org/"\ntitle = "Waves"\n',
    'archetypes/posts.md': post('title: "{{ .Name }}"\ndraft: true'),
    'layouts/_default/single.html': '<!doctype html><h1>{{ .Title }}</h1>{{ .Content }}',
    'content/posts/sea.md': post(
      'title: "A day: at the sea"\ndate: 2026-11-01T08:30:00+01:00\ndraft: true\ntags: [sea, summer]\nparams:\n  deep: 1',
    ),
    'content/posts/done.md': post('title: Done\ndate: 2026-01-02'),
    'content/posts/later.md': post('title: Later\ndate: 2096-01-02'),
  }
  for (const [name, content] of Object.entries(files)) await put(join(root, name), content)
}

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

/** A WAV file of silence: 8 bits, 8,000 samples a second. */
function silence(seconds: number): Buffer {
  const count = seconds * 8000
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + count, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8000, 24)
  head.writeUInt32LE(8000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(count, 40)
  return Buffer.concat([head, Buffer.alloc(count, 128)])
}
