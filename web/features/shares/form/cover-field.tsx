import { useLingui } from '@lingui/react/macro'
import { Image } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { PicturePicker } from './picture-picker.tsx'

interface CoverFieldProps {
  /** A decoded path of the user's files; empty: none. */
  cover: string
  /** Where a picture is chosen first, with a slash at its end; undefined: the path must be typed. */
  folder: string | undefined
  onChange(cover: string): void
}

/** The picture at the top of the page: its path is typed, or chosen in a folder. */
export function CoverField({ cover, folder, onChange }: CoverFieldProps) {
  const { t } = useLingui()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Field
        label={t`Cover picture`}
        valuePath="cover"
        maxLength={4096}
        dir="ltr"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        value={cover}
        help={t`Shown at the top of the page. Visitors see a smaller copy of it.`}
        onChange={(event) => onChange(event.target.value)}
      >
        {folder !== undefined && (
          <Button
            icon={Image}
            iconOnly
            label={t`Choose picture`}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setOpen(!isOpen)}
          />
        )}
      </Field>
      {isOpen && folder !== undefined && (
        <PicturePicker
          id={id}
          folder={folder}
          chosen={cover}
          onChoose={(path) => {
            onChange(path)
            setOpen(false)
          }}
        />
      )}
    </>
  )
}
