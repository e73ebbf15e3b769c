import { useEffect, useState } from 'react'
import type { FileView } from '#contract/resources.ts'
import { readSubtitle } from '#web/api/link-address.ts'
import { nameOf } from '#web/shared/paths.ts'

/** Subtitles of a film, ready for a player. */
export interface Subtitle {
  address: string
  /** For the player's menu. */
  label: string
  /** BCP 47; undefined when the name of the file tells none. */
  language: string | undefined
}

/**
 * The subtitles that belong to a film. They are read into the page at once: a player fetches one when it is chosen, and by
 * then an address with a ticket would be of no use any more. `tag` is the language the names of languages are in.
 */
export function useSubtitles({ name, subtitles }: FileView, tag: string): readonly Subtitle[] {
  const [ready, setReady] = useState<readonly Subtitle[]>([])
  useEffect(() => {
    let isGone = false
    let made: Subtitle[] = []
    // What cannot be read is left out: the film plays without it.
    const all = (subtitles ?? []).map((path) => read(path, name, tag).catch(() => undefined))
    void Promise.all(all).then((found) => {
      made = found.filter((one) => one !== undefined)
      if (isGone) forget(made)
      else setReady(made)
    })
    return () => {
      isGone = true
      forget(made)
    }
  }, [name, subtitles, tag])
  return ready
}

async function read(path: string, film: string, tag: string): Promise<Subtitle> {
  const text = await readSubtitle(path)
  const address = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }))
  return { address, ...namedAfter(film, nameOf(path), tag) }
}

function forget(subtitles: readonly Subtitle[]): void {
  for (const { address } of subtitles) URL.revokeObjectURL(address)
}

/** What to call the subtitles `file` of `film`: `film.pt-BR.srt` is Brazilian Portuguese, `film.notes.vtt` is notes. */
export function namedAfter(film: string, file: string, tag: string): Omit<Subtitle, 'address'> {
  const [stem, bare] = [film, file].map((name) => name.replace(/\.[^.]*$/, '')) as [string, string]
  const rest = (bare.startsWith(stem) ? bare.slice(stem.length) : bare).replace(/^[\s._-]+/, '')
  const language = /^[a-z]{2,3}([-_][a-z]{2,4})?$/i.test(rest) ? rest.replace('_', '-') : undefined
  const label = language && new Intl.DisplayNames(tag, { type: 'language' }).of(language)
  return { label: label ?? (rest || file), language }
}
