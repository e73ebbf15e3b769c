import { readFile } from 'node:fs/promises'

/** Returns a function that translates an English text by a catalogue. */
export async function translatorFor(language: string): Promise<(english: string) => string> {
  const catalogue = await readFile(`locales/${language}.po`, 'utf8')
  return (english) => {
    const start = catalogue.indexOf(`\nmsgid ${JSON.stringify(english)}\n`)
    const [, translation = ''] = /\nmsgstr (".*")/.exec(catalogue.slice(start)) ?? []
    return start < 0 || !translation ? `no word for ${english}` : JSON.parse(translation)
  }
}
