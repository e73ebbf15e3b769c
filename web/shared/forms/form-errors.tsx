import { i18n } from '@lingui/core'
import { type FormEvent, type FormHTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import type { ApiProblem } from '#web/api/client.ts'
import { fieldOf, problemMessage, problemText } from '#web/api/problems/problem-text.ts'
import { Refusal } from '#web/ui/field.tsx'
import { showToast } from '#web/ui/toasts/toasts.ts'

interface RefusableFormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  /** The refusal of the server. */
  refused: ApiProblem | undefined
  onSubmit(event: FormEvent<HTMLFormElement>): void
  children: ReactNode
}

/**
 * A form whose fields show the server's refusal. The first invalid field gets the focus. If no field has the refused
 * value, a message is shown instead.
 */
export function FormWithErrors({ refused, children, ...rest }: RefusableFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!refused) return
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid]')
    if (field) field.focus()
    else showToast('error', problemMessage(refused))
  }, [refused])
  const isGeneral = refused?.code === 'request.invalid' || refused?.code === 'request.value'
  const refusal = refused && {
    field: fieldOf(refused),
    // A refusal with a code of its own has a sentence of its own.
    sentence: isGeneral ? i18n._(problemText('request.value')) : problemMessage(refused),
    detail: isGeneral ? refused.message : '',
  }
  return (
    <Refusal value={refusal}>
      <form ref={form} {...rest}>
        {children}
      </form>
    </Refusal>
  )
}
