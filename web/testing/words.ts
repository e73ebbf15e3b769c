import { readFile } from 'node:fs/promises'

/** Returns a function that translates an English text by a catalogue. Like on the page, the others stay English. */
export async function translatorFor(language: string): Promise<(english: string) => string> {
  const catalogue = await readFile(`locales/${language}.po`, 'utf8')
  return (english) => {
    const start = catalogue.indexOf(`\nmsgid ${JSON.stringify(english)}\n`)
    const [, translation = ''] = /\nmsgstr (".*")/.exec(catalogue.slice(start)) ?? []
    if (start < 0 || !translation) return `no word for ${english}`
    return JSON.parse(translation) || english
  }
}
