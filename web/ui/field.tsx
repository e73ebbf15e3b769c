import { createContext, type InputHTMLAttributes, type ReactNode, type Ref, useContext, useId } from 'react'
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
  /** A line below the field that explains it. */
  help?: string | undefined
  /** Beside the input, in the same line. */
  children?: ReactNode
  ref?: Ref<HTMLInputElement>
}

interface HelpProps {
  /** The id of the field. */
  of: string
  /** Undefined: no line. */
  text: string | undefined
}

/** The line below a field that explains it. `describedBy` refers to it. */
export function Help({ of, text }: HelpProps) {
  if (!text) return null
  return (
    <p id={`${of}h`} className={styles.help}>
      {text}
    </p>
  )
}

/** The value of `aria-describedby` for a field: its error, its help line, and any other element. */
export function describedBy(
  id: string,
  { error, help, note }: { error?: unknown; help?: string | undefined; note?: string | undefined },
): string | undefined {
  return [error && `${id}e`, note, help && `${id}h`].filter(Boolean).join(' ') || undefined
}

/** A labelled text input with its error and help line below. */
export function Field(props: FieldProps) {
  const { label, error: fault, valuePath, help, children, 'aria-describedby': note, ...rest } = props
  const id = useId()
  const refused = useContext(Refusal)
  const isRefused =
    valuePath !== undefined && refused !== undefined && `${refused.field}.`.startsWith(`${valuePath}.`)
  const error = fault ?? (isRefused ? refused.sentence : undefined)
  return (
    <div className={styles.field} data-part="field">
      <label htmlFor={id}>{label}</label>
      <div className={styles.input}>
        <input
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, { error, help, note })}
          {...rest}
        />
        {children}
      </div>
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
      <Help of={id} text={help} />
    </div>
  )
}
