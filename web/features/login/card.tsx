import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Logo } from '#web/shared/logo.tsx'
import { page } from '#web/shared/page.ts'
import { Button } from '#web/ui/button.tsx'
import styles from './login-page.module.css'
import type { Refusals } from './refusals.ts'

interface FormCardProps {
  title: string
  /** Why the form was refused. The first field with an error gets the focus. */
  refusals: Refusals
  /** The label of the button that sends the form. */
  label: string
  isBusy: boolean
  onSubmit(form: HTMLFormElement): Promise<void>
  /** The texts and fields above the button. */
  children: ReactNode
  /** What follows the button. */
  footer?: ReactNode
}

/** A page with only one form, for what must be done before anything else. */
export function FormCard({ title, refusals, label, isBusy, onSubmit, children, footer }: FormCardProps) {
  const [task, setTask] = useState<Promise<void>>()
  const form = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new refusals move the focus.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus(), [refusals])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTask(onSubmit(event.currentTarget))
  }
  return (
    <main className={styles.page} data-part="login">
      <title>{`${title} – ${page.Name}`}</title>
      <form ref={form} className={styles.card} onSubmit={submit}>
        <Logo size={44} />
        <h1>{title}</h1>
        {refusals.form && (
          <p role="alert" className={styles.error}>
            {refusals.form}
          </p>
        )}
        {children}
        <Button type="submit" variant="main" label={label} isInactive={isBusy} task={task} />
        {footer}
      </form>
    </main>
  )
}
