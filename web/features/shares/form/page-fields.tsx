import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { Field } from '#web/ui/field.tsx'
import { Select, TextArea } from '#web/ui/form.tsx'
import { CoverField } from './cover-field.tsx'
import type { FormPartProps } from './draft.ts'
import styles from './link-form.module.css'
import type { Theme, View } from './page-options.ts'
import { showsFiles } from './rights.ts'

interface PageFieldsProps extends FormPartProps {
  /** Where a cover picture is chosen first, with a slash at its end; undefined: its path must be typed. */
  folder: string | undefined
}

/** What visitors read and see on the page of the link. */
export function PageFields({ draft, folder, onChange }: PageFieldsProps) {
  const { t } = useLingui()
  const id = useId()
  return (
    <>
      <Field
        label={t`Title`}
        valuePath="title"
        maxLength={200}
        value={draft.title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <div className={styles.text}>
        <span id={id} aria-hidden>
          {t`Message to visitors`}
        </span>
        <TextArea
          label={t`Message to visitors`}
          at="message"
          maxLength={2000}
          rows={3}
          spellCheck
          value={draft.message}
          onChange={(message) => onChange({ message })}
        />
      </div>
      <Field
        label={t`Sent by`}
        valuePath="from"
        maxLength={100}
        autoComplete="off"
        value={draft.from}
        help={t`Your name, as visitors should see it.`}
        onChange={(event) => onChange({ from: event.target.value })}
      />
      <CoverField cover={draft.cover} folder={folder} onChange={(cover) => onChange({ cover })} />
      <div className={styles.pair}>
        {showsFiles(draft.rights) && (
          <Select<View>
            label={t`Show files as`}
            value={draft.view}
            choices={[
              ['', t`Visitors choose`],
              ['list', t`List`],
              ['mosaic', t`Tiles`],
              ['gallery', t`Gallery`],
            ]}
            onChange={(view) => onChange({ view })}
          />
        )}
        <Select<Theme>
          label={t`Theme`}
          value={draft.theme}
          choices={[
            ['', t`Match device`],
            ['light', t`Light`],
            ['dark', t`Dark`],
          ]}
          onChange={(theme) => onChange({ theme })}
        />
      </div>
    </>
  )
}
