import { createContext, type InputHTMLAttributes, type Ref, useContext, useId } from 'react'
import styles from './field.module.css'

interface Refused {
  /** The refused value, as in `defaults.scope`. A value inside it follows after a full stop. */
  field: string
  sentence: string
  /** The server's explanation, in English. */
  detail: string
}

/** The refusal of the server, for the fields of a form. */
export const Refusal = createContext<Refused | undefined>(undefined)

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** Why the value is invalid. Screen readers announce it at once. */
  error?: string | undefined
  /** The server's name of the value, as used in refusals. */
  valuePath?: string
  ref?: Ref<HTMLInputElement>
}

/** A labelled text input with its error below. */
export function Field({ label, error: fault, valuePath, 'aria-describedby': note, ...rest }: FieldProps) {
  const id = useId()
  const refused = useContext(Refusal)
  const isRefused =
    valuePath !== undefined && refused !== undefined && `${refused.field}.`.startsWith(`${valuePath}.`)
  const error = fault ?? (isRefused ? refused.sentence : undefined)
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}e` : note}
        {...rest}
      />
      {error && (
        <p id={`${id}e`} role="alert" className={styles.error}>
          {error}
          {isRefused && (
            <span lang="en" dir="ltr">
              {refused.detail}
            </span>
          )}
        </p>
      )}
    </div>
  )
}
