import { useLingui } from '@lingui/react/macro'
import { Dices, Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import styles from './password-field.module.css'

interface PasswordFieldProps extends Omit<ComponentProps<typeof Field>, 'type' | 'children'> {
  /** Sets a generated password. Missing: none is offered. */
  onGenerate?(): void
}

/** A field for a password, with a button that shows what is typed, and one that generates a password. */
export function PasswordField({ onGenerate, ...rest }: PasswordFieldProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const [isShown, setShown] = useState(false)
  const generate = () => {
    // The user does not know the generated password yet, so the field shows it, and selects it for copying.
    flushSync(() => {
      setShown(true)
      onGenerate?.()
    })
    box.current?.querySelector('input')?.select()
  }
  return (
    <div ref={box} className={styles.password}>
      <Field {...rest} type={isShown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false}>
        <Button
          variant="quiet"
          className={styles.eye}
          icon={isShown ? EyeOff : Eye}
          iconOnly
          label={t`Show what you type`}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
        {onGenerate && (
          <Button
            className={styles.generate}
            icon={Dices}
            iconOnly
            label={t`Generate a password`}
            onClick={generate}
          />
        )}
      </Field>
    </div>
  )
}
