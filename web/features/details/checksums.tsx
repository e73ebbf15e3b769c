import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { ChecksumAlgorithm } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { Button } from '#web/ui/button.tsx'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { DescriptionEntry } from './fact.tsx'

const algorithms: readonly (readonly [ChecksumAlgorithm, string])[] = [
  ['md5', 'MD5'],
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256'],
  ['sha512', 'SHA-512'],
]

/** The checksums of a file. Each is computed on request, because the server must read the whole file. */
export function Checksums({ path }: { path: string }) {
  const { t, i18n } = useLingui()
  const [sums, setSums] = useState<Partial<Record<ChecksumAlgorithm, string>>>({})
  const [controller] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [controller])
  const compute = async (algorithm: ChecksumAlgorithm) => {
    const show = (text: string) => setSums((known) => ({ ...known, [algorithm]: text }))
    show('…')
    try {
      const input = { params: { '*': path }, query: { checksum: algorithm } }
      const resource = await api('GET /api/resources/*', input, { signal: controller.signal })
      show(('checksums' in resource && ownEntry(resource.checksums ?? {}, algorithm)) || '')
    } catch (error) {
      show(i18n._(problemText(codeOf(error))))
    }
  }
  return algorithms.map(([algorithm, name]) => (
    <DescriptionEntry key={algorithm} name={name}>
      {sums[algorithm] ? (
        <code aria-live="polite">{sums[algorithm]}</code>
      ) : (
        <Button
          variant="quiet"
          label={t`Show`}
          aria-label={t`Show ${name}`}
          onClick={() => compute(algorithm)}
        />
      )}
    </DescriptionEntry>
  ))
}
