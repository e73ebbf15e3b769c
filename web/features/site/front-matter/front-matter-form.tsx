import { useLingui } from '@lingui/react/macro'
import { Code, Plus, Rows3 } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { FrontMatterField, FrontMatterView, SiteView } from '#contract/publish.ts'
import { isContentFile, useSite } from '#web/features/site/site-state.ts'
import { nameOf } from '#web/shared/paths.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { Button } from '#web/ui/button.tsx'
import styles from './front-matter.module.css'
import type { FormText, TextTools } from './front-matter-edits.ts'
import { FrontMatterInput } from './front-matter-field.tsx'
import { createFrontMatter } from './front-matter-state.ts'

interface FrontMatterFormProps extends TextTools {
  /** Decoded. */
  path: string
  text: FormText
  /** Called with the length of the front matter, and whether the form shows it instead of the text. */
  onStart(length: number, isHidden: boolean): void
}

/** A form for the front matter of a post or page. Nothing for other files. */
export function FrontMatterForm(props: FrontMatterFormProps) {
  const site = useSite()
  return site && isContentFile(site, props.path) ? <Form site={site} {...props} /> : null
}

function Form({ site, path, text, onStart, ...tools }: FrontMatterFormProps & { site: SiteView }) {
  const id = useId()
  const [form] = useState(() => createFrontMatter(tools))
  const { view, failure } = useSnapshot(form.state)
  const { refusal } = useSnapshot(form.edits.state)
  const [isRaw, setRaw] = useState(readStored('frontMatter') === 'text')
  useEffect(() => form.onText(text), [form, text])
  useEffect(() => form.close, [form])
  const hasFields = view !== undefined && view.format !== ''
  const isForm = hasFields && !isRaw
  const length = view?.bodyStart ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function belongs to the open text and never changes.
  useEffect(() => onStart(length, isForm), [length, isForm])
  if (!view && !failure) return null
  const add = () => {
    const [title = ''] = nameOf(path)
      .replace(/^\d{4}-\d\d-\d\d-/, '')
      .split('.')
    form.edits.edit({ name: 'title', value: title.replaceAll(/[-_]+/g, ' ') })
    void form.edits.flush()
  }
  return (
    <section className={styles.form} aria-labelledby={id} data-part="front-matter">
      <Head
        id={id}
        failure={failure}
        isRaw={hasFields ? isRaw : undefined}
        onAdd={add}
        onToggle={() => {
          setRaw(!isRaw)
          writeStored('frontMatter', isRaw ? undefined : 'text')
        }}
      />
      {isForm && <Fields view={view as FrontMatterView} site={site} form={form} />}
      {refusal && (
        <p role="alert" className={styles.refusal}>
          {refusal}
        </p>
      )}
    </section>
  )
}

interface HeadProps {
  id: string
  /** Why the front matter cannot be read. */
  failure: string
  /** Whether the text shows it, not the form; undefined if the file has none. */
  isRaw: boolean | undefined
  onAdd(): void
  onToggle(): void
}

function Head({ id, failure, isRaw, onAdd, onToggle }: HeadProps) {
  const { t } = useLingui()
  return (
    <header className={styles.head}>
      <h2 id={id}>{t`Front matter`}</h2>
      {failure ? (
        <p role="alert">{t`It can't be read. Correct it in the text: ${failure}`}</p>
      ) : isRaw === undefined ? (
        <>
          <p>{t`This file has none.`}</p>
          <Button variant="quiet" icon={Plus} label={t`Add`} onClick={onAdd} />
        </>
      ) : (
        <Button
          variant="quiet"
          icon={isRaw ? Rows3 : Code}
          label={isRaw ? t`Edit in a form` : t`Edit as text`}
          onClick={onToggle}
        />
      )}
    </header>
  )
}

interface FieldsProps {
  view: FrontMatterView
  site: SiteView
  form: ReturnType<typeof createFrontMatter>
}

/** The common fields, also if the file has none of them yet, and then all others. */
function Fields({ view, site, form }: FieldsProps) {
  const { t } = useLingui()
  const { byName } = useSnapshot(form.edits.state)
  const common: [label: string, FrontMatterField][] = [
    [t`Title`, { name: 'title', kind: 'text', value: '' }],
    [t`Date`, { name: 'date', kind: 'date', value: '' }],
    [t`Tags, separated by commas`, { name: 'tags', kind: 'list', value: [] }],
  ]
  // Jekyll has a folder for drafts instead.
  if (site.generator === 'hugo') common.push([t`Draft`, { name: 'draft', kind: 'boolean', value: false }])
  const labels = new Map(common.map(([label, { name }]) => [name, label]))
  const fieldOf = (name: string) => view.fields.find((field) => field.name === name)
  const all = [
    ...common.map(([, field]) => fieldOf(field.name) ?? field),
    ...view.fields.filter(({ name }) => !labels.has(name)),
  ]
  return (
    <div className={styles.fields}>
      {all.map((field) => {
        const edit = byName.get(field.name)
        const value = edit ? (edit.value ?? '') : field.value
        return (
          <FrontMatterInput
            key={field.name}
            label={labels.get(field.name) ?? field.name}
            field={{ ...field, value: value as FrontMatterField['value'] }}
            onEdit={form.edits.edit}
            onLeave={() => void form.edits.flush()}
          />
        )
      })}
    </div>
  )
}
